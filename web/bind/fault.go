package bind

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxFaults bounds the faults that are collected of one body.
const MaxFaults = 100

// The codes of faults, beside those of a Rule.
const (
	Invalid    = "invalid_request" // a type, range or length; what is required is missing
	UnknownKey = "unknown_key"
	Malformed  = "malformed_json"
)

// Fault is what is wrong with one value of a body: its JSON pointer (RFC 6901), a code for programs, and a message that is a sentence, or
// without a final stop a predicate of what Pointer names.
type Fault struct{ Pointer, Code, Message string }

// Faults are what is wrong with a body.
type Faults []Fault

// Join adds faults that rules found in the values that were read. A value with a fault counts as absent there, so what the rules say of it
// or of something in it is left out.
func (f *Faults) Join(found ...Fault) {
	shapes := *f
	for _, d := range found {
		if !slices.ContainsFunc(shapes, func(s Fault) bool { return within(d.Pointer, s.Pointer) }) {
			f.Add(d)
		}
	}
}

// Add adds a fault.
func (f *Faults) Add(d Fault) {
	if len(*f) < MaxFaults {
		*f = append(*f, d)
	}
}

// Sorted returns the faults by their pointers.
func (f Faults) Sorted() Faults {
	return slices.SortedStableFunc(slices.Values(f), func(a, b Fault) int { return cmp.Compare(a.Pointer, b.Pointer) })
}

// within reports whether a pointer leads to a value or to something in it.
func within(pointer, value string) bool {
	rest, ok := strings.CutPrefix(pointer, value)
	return ok && (rest == "" || rest[0] == '/')
}

// MalformedError is the error of a body that is not JSON, or has names twice: Faults is one fault, or those names.
type MalformedError struct{ Faults Faults }

func (e *MalformedError) Error() string { return e.Faults[0].Pointer + " " + e.Faults[0].Message }

var errMore = errors.New("something follows the first value")

// malformed returns what is wrong with a text that is not JSON.
func malformed(raw []byte, err error) *MalformedError {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		var twice Faults
		if twice, err = duplicates(raw); err == nil {
			return &MalformedError{twice}
		}
	}
	at := &jsontext.SyntacticError{ByteOffset: int64(len(raw)), Err: err}
	errors.As(err, &at)
	d := Fault{Pointer: string(at.JSONPointer), Code: Malformed}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		d.Message = "The body ends too early: send the whole JSON object."
	case !utf8.Valid(raw):
		d.Message = "The body holds bytes that are not UTF-8: send it encoded in UTF-8."
	case errors.Is(err, errMore):
		d.Message = "Something follows the first JSON value of the body: send one object."
	default:
		d.Message = fmt.Sprintf("The body is not JSON at byte %d: %v. Correct it there.", at.ByteOffset, at.Err)
	}
	return &MalformedError{Faults{d}}
}

// duplicates returns the members whose name their object has already. The error says why the text is not JSON otherwise.
func duplicates(raw []byte) (twice Faults, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	var seen []map[string]bool // the names of each open object, by its depth
	for depth := 1; depth > 0; {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		depth = d.StackDepth()
		for len(seen) <= depth {
			seen = append(seen, nil)
		}
		switch kind, length := d.StackIndex(depth); {
		case t.Kind() == '{':
			seen[depth] = map[string]bool{}
		case kind == '{' && length%2 == 1:
			name := t.String()
			if seen[depth][name] && len(twice) < MaxFaults { // a pointer may be long: it is made for faults only
				twice.Add(Fault{Pointer: string(d.StackPointer()), Code: Malformed, Message: "occurs twice in its object: send it once"})
			}
			seen[depth][name] = true
		}
	}
	if _, err := d.ReadToken(); err == nil {
		return nil, errMore
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return twice, nil
}
