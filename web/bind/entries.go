package bind

import (
	"encoding/json"

	"mooring/placements"
)

// JSONKinds are the JSON values that a member may be, by their first characters, with words for them.
type JSONKinds struct {
	Begin, Words string
	Members      []string // of the objects among them
}

// Value names a member that is a JSON value of some kinds, which its variable reads by its UnmarshalJSON.
func Value[T any](o *Object, name string, into **T, kinds JSONKinds) {
	if !o.holds(name) {
		return
	}
	if v, ok := value[T](o.r, kinds); ok {
		*into = &v
	}
}

// ValueList names a member that is an array of JSON values of some kinds.
func ValueList[T any](o *Object, name string, into *[]T, kinds JSONKinds) {
	if !o.holds(name) {
		return
	}
	list := []T{}
	if o.r.array(0, 0, func() {
		v, _ := value[T](o.r, kinds)
		list = append(list, v)
	}) {
		*into = list
	}
}

// Values names a member that is an object of whatever names, at most most, whose values are of some kinds.
func Values[T any](o *Object, name string, into *map[string]T, most int, kinds JSONKinds) {
	o.within(name, func(o *Object) { o.within("*", func(o *Object) { o.list.addAll(o.prefix, kinds.Members) }) })
	if !o.holds(name) {
		return
	}
	all := map[string]T{}
	if entries(o.r, most, func(name string) {
		if v, ok := value[T](o.r, kinds); ok {
			all[name] = v
		}
	}) {
		*into = all
	}
}

// ObjectsByName names a member that is an object of whatever names, at most most, whose values are objects; its variable distinguishes absent,
// null and an object.
func ObjectsByName[T any](o *Object, name string, into *placements.Optional[map[string]T], most int, of func(*Object, *T)) {
	if o.at(name) {
		optional(o, into, func() (all map[string]T, ok bool) {
			all = map[string]T{}
			ok = entries(o.r, most, func(name string) {
				var v T
				if o.r.object(func(o *Object) { of(o, &v) }) {
					all[name] = v
				}
			})
			return all, ok
		})
	}
	if o.list != nil {
		o.within(name, func(o *Object) { o.within("*", func(o *Object) { of(o, new(T)) }) })
	}
}

// entries reads an object of whatever names and calls read for each, at its value; false when it is none, or has too many.
func entries(r *reader, most int, read func(name string)) bool {
	n := 0
	if !r.object(func(o *Object) {
		if o.ended || !o.reading {
			return
		}
		if n++; n <= most {
			o.reading = false
			read(o.name)
			return
		}
		o.Open() // skipped
	}) {
		return false
	}
	if n > most {
		r.fault("must have at most %d members", most)
	}
	return n <= most
}

// value reads a JSON value of some kinds.
func value[T any](r *reader, kinds JSONKinds) (v T, ok bool) {
	if !r.is(kinds.Begin, kinds.Words) {
		return v, false
	}
	text := r.value()
	if r.err != nil {
		return v, false
	}
	if err := json.Unmarshal(text, &v); err != nil {
		r.fault("%s", "must be "+kinds.Words)
		return v, false
	}
	return v, true
}

// Either names a member in one way where it is an array, and in another where it is none. Both ways name that member alone.
func (o *Object) Either(name string, array, other func(*Object)) {
	switch {
	case o.list != nil:
		array(o)
		other(o)
	case !o.reading || o.name != name:
	case o.r.d.PeekKind() == '[':
		array(o)
	default:
		other(o)
	}
}
