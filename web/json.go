package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// unmarshal decodes exactly one JSON value (RFC 8259): objects as map[string]any, numbers as json.Number. A text has one reading or none:
// bytes that are not UTF-8, half of a surrogate pair and a key that an object has twice are refused as malformed_json, at their pointers.
func unmarshal(raw []byte) (any, error) {
	r := reading{d: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))}
	v, err := r.value()
	if err == nil {
		err = r.end()
	}
	switch {
	case err != nil:
		return nil, malformed(raw, err)
	case len(r.twice) > 0:
		return nil, faulty(r.twice)
	}
	return v, nil
}

// reading is one pass over a text.
type reading struct {
	d     *jsontext.Decoder
	twice []detail // the keys that occur again in their object
}

func (r *reading) value() (any, error) {
	t, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case jsontext.KindBeginObject:
		return r.object()
	case jsontext.KindBeginArray:
		return r.array()
	case jsontext.KindString:
		return t.String(), nil
	case jsontext.KindNumber:
		return json.Number(t.String()), nil
	case jsontext.KindNull:
		return nil, nil
	}
	return t.Bool(), nil
}

func (r *reading) object() (any, error) {
	o := map[string]any{}
	for r.d.PeekKind() != jsontext.KindEndObject {
		t, err := r.d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		if _, twice := o[name]; twice && len(r.twice) < maxDetails {
			const message = "occurs twice in its object: send it once"
			r.twice = append(r.twice, detail{Pointer: string(r.d.StackPointer()), Code: codeMalformed, Message: message})
		}
		if o[name], err = r.value(); err != nil {
			return nil, err
		}
	}
	_, err := r.d.ReadToken()
	return o, err
}

func (r *reading) array() (any, error) {
	list := []any{}
	for r.d.PeekKind() != jsontext.KindEndArray {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := r.d.ReadToken()
	return list, err
}

var errMore = errors.New("something follows the first value")

// end reports whether nothing but space follows the value.
func (r *reading) end() error {
	switch _, err := r.d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errMore
}

// malformed is the refusal of a text that is no JSON.
func malformed(raw []byte, err error) *fault {
	at := &jsontext.SyntacticError{ByteOffset: int64(len(raw)), Err: err}
	errors.As(err, &at)
	d := detail{Pointer: string(at.JSONPointer), Code: codeMalformed}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.Message = "The body ends too early: send the whole JSON object."
	case !utf8.Valid(raw):
		d.Message = "The body holds bytes that are not UTF-8: send it encoded in UTF-8."
	case errors.Is(err, errMore):
		d.Message = "Something follows the first JSON value of the body: send one object."
	default:
		d.Message = fmt.Sprintf("The body is not JSON at byte %d: %v. Correct it there.", at.ByteOffset, at.Err)
	}
	return faulty([]detail{d})
}
