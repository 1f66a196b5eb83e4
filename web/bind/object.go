package bind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/placements"
)

// BodyOptions say how a body is read.
type BodyOptions struct {
	Strict bool // unknown members are faults
	Depth  int  // the most that objects and arrays may nest; 0: any depth
}

// ErrTooDeep is the error of a body that nests deeper than Options.Depth.
var ErrTooDeep = errors.New("the body nests too deep")

// Read reads raw as one JSON object of the members that of names. Faults are what is wrong with its values. The error is ErrTooDeep, or a
// *placements.Error, CodeMalformed, when raw is not JSON in UTF-8, or has a name twice in one object: then variables may be filled in part.
func Read(raw []byte, opts BodyOptions, of func(*Object)) (Faults, error) {
	if opts.Depth > 0 && depth(raw) > opts.Depth {
		return nil, ErrTooDeep
	}
	r := readers.Get().(*reader)
	defer r.free()
	r.BodyOptions, r.raw = opts, raw
	r.source = *bytes.NewBuffer(raw)
	r.d.Reset(&r.source)
	r.object(of)
	if r.err == nil {
		r.end()
	}
	if r.err != nil {
		return nil, malformed(raw, r.err)
	}
	return r.faults, nil
}

// reader is one pass over a body.
type reader struct {
	BodyOptions
	raw    []byte
	source bytes.Buffer // of raw
	d      jsontext.Decoder
	faults Faults
	err    error // that the body is not JSON
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// free keeps what the decoder has allocated for the next body.
func (r *reader) free() {
	r.raw, r.source, r.faults, r.err = nil, bytes.Buffer{}, nil, nil
	r.d.Reset(&r.source)
	readers.Put(r)
}

// end checks that nothing but space follows the object.
func (r *reader) end() {
	switch _, err := r.d.ReadToken(); {
	case err == nil:
		r.err = errMore
	case !errors.Is(err, io.EOF):
		r.err = err
	}
}

// fault notes what is wrong with the value that was read last.
func (r *reader) fault(format string, args ...any) {
	r.faultAt("", placements.CodeInvalid, fmt.Sprintf(format, args...))
}

// faultAt notes a fault some steps below the value that was read last.
func (r *reader) faultAt(below string, code placements.Code, message string) {
	if len(r.faults) < placements.MaxDetails { // a pointer may be long: it is made for faults only
		r.faults.Add(placements.Detail{Pointer: string(r.d.StackPointer()) + below, Code: code, Message: message})
	}
}

// is reports whether the next value is of one of the kinds, by their first characters. One that is not is a fault, and skipped.
func (r *reader) is(kinds, want string) bool {
	kind := r.d.PeekKind()
	if kind == 0 {
		r.token() // finds what is wrong
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

// Object is one object of a body, at one of its members or at its end: what names a member reads it if the object stands there.
type Object struct {
	r        *reader
	name     string   // of the member; not meant unless reading
	reading  bool     // the member was not taken yet
	null     bool     // its value is
	open     bool     // any other member is fine
	ended    bool     // what is required must have been there
	required int      // names that Required was called with, since the function was called
	sent     uint64   // which of them the object has
	list     *listing // takes the names instead
	prefix   string   // of names in list
}

// at reports whether the object stands at the member of that name, which is then the caller's to read.
func (o *Object) at(name string) bool {
	if o.list != nil {
		o.list.add(o.prefix + name)
		return false
	}
	if !o.reading || o.name != name {
		return false
	}
	o.reading = false
	return true
}

// holds is at for a member that is not null.
func (o *Object) holds(name string) bool {
	if !o.at(name) {
		return false
	}
	if o.null {
		o.r.skip()
	}
	return !o.null
}

// Required names members, at most 64 in all, that must be there and not null.
func (o *Object) Required(names ...string) {
	for _, name := range names {
		bit := uint64(1) << o.required
		o.required++
		switch {
		case o.ended && o.sent&bit == 0:
			o.r.faultAt("/"+escape(name), placements.CodeInvalid, "is required: send it")
		case !o.ended && !o.null && o.name == name:
			o.sent |= bit
		}
	}
}

// Ignored names members that are known and never looked at, such as those that only answers have.
func (o *Object) Ignored(names ...string) {
	if o.list != nil && !o.list.ignored {
		return
	}
	for _, name := range names {
		if o.at(name) {
			o.r.skip()
		}
	}
}

// Refused names a member that is a fault in every request: who sends it means something that would not come about.
func (o *Object) Refused(name, message string) {
	if o.list == nil && o.at(name) && o.r.skip() { // no list has it
		o.r.fault("%s", message)
	}
}

// Open takes members of any other name, also in a strict request.
func (o *Object) Open() { o.open = true }

// Collect appends the name of each member that the object has to a variable.
func (o *Object) Collect(into *[]string) {
	if o.list == nil && !o.ended {
		*into = append(*into, o.name)
	}
}

// Seen sets a variable if the object has that member, null or not. The member itself is still to be named.
func (o *Object) Seen(name string, into *bool) {
	if o.list == nil && !o.ended && o.name == name {
		*into = true
	}
}

// object reads one object and reports whether the next value is one.
func (r *reader) object(of func(*Object)) bool {
	if !r.is("{", "an object") {
		return false
	}
	o := &Object{r: r}
	r.token()
	for r.err == nil && r.d.PeekKind() != '}' {
		o.member(of)
	}
	r.token()
	if r.err != nil {
		return false
	}
	o.ended, o.reading, o.required = true, false, 0
	of(o)
	return true
}

// member reads a name and its value.
func (o *Object) member(of func(*Object)) {
	name := o.r.token()
	if o.r.err != nil {
		return
	}
	o.name, o.reading, o.required = name.String(), true, 0
	o.null = o.r.d.PeekKind() == 'n'
	of(o)
	if o.reading && o.r.skip() && !o.open && o.r.Strict {
		o.r.faultAt("", placements.CodeUnknownKey, "is not a known key: correct its name, or leave it out")
	}
}

// Paths returns what the members that of names may say: their names, each once, but for ignored ones; those within an object or the objects
// of an array as "target/reportId".
func Paths(of func(*Object)) []string {
	l := listing{}
	of(&Object{list: &l})
	return l.paths
}

// Names returns the names of the members that of names, each once: with ignored ones, without those within.
func Names(of func(*Object)) []string {
	l := listing{ignored: true}
	of(&Object{list: &l})
	return slices.DeleteFunc(l.paths, func(path string) bool { return strings.Contains(path, "/") })
}

// listing collects the names of members instead of reading them.
type listing struct {
	ignored bool
	paths   []string
}

func (l *listing) add(path string) {
	if !slices.Contains(l.paths, path) {
		l.paths = append(l.paths, path)
	}
}

func (l *listing) addAll(prefix string, names []string) {
	for _, name := range names {
		l.add(prefix + name)
	}
}

// within lists the names in an object of that name, for Paths.
func (o *Object) within(name string, of func(*Object)) {
	if o.list != nil {
		of(&Object{list: o.list, prefix: o.prefix + name + "/"})
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
