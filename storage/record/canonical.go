package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// compact is text without insignificant white space.
func compact(text json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	err := json.Compact(&b, text)
	return b.Bytes(), err
}

// compactObject checks that text is a JSON object and returns it without white space; for nil and null it returns an empty object.
func compactObject(text json.RawMessage) (json.RawMessage, error) {
	if len(text) == 0 || isNull(text) {
		return json.RawMessage("{}"), nil
	}
	text, err := compact(text)
	if err == nil && text[0] != '{' {
		err = errors.New("not a JSON object")
	}
	return text, err
}

// SameJSON reports whether two texts mean the same value, whatever the order of keys and the spelling of strings. Numbers count as
// they are written.
func SameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := Generic(a)
	y, errY := Generic(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func Generic(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// Decode reads the JSON of a hash field. A number whose type v does not say stays as it is written.
func Decode(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// Encode returns the JSON that a hash field holds: compact, and with < > & as they are.
func Encode(v any) (string, error) {
	text, err := EncodeBytes(v)
	return string(text), err
}

// EncodeBytes returns the JSON of v as Encode does, for what is sent.
func EncodeBytes(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Tree is a JSON object: texts, booleans, json.Numbers, slices and further trees. Two trees mean the same exactly if they are deeply equal.
type Tree = map[string]any
