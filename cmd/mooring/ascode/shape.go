package ascode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mooring/cmd/mooring/yaml"
)

// shape is what a value of a file may be.
type shape struct {
	kind    yaml.Kind
	or      yaml.Kind           // another kind that is taken as well
	members []member            // of a mapping; nil takes any keys
	of      *shape              // of a list's items, or of the values of a mapping without members; nil takes any
	choices []string            // that a text is one of
	rule    func(string) string // says what is wrong with a text, and what to do; empty for nothing
	max     int                 // characters of a text; 0 is any
	from    int64               // the least of a number, which is whole
}

// member is a key that a mapping may have.
type member struct {
	name     string
	shape    shape
	required bool
}

func text(max int) shape                   { return shape{kind: yaml.Text, max: max} }
func ruled(rule func(string) string) shape { return shape{kind: yaml.Text, rule: rule} }
func choice(choices ...string) shape       { return shape{kind: yaml.Text, choices: choices} }
func whole(from int64) shape               { return shape{kind: yaml.Number, from: from} }
func truth() shape                         { return shape{kind: yaml.Truth} }
func list(of shape) shape                  { return shape{kind: yaml.List, of: &of} }
func table(of shape) shape                 { return shape{kind: yaml.Mapping, of: &of} }
func anyKeys() shape                       { return shape{kind: yaml.Mapping} }
func keys(members ...member) shape         { return shape{kind: yaml.Mapping, members: members} }
func may(name string, s shape) member      { return member{name: name, shape: s} }
func must(name string, s shape) member     { return member{name: name, shape: s, required: true} }
func (s shape) orText() shape              { s.or = yaml.Text; return s }

// order returns the order that a file of this shape is written in.
func (s shape) order() yaml.Order {
	o := yaml.Order{Under: map[string]yaml.Order{}}
	for _, m := range s.members {
		o.Keys = append(o.Keys, m.name)
		if under := m.shape; under.of != nil {
			o.Under[m.name] = under.of.order()
		} else {
			o.Under[m.name] = under.order()
		}
	}
	return o
}

// fits reports every value below n that is not of its shape.
func (f *Faults) fits(n *yaml.Node, s shape) {
	if n.Kind != s.kind && (s.or == yaml.Null || n.Kind != s.or) {
		f.add(RuleValue, n.Place, "expected %s, found %s%s", s.kind, n.Kind, remedy(n, s))
		return
	}
	switch n.Kind {
	case yaml.Text:
		f.fitsText(n, s)
	case yaml.Number:
		if v, err := strconv.ParseInt(n.Text, 10, 64); err != nil || v < s.from {
			f.add(RuleValue, n.Place, "%s is not a whole number from %d: write one", n.Text, s.from)
		}
	case yaml.List:
		for _, item := range n.Items {
			if s.of != nil {
				f.fits(item, *s.of)
			}
		}
	case yaml.Mapping:
		f.fitsKeys(n, s)
	}
}

// remedy ends a message about a value of the wrong kind.
func remedy(n *yaml.Node, s shape) string {
	switch {
	case s.kind == yaml.Text && (n.Kind == yaml.Number || n.Kind == yaml.Truth):
		return fmt.Sprintf(": write it in quotes, %q", n.Text)
	case s.kind == yaml.List && n.Kind == yaml.Text:
		return fmt.Sprintf(": write it in brackets, [%s]", n.Text)
	case n.Kind == yaml.Null:
		return ": write a value"
	}
	return ": write it so"
}

func (f *Faults) fitsText(n *yaml.Node, s shape) {
	switch length := utf8.RuneCountInString(n.Text); {
	case len(s.choices) > 0 && !slices.Contains(s.choices, n.Text):
		f.add(RuleValue, n.Place, "%q is not known: write one of %s", n.Text, strings.Join(s.choices, ", "))
	case s.max > 0 && length > s.max:
		f.add(RuleValue, n.Place, "has %d characters, at most %d are allowed: shorten it", length, s.max)
	case s.rule != nil:
		if wrong := s.rule(n.Text); wrong != "" {
			f.add(RuleValue, n.Place, "%s", wrong)
		}
	}
}

func (f *Faults) fitsKeys(n *yaml.Node, s shape) {
	for _, p := range n.Pairs {
		i := slices.IndexFunc(s.members, func(m member) bool { return m.name == p.Key.Text })
		switch {
		case i >= 0 && p.Value.Kind == yaml.Null && !s.members[i].required:
		case i >= 0:
			f.fits(p.Value, s.members[i].shape)
		case s.of != nil:
			f.fits(p.Value, *s.of)
		case s.members != nil:
			f.add(RuleKey, p.Key.Place, "unknown key %q: %s", p.Key.Text, suggestion(p.Key.Text, s.names()))
		}
	}
	for _, m := range s.members {
		if m.required && n.Get(m.name) == nil {
			f.add(RuleKey, n.Place, "%s is missing: add it", m.name)
		}
	}
}

func (s shape) names() []string {
	names := make([]string, len(s.members))
	for i, m := range s.members {
		names[i] = m.name
	}
	return names
}

// suggestion says which of the known names a wrong one may mean, or which there are.
func suggestion(name string, known []string) string {
	best, least := "", 1+max(2, len(name)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	switch {
	case best != "":
		return "write " + best + " if you mean that"
	case len(known) == 0:
		return "there are none yet, add it first"
	}
	shown := slices.Sorted(slices.Values(known))
	return "known here are " + strings.Join(shown[:min(len(shown), 20)], ", ")
}

// distance is how many bytes have to be added, removed or replaced to make one text the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
