package bind

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mooring/storage"
)

// AnyLength is the bound of texts that have none.
const AnyLength = 0

// Rule is what a text must be beside short enough: it returns what is wrong with one, empty when nothing is.
type Rule func(text string) string

// OneOf takes one of the names.
func OneOf(names ...string) Rule {
	says := "must be one of " + strings.Join(names, ", ")
	return func(text string) string {
		if slices.Contains(names, text) {
			return ""
		}
		return says
	}
}

// Matching takes texts of the pattern; says completes "must be …".
func Matching(pattern *regexp.Regexp, says string) Rule {
	return func(text string) string {
		if pattern.MatchString(text) {
			return ""
		}
		return "must be " + says
	}
}

// Filled takes texts that are not empty.
func Filled(text string) string {
	if text == "" {
		return "must not be empty"
	}
	return ""
}

// Text names a member that is a text of at most most characters, or AnyLength. A nil variable takes nothing.
func (o *Object) Text(name string, into *string, most int, rules ...Rule) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		if text, ok := r.text(most, rules); ok && into != nil {
			*into = text
		}
	})
}

// OptionalText is Text for a variable that tells absent, null and a text apart.
func (o *Object) OptionalText(name string, into *storage.Optional[string], most int, rules ...Rule) {
	optional(o, name, into, func(r *reader) (string, bool) { return r.text(most, rules) })
}

// Texts names a member that is an array of least to most texts of at most length characters, each within the rules.
func (o *Object) Texts(name string, into *[]string, least, most, length int, rules ...Rule) {
	o.add(name, func(r *reader) {
		if r.null() {
			return
		}
		if list, ok := r.texts(least, most, length, rules); ok {
			*into = list
		}
	})
}

// DistinctTexts is Texts for a variable that tells absent and null apart; the texts differ from each other.
func (o *Object) DistinctTexts(name string, into *storage.Optional[[]string], least, most, length int, rules ...Rule) {
	optional(o, name, into, func(r *reader) ([]string, bool) {
		list, ok := r.texts(least, most, length, rules)
		if !ok {
			return nil, false
		}
		for i, text := range list {
			if first := slices.Index(list, text); first < i {
				r.faultAt(fmt.Sprintf("/%d", i), "is element %d once more", first)
				ok = false
			}
		}
		return list, ok
	})
}

// TextOrTexts names a member that is one text or an array of at most most of them.
func (o *Object) TextOrTexts(name string, into *storage.Optional[[]string], most, length int) {
	optional(o, name, into, func(r *reader) ([]string, bool) {
		if r.d.PeekKind() == '"' {
			text, ok := r.text(length, nil)
			return []string{text}, ok
		}
		return r.texts(0, most, length, nil)
	})
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
		if says := rule(text); says != "" {
			r.fault("%s", says)
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
