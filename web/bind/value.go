package bind

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/storage"
)

// null reads a null, if the next value is one.
func (r *reader) null() bool {
	if r.d.PeekKind() != 'n' {
		return false
	}
	r.token()
	return true
}

// optional names a member whose variable tells absent, null and a value apart.
func optional[T any](o *Object, name string, into *storage.Optional[T], read func(*reader) (T, bool)) {
	o.add(name, func(r *reader) {
		if r.null() {
			*into = storage.Null[T]()
			return
		}
		if v, ok := read(r); ok {
			*into = storage.Sent(v)
		}
	})
}

// Flag names a member that is true or false.
func (o *Object) Flag(name string, into *bool) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		if b, ok := r.flag(); ok {
			*into = b
		}
	})
}

// OptionalFlag is Flag for a variable that tells absent, null and a value apart.
func (o *Object) OptionalFlag(name string, into *storage.Optional[bool]) {
	optional(o, name, into, (*reader).flag)
}

func (r *reader) flag() (value, ok bool) {
	if !r.is("tf", "true or false") {
		return false, false
	}
	return r.token().Kind() == 't', true
}

// whole is a type of whole numbers that a variable may have.
type whole interface{ ~int | ~int64 }

// Whole names a member that is a whole number of at least least; 3.0 and 3e0 are none, as in most typed clients. A nil variable takes nothing.
func Whole[N whole](o *Object, name string, into *N, least int64) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		if n, ok := r.whole(least); ok && into != nil {
			*into = N(n)
		}
	})
}

// OptionalWhole is Whole for a variable that tells absent, null and a number apart.
func (o *Object) OptionalWhole(name string, into *storage.Optional[int64], least int64) {
	optional(o, name, into, func(r *reader) (int64, bool) { return r.whole(least) })
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

// JSON names a member that is an object, taken as canonical JSON: names sorted, no spaces, numbers as they were sent. of checks what is in it, names it
// does not know may be there too; nil checks nothing.
func (o *Object) JSON(name string, into *storage.Optional[json.RawMessage], of func(*Object)) {
	optional(o, name, into, func(r *reader) (json.RawMessage, bool) { return r.json(of) })
}

func (r *reader) json(of func(*Object)) (json.RawMessage, bool) {
	if !r.is("{", "an object") {
		return nil, false
	}
	faults, start := len(r.faults), int(r.d.InputOffset())
	if r.object(func(o *Object) {
		o.Open()
		if of != nil {
			of(o)
		}
	}) == nil || len(r.faults) > faults {
		return nil, false
	}
	text := jsontext.Value(r.raw[start:r.d.InputOffset()]).Clone()
	for len(text) > 0 && text[0] != '{' { // what stands between a name and its value
		text = text[1:]
	}
	err := text.Format(jsontext.ReorderRawObjects(true))
	return json.RawMessage(text), r.fail(err)
}

// Object names a member that is an object, whose members of names.
func (o *Object) Object(name string, of func(*Object)) {
	o.add(name, func(r *reader) {
		if !r.null() {
			r.object(of)
		}
	})
}

// Pointer names a member that is an object; its variable is nil unless one was sent.
func Pointer[T any](o *Object, name string, into **T, of func(*Object, *T)) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		v := new(T)
		if r.object(func(o *Object) { of(o, v) }) != nil {
			*into = v
		}
	})
}

// Optional names a member that is an object; its variable tells absent, null and an object apart.
func Optional[T any](o *Object, name string, into *storage.Optional[T], of func(*Object, *T)) {
	optional(o, name, into, func(r *reader) (v T, ok bool) {
		ok = r.object(func(o *Object) { of(o, &v) }) != nil
		return v, ok
	})
}

// Objects names a member that is an array of at most most objects. A nil variable takes nothing.
func Objects[T any](o *Object, name string, into *[]T, most int, of func(*Object, *T)) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		list := []T{}
		ok := r.array(0, most, func() {
			var v T
			r.object(func(o *Object) { of(o, &v) })
			list = append(list, v)
		})
		if ok && into != nil {
			*into = list
		}
	})
}

// Wholes names a member that is an array of least to most whole numbers.
func (o *Object) Wholes(name string, into *[]int64, least, most int) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		list := []int64{}
		ok := r.array(least, most, func() {
			n, _ := r.whole(minInt64)
			list = append(list, n)
		})
		if ok && into != nil {
			*into = list
		}
	})
}

const minInt64 = -1 << 63

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
	switch {
	case r.err != nil:
	case least == most && most > 0 && n != most:
		r.fault("must have %d elements", most)
	case most > 0 && n > most:
		r.fault("must have at most %d elements", most)
	case n < least:
		r.fault("must have at least %d elements", least)
	default:
		return true
	}
	return false
}
