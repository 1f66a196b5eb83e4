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

	"mooring/placements"
)

// Faults are what is wrong with a body.
type Faults []placements.Detail

// Join adds faults that rules found in the values that were read. A value with a fault counts as absent there, so what the rules say of it
// or of something in it is left out.
func (f *Faults) Join(found ...placements.Detail) {
	shapes := *f
	for _, d := range found {
		if !slices.ContainsFunc(shapes, func(s placements.Detail) bool { return within(d.Pointer, s.Pointer) }) {
			f.Add(d)
		}
	}
}

// Add adds a fault.
func (f *Faults) Add(d placements.Detail) {
	if len(*f) < placements.MaxDetails {
		*f = append(*f, d)
	}
}

// Sorted returns the faults by their pointers.
func (f Faults) Sorted() Faults {
	return slices.SortedStableFunc(slices.Values(f), func(a, b placements.Detail) int { return cmp.Compare(a.Pointer, b.Pointer) })
}

// within reports whether a pointer leads to a value or to something in it.
func within(pointer, value string) bool {
	rest, ok := strings.CutPrefix(pointer, value)
	return ok && (rest == "" || rest[0] == '/')
}

var errMore = errors.New("something follows the first value")

// malformed returns what is wrong with a text that is not JSON: one fault, or the names that occur twice.
func malformed(raw []byte, err error) *placements.Error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		var twice Faults
		if twice, err = duplicates(raw); err == nil {
			return placements.Faulty(twice...)
		}
	}
	at := &jsontext.SyntacticError{ByteOffset: int64(len(raw)), Err: err}
	errors.As(err, &at)
	d := placements.Detail{Pointer: string(at.JSONPointer), Code: placements.CodeMalformed}
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
	return placements.Faulty(d)
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
			if seen[depth][name] && len(twice) < placements.MaxDetails { // a pointer may be long: it is made for faults only
				const message = "occurs twice in its object: send it once"
				twice.Add(placements.Detail{Pointer: string(d.StackPointer()), Code: placements.CodeMalformed, Message: message})
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
