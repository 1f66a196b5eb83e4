package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mooring/placements"
)

// shape checks one JSON value, as decoded with numbers kept as json.Number, and notes every fault in k.
type shape func(k *check, v any)

// member is one key of an object in a request body. A key sent as null clears it, so null passes unless required.
type member struct {
	name     string
	shape    shape
	required bool
}

// check is one pass over a body. It collects all faults, each with the JSON pointer of the value at fault.
type check struct {
	strict  bool // Prefer: handling=strict: unknown keys are faults
	path    []string
	details []detail
}

// fault notes what is wrong with the value that the check stands at.
func (k *check) fault(format string, args ...any) { k.at(nil, codeInvalid, format, args...) }

// enter goes one step deeper, leave back.
func (k *check) enter(step string) { k.path = append(k.path, step) }

func (k *check) leave() { k.path = k.path[:len(k.path)-1] }

// at notes a fault some steps deeper.
func (k *check) at(steps []string, code Code, format string, args ...any) {
	k.add(detail{Pointer: pointer(k.path) + pointer(steps), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (k *check) add(d detail) {
	if len(k.details) < maxDetails {
		k.details = append(k.details, d)
	}
}

// err is the answer to a body with faults, nil for one without.
func (k *check) err() error {
	if len(k.details) == 0 {
		return nil
	}
	return faulty(k.details)
}

// faults are the faults found so far, as they are told.
func (k *check) faults() []detail { return ordered(k.details) }

// along is err for a body that placements has rules for too, whose error is a *placements.InvalidError: beside the faults of its shape, it tells in the
// same answer those that the rules find. It is nil for a body of the right shape, which is storage's to judge.
func (k *check) along(rules func() error) error {
	if len(k.details) > 0 {
		k.placed(rules())
	}
	return k.err()
}

// placed adds what the rules of placements have found: an *placements.InvalidError, or nil.
func (k *check) placed(err error) {
	if invalid, ok := errors.AsType[*placements.InvalidError](err); ok {
		k.join(addressDetails(invalid))
	}
}

// join adds faults that rules have found in values of whatever shape. A value of the wrong shape counts as not sent there, so what the
// rules say of it or within it is left out.
func (k *check) join(found []detail) {
	shapes := k.details
	for _, d := range found {
		if !slices.ContainsFunc(shapes, func(s detail) bool { return within(d.Pointer, s.Pointer) }) {
			k.add(d)
		}
	}
}

// within tells whether a JSON pointer leads to a value or to something in it.
func within(pointer, value string) bool {
	rest, ok := strings.CutPrefix(pointer, value)
	return ok && (rest == "" || rest[0] == '/')
}

// pointer renders a path as a JSON pointer (RFC 6901).
func pointer(path []string) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// object takes an object of these members. Other keys are ignored, or faults when the request is strict.
func object(members ...member) shape { return objectOf(false, members) }

// openObject takes an object of these members and any others.
func openObject(members ...member) shape { return objectOf(true, members) }

func objectOf(open bool, members []member) shape {
	byName := make(map[string]member, len(members))
	for _, m := range members {
		byName[m.name] = m
	}
	return func(k *check, v any) {
		o, ok := v.(map[string]any)
		if !ok {
			k.fault("must be an object")
			return
		}
		for _, m := range members {
			if m.required && o[m.name] == nil {
				k.at([]string{m.name}, codeInvalid, "is required: send it")
			}
		}
		for name, v := range o {
			m, known := byName[name]
			switch {
			case known && m.shape != nil && v != nil:
				k.enter(name)
				m.shape(k, v)
				k.leave()
			case !known && !open && k.strict:
				k.at([]string{name}, codeUnknownKey, "is not a known key: correct its name, or leave it out")
			}
		}
	}
}

// ignored are keys that occur in responses only: known, never looked at.
func ignored(names ...string) []member {
	members := make([]member, len(names))
	for i, name := range names {
		members[i] = member{name: name}
	}
	return members
}

// ignoredOf are the members of those, but for some, as keys that are never looked at: of the object that was read to change a part of it.
func ignoredOf(members []member, but ...string) []member {
	var list []member
	for _, m := range members {
		if !slices.Contains(but, m.name) {
			list = append(list, member{name: m.name})
		}
	}
	return list
}

// text takes a string of at most most characters.
func text(most int) shape {
	return func(k *check, v any) {
		s, ok := v.(string)
		if !ok {
			k.fault("must be a string")
		} else if len(s) > most && utf8.RuneCountInString(s) > most {
			k.fault("must have at most %d characters", most)
		}
	}
}

// filled takes a string of 1 to most characters.
func filled(most int) shape {
	return func(k *check, v any) {
		if v == "" {
			k.fault("must not be empty")
			return
		}
		text(most)(k, v)
	}
}

// matching takes a string of the pattern; says completes "must be …".
func matching(pattern *regexp.Regexp, says string) shape {
	return func(k *check, v any) {
		if s, ok := v.(string); !ok || !pattern.MatchString(s) {
			k.fault("must be %s", says)
		}
	}
}

// oneOf takes one of the strings.
func oneOf(names ...string) shape {
	return func(k *check, v any) {
		if s, ok := v.(string); !ok || !slices.Contains(names, s) {
			k.fault("must be one of %s", strings.Join(names, ", "))
		}
	}
}

// boolean takes true or false.
func boolean(k *check, v any) {
	if _, ok := v.(bool); !ok {
		k.fault("must be true or false")
	}
}

// integer takes a whole number from least on.
func integer(least int64) shape {
	return func(k *check, v any) {
		n, ok := whole(v)
		if !ok {
			k.fault("must be an integer")
		} else if n < least {
			k.fault("must be at least %d", least)
		}
	}
}

// whole reads an integer; 3.0 and 3e0 are none, as in most typed clients.
func whole(v any) (int64, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(number), 10, 64)
	return n, err == nil
}

// list takes an array of at most most elements, each of that shape.
func list(of shape, most int) shape { return sized(of, 0, most) }

// sized takes an array of least to most elements, each of that shape.
func sized(of shape, least, most int) shape {
	return func(k *check, v any) {
		elements, ok := v.([]any)
		switch {
		case !ok:
			k.fault("must be an array")
			return
		case least == most && len(elements) != most:
			k.fault("must have %d elements", most)
			return
		case len(elements) > most:
			k.fault("must have at most %d elements", most)
			return
		case len(elements) < least:
			k.fault("must have at least %d elements", least)
			return
		}
		for i, e := range elements {
			k.enter(strconv.Itoa(i))
			of(k, e)
			k.leave()
		}
	}
}

// distinct takes what of takes, an array whose strings are all different.
func distinct(of shape) shape {
	return func(k *check, v any) {
		of(k, v)
		elements, _ := v.([]any)
		seen := map[string]int{}
		for i, e := range elements {
			s, ok := e.(string)
			if !ok {
				continue
			}
			if first, twice := seen[s]; twice {
				k.at([]string{strconv.Itoa(i)}, codeInvalid, "is element %d once more: send it once", first)
				continue
			}
			seen[s] = i
		}
	}
}
