package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mooring/cmd/mooring/yaml"
)

// Shape is what a value of a file may be.
type Shape struct {
	kind    yaml.Kind
	or      yaml.Kind // another kind that is taken as well
	members []Member  // of a mapping; nil takes any keys
	of      *Shape    // of a list's items, or of the values of a mapping without members; nil takes any
	choices []string  // that a text is one of
	form    Form      // of a text
	max     int       // characters of a text; 0 is any
	from    int64     // the least of a number, which is whole
	scalar  bool      // besides a text it may be any number, or a truth value,
	listed  bool      // or a list of these
}

// Member is a key that a mapping may have.
type Member struct {
	name     string
	shape    Shape
	required bool
}

// Text is a text of at most that many characters; 0 is any.
func Text(max int) Shape { return Shape{kind: yaml.Text, max: max} }

// Scalar is a text of at most that many characters, a number, true or false.
func Scalar(max int) Shape { return Shape{kind: yaml.Text, max: max, scalar: true} }

// ScalarOrList is a Scalar or a list of them.
func ScalarOrList(max int) Shape {
	s := Scalar(max)
	s.listed = true
	return s
}

// Form is a form of texts.
type Form struct {
	Wrong   func(string) string // says what is wrong with a text, and what to do; empty for nothing. Nil: nothing is
	Pattern string              // a regular expression of ECMA-262 that every text of the form matches, and others may; empty: none
}

// Rule is a text of a form.
func Rule(form Form) Shape { return Shape{kind: yaml.Text, form: form} }

// Choice is one of some texts.
func Choice(choices ...string) Shape { return Shape{kind: yaml.Text, choices: choices} }

// Whole is a whole number, at least from.
func Whole(from int64) Shape { return Shape{kind: yaml.Number, from: from} }

// Truth is true or false.
func Truth() Shape { return Shape{kind: yaml.Truth} }

// List is a list of values of one shape.
func List(of Shape) Shape { return Shape{kind: yaml.List, of: &of} }

// Table is keys of any names with values of one shape.
func Table(of Shape) Shape { return Shape{kind: yaml.Mapping, of: &of} }

// Any is keys and values of any names and shapes.
func Any() Shape { return Shape{kind: yaml.Mapping} }

// Keys is a mapping of these members.
func Keys(members ...Member) Shape { return Shape{kind: yaml.Mapping, members: members} }

// May is a member that may be missing.
func May(name string, s Shape) Member { return Member{name: name, shape: s} }

// Must is a member that may not.
func Must(name string, s Shape) Member { return Member{name: name, shape: s, required: true} }

// OrText returns a shape that takes any text besides.
func (s Shape) OrText() Shape { return s.Or(Form{}) }

// Or returns a shape that takes texts of a form besides.
func (s Shape) Or(form Form) Shape { s.or, s.form = yaml.Text, form; return s }

// Order returns the order that a file of this shape is written in.
func (s Shape) Order() yaml.Order {
	o := yaml.Order{Under: map[string]yaml.Order{}}
	for _, m := range s.members {
		o.Keys = append(o.Keys, m.name)
		if under := m.shape; under.of != nil {
			o.Under[m.name] = under.of.Order()
		} else {
			o.Under[m.name] = under.Order()
		}
	}
	return o
}

// Check returns what is not of its shape, at n and below.
func (s Shape) Check(n *yaml.Node) []yaml.Fault {
	var c checker
	c.value(n, s)
	return c.faults
}

// checker collects faults.
type checker struct{ faults []yaml.Fault }

func (c *checker) fault(rule yaml.Rule, at yaml.Place, format string, args ...any) {
	c.faults = append(c.faults, yaml.Fault{Place: at, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) value(n *yaml.Node, s Shape) {
	if s.scalar && n.Kind != yaml.Text {
		c.scalar(n, s)
		return
	}
	if n.Kind != s.kind && (s.or == yaml.Null || n.Kind != s.or) {
		c.fault(yaml.RuleValue, n.Place, "expected %s, found %s%s", s.kind, n.Kind, remedy(n, s))
		return
	}
	switch n.Kind {
	case yaml.Text:
		c.text(n, s)
	case yaml.Number:
		if v, err := strconv.ParseInt(n.Text, 10, 64); err != nil || v < s.from {
			c.fault(yaml.RuleValue, n.Place, "%s is not a whole number from %d: write one", n.Text, s.from)
		}
	case yaml.List:
		for _, item := range n.Items {
			if s.of != nil {
				c.value(item, *s.of)
			}
		}
	case yaml.Mapping:
		c.keys(n, s)
	}
}

// scalar judges what is no text of a Scalar, or of a ScalarOrList.
func (c *checker) scalar(n *yaml.Node, s Shape) {
	switch {
	case n.Kind == yaml.List && s.listed:
		s.listed = false
		for _, item := range n.Items {
			c.value(item, s)
		}
	case n.Kind == yaml.Number:
		if _, err := strconv.ParseFloat(n.Text, 64); err != nil {
			c.fault(yaml.RuleValue, n.Place, "%s is no number that programs can read: write it in quotes", n.Text)
		}
	case n.Kind != yaml.Truth:
		c.fault(yaml.RuleValue, n.Place, "expected a text, a number, true or false, found %s: write one of them", n.Kind)
	}
}

// remedy ends a message about a value of the wrong kind.
func remedy(n *yaml.Node, s Shape) string {
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

func (c *checker) text(n *yaml.Node, s Shape) {
	switch length := utf8.RuneCountInString(n.Text); {
	case len(s.choices) > 0 && !slices.Contains(s.choices, n.Text):
		c.fault(yaml.RuleValue, n.Place, "%q is not known: write %s", n.Text, s.choose(n.Text))
	case s.max > 0 && length > s.max:
		c.fault(yaml.RuleValue, n.Place, "has %d characters, at most %d are allowed: shorten it", length, s.max)
	case s.form.Wrong != nil:
		if wrong := s.form.Wrong(n.Text); wrong != "" {
			c.fault(yaml.RuleValue, n.Place, "%s", wrong)
		}
	}
}

// choose says which of the choices a wrong one may mean, or which there are.
func (s Shape) choose(wrong string) string {
	if best, near := yaml.Nearest(wrong, s.choices); near {
		return best + " if you mean that"
	}
	return "one of " + strings.Join(s.choices, ", ")
}

func (c *checker) keys(n *yaml.Node, s Shape) {
	for _, p := range n.Pairs {
		i := slices.IndexFunc(s.members, func(m Member) bool { return m.name == p.Key.Text })
		switch {
		case i >= 0 && p.Value.Kind == yaml.Null && !s.members[i].required:
		case i >= 0:
			c.value(p.Value, s.members[i].shape)
		case s.of != nil:
			c.value(p.Value, *s.of)
		case s.members != nil:
			c.fault(yaml.RuleKey, p.Key.Place, "unknown key %q: %s", p.Key.Text, yaml.Suggestion(p.Key.Text, s.names()))
		}
	}
	for _, m := range s.members {
		if m.required && n.Get(m.name) == nil {
			c.fault(yaml.RuleKey, n.Place, "%s is missing: add it", m.name)
		}
	}
}

func (s Shape) names() []string {
	names := make([]string, len(s.members))
	for i, m := range s.members {
		names[i] = m.name
	}
	return names
}
