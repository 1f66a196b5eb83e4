package bind

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/placements"
)

// optional fills a variable that distinguishes absent, null and a value.
func optional[T any](o *Object, into *placements.Optional[T], read func() (T, bool)) {
	if o.null {
		o.r.skip()
		*into = placements.Null[T]()
		return
	}
	if v, ok := read(); ok {
		*into = placements.Sent(v)
	}
}

// Flag names a member that is true or false.
func (o *Object) Flag(name string, into *bool) {
	if !o.holds(name) {
		return
	}
	if b, ok := o.r.flag(); ok {
		*into = b
	}
}

// OptionalFlag is Flag for a variable that distinguishes absent, null and a value.
func (o *Object) OptionalFlag(name string, into *placements.Optional[bool]) {
	if o.at(name) {
		optional(o, into, o.r.flag)
	}
}

func (r *reader) flag() (value, ok bool) {
	if !r.is("tf", "true or false") {
		return false, false
	}
	return r.token().Kind() == 't', true
}

// AnyNumber is the least of whole numbers that have no bound.
const AnyNumber = math.MinInt64

// Whole names a member that is a whole number of at least least; 3.0 and 3e0 are none, as in most typed clients. A nil variable takes
// nothing.
func Whole[N ~int | ~int64](o *Object, name string, into *N, least int64) {
	if !o.holds(name) {
		return
	}
	if n, ok := o.r.whole(least); ok && into != nil {
		*into = N(n)
	}
}

// OptionalWhole is Whole for a variable that distinguishes absent, null and a number.
func (o *Object) OptionalWhole(name string, into *placements.Optional[int64], least int64) {
	if o.at(name) {
		optional(o, into, func() (int64, bool) { return o.r.whole(least) })
	}
}

func (r *reader) whole(least int64) (int64, bool) {
	if !r.is("0", "an integer") {
		return 0, false
	}
	n, err := strconv.ParseInt(string(r.value()), 10, 64)
	switch {
	case err != nil:
		r.fault("must be an integer")
	case n < least:
		r.fault("must be at least %d", least)
	default:
		return n, true
	}
	return 0, false
}

// JSON names a member that is an object, taken as canonical JSON: names sorted, no spaces, numbers as they were sent. of names
// what is in it; that may be Object.Open alone. A number that no double holds is a fault: most clients could not read what it is shown in.
func (o *Object) JSON(name string, into *placements.Optional[json.RawMessage], of func(*Object)) {
	if o.at(name) {
		optional(o, into, func() (json.RawMessage, bool) { return o.r.json(of) })
	}
	o.within(name, of)
}

func (r *reader) json(of func(*Object)) (json.RawMessage, bool) {
	if !r.is("{", "an object") {
		return nil, false
	}
	start := int(r.d.InputOffset())
	if !r.object(of) {
		return nil, false
	}
	text := jsontext.Value(r.raw[start:r.d.InputOffset()]).Clone()
	for len(text) > 0 && text[0] != '{' { // what stands between a name and its value
		text = text[1:]
	}
	if pointer := largeNumber(text); pointer != "" {
		r.faultAt(pointer, placements.CodeInvalid, "is a number beyond 1.8e308, which most programs cannot read: send it as text")
	}
	err := text.Format(jsontext.ReorderRawObjects(true))
	return json.RawMessage(text), r.fail(err)
}

// largeNumber points to the first number in a JSON text that no double holds; empty: none.
func largeNumber(text []byte) string {
	if !mayBeLarge(text) {
		return ""
	}
	for d := jsontext.NewDecoder(bytes.NewReader(text)); ; {
		t, err := d.ReadToken()
		if err != nil {
			return "" // the end: it was read before
		}
		if t.Kind() != '0' {
			continue
		}
		if _, err := strconv.ParseFloat(t.String(), 64); err != nil {
			return string(d.StackPointer())
		}
	}
}

