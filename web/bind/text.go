package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mooring/placements"
)

// AnyLength is the bound of texts that have none.
const AnyLength = 0

// Rule is what a text must be beside short enough: it returns what is wrong with one, an empty message when nothing is. An empty code is
// CodeInvalid.
type Rule func(text string) (code placements.Code, message string)

// Filled takes texts that are not empty.
func Filled(text string) (code placements.Code, message string) {
	if text == "" {
		return "", "must not be empty"
	}
	return "", ""
}

// Text names a member that is a text of at most most characters, or AnyLength. A nil variable takes nothing.
func Text[S ~string](o *Object, name string, into *S, most int, rules ...Rule) {
	if !o.holds(name) {
		return
	}
	if text, ok := o.r.text(most, rules); ok && into != nil {
		*into = S(text)
	}
}

// OptionalText is Text for a variable that distinguishes absent, null and a text.
func OptionalText[S ~string](o *Object, name string, into *placements.Optional[S], most int, rules ...Rule) {
	if o.at(name) {
		optional(o, into, func() (S, bool) { text, ok := o.r.text(most, rules); return S(text), ok })
	}
}

// Choice names a member that is one of the texts.
func Choice[S ~string](o *Object, name string, into *S, from []S) {
	if !o.holds(name) {
		return
	}
	if text, ok := choice(o.r, from); ok {
		*into = text
	}
}

// OptionalChoice is Choice for a variable that distinguishes absent, null and a text.
func OptionalChoice[S ~string](o *Object, name string, into *placements.Optional[S], from []S) {
	if o.at(name) {
		optional(o, into, func() (S, bool) { return choice(o.r, from) })
	}
}

func choice[S ~string](r *reader, from []S) (S, bool) {
	var text S
	if r.d.PeekKind() == '"' {
		text = S(r.token().String())
		if slices.Contains(from, text) {
			return text, true
		}
	} else if !r.skip() {
		return "", false
	}
	names := make([]string, len(from))
	for i, name := range from {
		names[i] = string(name)
	}
	r.fault("must be one of %s", strings.Join(names, ", "))
	return "", false
}

// Texts names members that are texts that are only checked.
func (o *Object) Texts(most int, names ...string) {
	for _, name := range names {
		Text[string](o, name, nil, most)
	}
}

// List names a member that is an array of least to most texts of at most length characters, each within the rules.
func (o *Object) List(name string, into *[]string, least, most, length int, rules ...Rule) {
	if !o.holds(name) {
		return
	}
	if list, ok := o.r.texts(least, most, length, rules); ok {
		*into = list
	}
}

// DistinctList is List for a variable that distinguishes absent and null; the texts differ from each other.
func (o *Object) DistinctList(name string, into *placements.Optional[[]string], least, most, length int, rules ...Rule) {
	if o.at(name) {
		optional(o, into, func() ([]string, bool) {
			list, ok := o.r.texts(least, most, length, rules)
			return list, ok && o.r.distinct(list)
		})
	}
}

// distinct reports whether the texts of an array differ from each other. One that does not is a fault.
func (r *reader) distinct(list []string) (ok bool) {
	ok = true
	for i, text := range list {
		if first := slices.Index(list, text); first < i {
			r.faultAt(fmt.Sprintf("/%d", i), placements.CodeInvalid, fmt.Sprintf("is element %d once more: send it once", first))
			ok = false
		}
	}
	return ok
}

// TextOrList names a member that is one text or an array of at most most of them; one is set if it was one text.
func (o *Object) TextOrList(name string, into *placements.Optional[[]string], one *bool, most, length int) {
	if !o.at(name) {
		return
	}
	optional(o, into, func() ([]string, bool) {
		if *one = o.r.d.PeekKind() == '"'; *one {
			text, ok := o.r.text(length, nil)
			return []string{text}, ok
		}
		return o.r.texts(0, most, length, nil)
	})
}

// WholeOrText names a member that is a whole number of at least least, or a text of at most length characters within the rules; the other
// variable stays nil.
func (o *Object) WholeOrText(name string, number **int64, text **string, least int64, length int, rules ...Rule) {
	switch {
	case !o.holds(name):
	case o.r.d.PeekKind() == '"':
		if t, ok := o.r.text(length, rules); ok {
			*text = &t
		}
	case o.r.is("0", "an integer or a string"):
		if n, ok := o.r.whole(least); ok {
			*number = &n
		}
	}
}

func (r *reader) text(most int, rules []Rule) (string, bool) {
	if !r.is(`"`, "a string") {
		return "", false
	}
	text := r.token().String()
	if most != AnyLength && len(text) > most && utf8.RuneCountInString(text) > most {
		r.fault("must have at most %d characters", most)
		return "", false
	}
	for _, rule := range rules {
		if code, message := rule(text); message != "" {
			r.faultAt("", cmp.Or(code, placements.CodeInvalid), message)
			return "", false
		}
	}
	return text, true
}

// texts reads an array of texts. It is not nil when ok.
func (r *reader) texts(least, most, length int, rules []Rule) (list []string, ok bool) {
	list, ok = []string{}, true
	sound := r.array(least, most, func() {
		text, fine := r.text(length, rules)
		list, ok = append(list, text), ok && fine
	})
	return list, ok && sound
}
