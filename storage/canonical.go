package storage

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// compact is text without insignificant white space.
func compact(text json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	err := json.Compact(&b, text)
	return b.Bytes(), err
}

// compactObject checks that text is a JSON object and gives it without white space; nil gives an empty object.
func compactObject(text json.RawMessage) (json.RawMessage, error) {
	if len(text) == 0 {
		return json.RawMessage("{}"), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return json.RawMessage("{}"), nil
	}
	return compact(text)
}

// sameJSON tells whether two texts mean the same value, whatever the order of keys and the spelling of strings. Numbers count as
// they are written.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := generic(a)
	y, errY := generic(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func generic(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