// mayBeLarge reports whether something in a text looks like a number with an exponent, or of more digits than doubles have.
func mayBeLarge(text []byte) bool {
	const most = 308
	digits := 0
	for _, b := range text {
		switch {
		case '0' <= b && b <= '9':
			digits++
		case digits > 0 && (b == 'e' || b == 'E'):
			return true
		default:
			digits = 0
		}
		if digits > most {
			return true
		}
	}
	return false
}

// Object names a member that is an object, whose members of names.
func (o *Object) Object(name string, of func(*Object)) {
	if o.holds(name) {
		o.r.object(of)
	}
	o.within(name, of)
}

// OpenObject names a member that is an object of whatever members.
func (o *Object) OpenObject(name string) {
	if o.holds(name) {
		o.r.object((*Object).Open)
	}
}

// Pointer names a member that is an object; its variable is nil unless one was sent.
func Pointer[T any](o *Object, name string, into **T, of func(*Object, *T)) {
	if o.holds(name) {
		v := new(T)
		if o.r.object(func(o *Object) { of(o, v) }) {
			*into = v
		}
	}
	listed(o, name, of)
}

// Optional names a member that is an object; its variable distinguishes absent, null and an object.
func Optional[T any](o *Object, name string, into *placements.Optional[T], of func(*Object, *T)) {
	if o.at(name) {
		optional(o, into, func() (v T, ok bool) {
			ok = o.r.object(func(o *Object) { of(o, &v) })
			return v, ok
		})
	}
	listed(o, name, of)
}

// Objects names a member that is an array of at most most objects, 0 for any number. A nil variable takes nothing.
func Objects[T any](o *Object, name string, into *[]T, most int, of func(*Object, *T)) {
	if o.holds(name) {
		if list, ok := objects(o.r, most, of); ok && into != nil {
			*into = list
		}
	}
	listed(o, name, of)
}

// OptionalObjects is Objects for a variable that distinguishes absent, null and an array.
func OptionalObjects[T any](o *Object, name string, into *placements.Optional[[]T], most int, of func(*Object, *T)) {
	if o.at(name) {
		optional(o, into, func() ([]T, bool) { return objects(o.r, most, of) })
	}
	listed(o, name, of)
}

func objects[T any](r *reader, most int, of func(*Object, *T)) (list []T, ok bool) {
	var zero, v T
	list = []T{}
	element := func(o *Object) { of(o, &v) }
	ok = r.array(0, most, func() {
		v = zero
		r.object(element)
		list = append(list, v)
	})
	return list, ok
}

// listed is within for an object with a variable.
func listed[T any](o *Object, name string, of func(*Object, *T)) {
	if o.list != nil {
		o.within(name, func(o *Object) { of(o, new(T)) })
	}
}

// Wholes names a member that is an array of least to most whole numbers, which are only checked.
func (o *Object) Wholes(name string, least, most int) {
	if o.holds(name) {
		o.r.array(least, most, func() { o.r.whole(AnyNumber) })
	}
}

// WholeList names a member that is an array of least to most whole numbers of at least low.
func (o *Object) WholeList(name string, into *[]int64, least, most int, low int64) {
	if !o.holds(name) {
		return
	}
	list := []int64{}
	sound := true
	if o.r.array(least, most, func() {
		n, ok := o.r.whole(low)
		list, sound = append(list, n), sound && ok
	}) && sound {
		*into = list
	}
}

// array reads an array and calls read for each element; false when it is none, or has too few or too many.
func (r *reader) array(least, most int, read func()) bool {
	if !r.is("[", "an array") {
		return false
	}
	n := 0
	for r.token(); r.err == nil && r.d.PeekKind() != ']'; n++ {
		if most > 0 && n >= most {
			r.skip()
			continue
		}
		read()
	}
	r.token()
	if r.err != nil {
		return false
	}
	said := ""
	switch {
	case least == most && most > 0 && n != most:
		said = "must have %d elements"
	case most > 0 && n > most:
		said = "must have at most %d elements"
	case n < least:
		said, most = "must have at least %d elements", least
	default:
		return true
	}
	r.fault(said, most)
	return false
}
