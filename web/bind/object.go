package bind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/placements"
)

// MaxFaults bounds the faults that are collected; the others of the same body are not told.
const MaxFaults = 100

// Options say how a body is read.
type Options struct {
	Strict bool // unknown members are faults
	Depth  int  // the most that objects and arrays may nest; 0: any depth
}

// Read reads raw as one JSON object of the members that of names. Faults are what is wrong with its values. The error is a
// *MalformedError when raw is not JSON in UTF-8, or has a name twice in one object: then variables may be filled in part.
func Read(raw []byte, opts Options, of func(*Object)) (Faults, error) {
	if opts.Depth > 0 && depth(raw) > opts.Depth {
		return Faults{{Message: fmt.Sprintf("nests deeper than %d levels: flatten it", opts.Depth)}}, nil
	}
	r := &reader{Options: opts, raw: raw, d: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	r.object(of)
	if r.err == nil {
		if _, err := r.d.ReadToken(); err == nil {
			r.err = errors.New("something follows the first value")
		} else if !errors.Is(err, io.EOF) {
			r.err = err
		}
	}
	if r.err != nil {
		return nil, malformed(r.err)
	}
	return r.faults, nil
}

// MalformedError is the error of a body that is not JSON. Pointer leads to the value that holds the fault, as far as it was read.
type MalformedError struct {
	Pointer, Message string
}

func (e *MalformedError) Error() string { return e.Message }

func malformed(err error) *MalformedError {
	var syntax *jsontext.SyntacticError
	if errors.Is(err, io.EOF) {
		return &MalformedError{Message: "it ends too early"}
	}
	if !errors.As(err, &syntax) {
		return &MalformedError{Message: err.Error()}
	}
	m := &MalformedError{Pointer: string(syntax.JSONPointer)}
	switch {
	case errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		m.Message = "it ends too early"
	case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		m.Message = "an object has this member twice"
	default:
		m.Message = fmt.Sprintf("at byte %d: %v", syntax.ByteOffset, syntax.Err)
	}
	return m
}

// reader is one pass over a body.
type reader struct {
	Options
	raw    []byte
	d      *jsontext.Decoder
	faults Faults
	err    error // that the body is not JSON
}

// fault notes what is wrong with the value that was read last.
func (r *reader) fault(format string, args ...any) { r.faultAt("", format, args...) }

// faultAt notes a fault some steps below the value that was read last.
func (r *reader) faultAt(below, format string, args ...any) {
	if len(r.faults) < MaxFaults {
		r.faults = append(r.faults, placements.Detail{Pointer: string(r.d.StackPointer()) + below, Message: fmt.Sprintf(format, args...)})
	}
}

// is reports whether the next value is of one of the kinds, by their first characters. One that is not is a fault, and skipped.
func (r *reader) is(kinds, want string) bool {
	kind := r.d.PeekKind()
	if kind == 0 {
		_, err := r.d.ReadToken() // finds what is wrong
		r.fail(err)
		return false
	}
	if strings.IndexByte(kinds, byte(kind)) >= 0 {
		return true
	}
	if r.skip() {
		r.fault("must be %s", want)
	}
	return false
}

func (r *reader) skip() bool { return r.fail(r.d.SkipValue()) }

// value reads the next value as it stands. It is valid until the next read.
func (r *reader) value() jsontext.Value {
	v, err := r.d.ReadValue()
	r.fail(err)
	return v
}

// token reads the next token. It is valid until the next read.
func (r *reader) token() jsontext.Token {
	t, err := r.d.ReadToken()
	r.fail(err)
	return t
}

// fail keeps the first error and reports whether there is none.
func (r *reader) fail(err error) bool {
	if r.err == nil && err != nil {
		r.err = err
	}
	return r.err == nil
}

// Object is one object of a body: the members that it may have.
type Object struct {
	r        *reader
	members  []member
	required []string
	open     bool
	seen     func(name string)
}

// member is one name that an object may have, and what reads its value; nil skips it.
type member struct {
	name string
	read func(*reader)
	sent bool // with a value other than null
}

// Required names members that must be there and not null.
func (o *Object) Required(names ...string) { o.required = append(o.required, names...) }

// Ignored names members that are known and never looked at, such as those that only answers have.
func (o *Object) Ignored(names ...string) {
	for _, name := range names {
		o.add(name, nil)
	}
}

// Open takes members of any other name, also in a strict request.
func (o *Object) Open() { o.open = true }

// Seen calls f for the name of each member that the object has, known or not.
func (o *Object) Seen(f func(name string)) { o.seen = f }

func (o *Object) add(name string, read func(*reader)) {
	o.members = append(o.members, member{name: name, read: read})
}

func (o *Object) member(name []byte) *member {
	for i := range o.members {
		if o.members[i].name == string(name) {
			return &o.members[i]
		}
	}
	return nil
}

// object reads one object; nil when the next value is none.
func (r *reader) object(of func(*Object)) *Object {
	if !r.is("{", "an object") {
		return nil
	}
	o := &Object{r: r, members: make([]member, 0, 16)}
	of(o)
	r.token()
	for r.err == nil && r.d.PeekKind() != '}' {
		o.readMember()
	}
	r.token()
	if r.err != nil {
		return nil
	}
	for _, name := range o.required {
		if m := o.member([]byte(name)); m == nil || !m.sent {
			r.faultAt("/"+escape(name), "is required")
		}
	}
	return o
}

// readMember reads a name and its value.
func (o *Object) readMember() {
	r := o.r
	name := r.token()
	if r.err != nil {
		return
	}
	text := name.String()
	if o.seen != nil {
		o.seen(text)
	}
	m := o.member([]byte(text))
	null := r.d.PeekKind() == 'n'
	switch {
	case m == nil:
		if r.skip() && !o.open && r.Strict {
			r.fault("is not a known key")
		}
	case m.read == nil:
		r.skip()
	default:
		m.sent = !null
		m.read(r)
	}
}

// escape writes a name as a step of a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// depth is how deep objects and arrays nest. It is found before the body is read, so that a hostile one costs one pass.
func depth(raw []byte) int {
	deepest, now, inString, escaped := 0, 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			now++
			deepest = max(deepest, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return deepest
}
