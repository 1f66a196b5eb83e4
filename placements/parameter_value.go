package placements

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Scalar is a single value of a parameter: a text, a number or a truth value; a date is a text. Two are the same exactly if they are equal.
// The zero value is none.
type Scalar struct {
	kind   scalarKind
	text   string
	number float64
}

type scalarKind uint8

const (
	scalarText scalarKind = iota + 1
	scalarNumber
	scalarBoolean
)

// TextScalar is a text, or a date as 2026-01-31.
func TextScalar(text string) Scalar { return Scalar{kind: scalarText, text: text} }

// NumberScalar is a finite number.
func NumberScalar(n float64) Scalar {
	if n == 0 {
		n = 0 // not -0, which is written otherwise
	}
	return Scalar{kind: scalarNumber, number: n}
}

// BooleanScalar is a truth value.
func BooleanScalar(is bool) Scalar {
	s := Scalar{kind: scalarBoolean}
	if is {
		s.number = 1
	}
	return s
}

// Equal reports whether both are the same.
func (v Scalar) Equal(other Scalar) bool { return v == other }

// IsText reports whether v is a text, or a date.
func (v Scalar) IsText() bool { return v.kind == scalarText }

// Number returns a number; ok is false for what is none.
func (v Scalar) Number() (n float64, ok bool) { return v.number, v.kind == scalarNumber }

// readsAsNumber reports whether v is a text that would be a number in JSON without its quotes.
func (v Scalar) readsAsNumber() bool {
	_, err := strconv.ParseFloat(v.text, 64)
	return v.kind == scalarText && err == nil && json.Valid([]byte(v.text))
}

// Boolean returns a truth value; ok is false for what is none.
func (v Scalar) Boolean() (is, ok bool) { return v.number == 1, v.kind == scalarBoolean }

// Text is v in words: a number as its shortest decimal, a truth value as true or false.
func (v Scalar) Text() string {
	switch v.kind {
	case scalarNumber:
		return strconv.FormatFloat(v.number, 'f', -1, 64)
	case scalarBoolean:
		return strconv.FormatBool(v.number == 1)
	}
	return v.text
}

// MarshalJSON implements json.Marshaler.
func (v Scalar) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case scalarText:
		return encodePlain(v.text)
	case scalarNumber:
		return json.Marshal(v.number)
	case scalarBoolean:
		return []byte(v.Text()), nil
	}
	return []byte("null"), nil
}

// encodePlain is json.Marshal that leaves <, > and & as they are.
func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// errNoScalar: the JSON is of another kind.
var errNoScalar = errors.New("is neither a text nor a number nor true nor false")

// UnmarshalJSON implements json.Unmarshaler.
func (v *Scalar) UnmarshalJSON(text []byte) error {
	var any any
	if err := json.Unmarshal(text, &any); err != nil {
		return err
	}
	switch is := any.(type) {
	case string:
		*v = TextScalar(is)
	case float64:
		*v = NumberScalar(is)
	case bool:
		*v = BooleanScalar(is)
	default:
		return errNoScalar
	}
	return nil
}

// ParameterValue is the value of a parameter: a Scalar, or a list of them. Its JSON is the scalar's, or an array.
type ParameterValue struct {
	one  Scalar
	list []Scalar // nil: one
}

// OneValue is a single value.
func OneValue(v Scalar) ParameterValue { return ParameterValue{one: v} }

// ListValue is a list, perhaps of nothing.
func ListValue(list ...Scalar) ParameterValue {
	return ParameterValue{list: append(make([]Scalar, 0, len(list)), list...)}
}

// IsList reports whether v is a list.
func (v ParameterValue) IsList() bool { return v.list != nil }

// Scalars are the values of a list, or the single one. They must not be changed.
func (v ParameterValue) Scalars() []Scalar {
	if v.list != nil {
		return v.list
	}
	return []Scalar{v.one}
}

// Equal reports whether both are the same.
func (v ParameterValue) Equal(other ParameterValue) bool {
	return v.IsList() == other.IsList() && slices.Equal(v.Scalars(), other.Scalars())
}

// MarshalJSON implements json.Marshaler.
func (v ParameterValue) MarshalJSON() ([]byte, error) {
	if v.list != nil {
		return encodePlain(v.list)
	}
	return v.one.MarshalJSON()
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *ParameterValue) UnmarshalJSON(text []byte) error {
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		list := []Scalar{}
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		*v = ParameterValue{list: list}
		return nil
	}
	*v = ParameterValue{}
	return v.one.UnmarshalJSON(text)
}

// longKey is how long the JSON of a value is of which the key is a digest.
const longKey = 100

// Key is a short text that two values have in common exactly if they are equal.
func (v ParameterValue) Key() string {
	text, _ := v.MarshalJSON() // texts, numbers and truth values always encode
	if len(text) < longKey {
		return string(text)
	}
	sum := sha256.Sum256(text)
	return "#" + hex.EncodeToString(sum[:])
}

// isDate reports whether a text is a day as 2026-01-31, from the year 1 on.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil && text >= "0001"
}

// The serial day numbers of spreadsheets.
const (
	firstSerial   = 61        // 1900-03-01: before it spreadsheets disagree
	lastSerial    = 2_958_465 // 9999-12-31
	serials1904   = 1_462     // by which those of books that count from 1904 lie behind
	unixEpochDays = 25_569
)

// dateOfSerial is the day of a serial number as spreadsheets have it, which must be whole.
func dateOfSerial(n float64, from1904 bool) (string, error) {
	if from1904 {
		n += serials1904
	}
	switch {
	case n != math.Trunc(n):
		return "", errors.New("has a time of day, where a date is wanted")
	case n < firstSerial || n > lastSerial:
		return "", fmt.Errorf("holds no date between %s and %s", dayOf(firstSerial), dayOf(lastSerial))
	}
	return dayOf(int64(n)), nil
}

func dayOf(serial int64) string {
	return time.Unix((serial-unixEpochDays)*86_400, 0).UTC().Format(time.DateOnly)
}
