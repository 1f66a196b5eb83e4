package yaml

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Place is where something stands. Line and Column count from 1, columns in characters; line 0 stands for the file as a whole.
type Place struct {
	File   string
	Line   int
	Column int
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders places by file, line and column.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.File, other.File), cmp.Compare(p.Line, other.Line), cmp.Compare(p.Column, other.Column))
}

func (p Place) before(other Place) bool { return p.Compare(other) < 0 }

// Rule names what a fault breaks, for tools that sort faults.
type Rule string

// The rules of any file.
const (
	RuleYAML  Rule = "yaml"  // text that is not YAML, or YAML that is not read
	RuleKey   Rule = "key"   // an unknown key, or one that is missing
	RuleValue Rule = "value" // a value of a wrong type or form
)

// Fault is one thing wrong at one place: the message says what, and what to do.
type Fault struct {
	Place   Place
	Rule    Rule
	Message string
}

func (f Fault) String() string { return f.Place.String() + ": " + f.Message }

// Kind is what a value is.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Text
	Number
	Truth
	List
	Mapping
)

// String names the kind for people.
func (k Kind) String() string {
	return [...]string{"nothing", "text", "a number", "true or false", "a list", "keys and values"}[k]
}

// Node is a value with its place.
type Node struct {
	Kind  Kind
	Place Place
	Text  string  // of a scalar: a number and a truth value as JSON writes them
	Pairs []Pair  // of a mapping
	Items []*Node // of a list

	origin  string // of a scalar: its text as the file writes it, without quotes and breaks
	absent  bool   // a null that stands nowhere: a key without a value
	body    Place  // of a text whose lines stand in the file as they are: where the first begins
	start   Place  // of the anchor, alias or tag; line 0: it has none
	alias   bool   // it stands for another node, whose values it has
	refusal string // why it is not plain; empty for what is
}

// Start returns where the node begins: at its anchor or tag, or at the alias that stands for it. Place is where its value is.
func (n *Node) Start() Place {
	if n.start.Line > 0 {
		return n.start
	}
	return n.Place
}

// Written returns a scalar as the file writes it, but for quotes: a number may be 0x10.
func (n *Node) Written() string {
	if n.Kind == Text {
		return n.Text
	}
	return n.origin
}

// Texts returns every text value at n and below, also those of anchors and of merged mappings, but no keys. A text that an alias stands for is
// there once more, those of a mapping or list that one stands for are not.
func (n *Node) Texts() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.texts(yield) }
}

func (n *Node) texts(yield func(*Node) bool) bool {
	switch {
	case n == nil || n.alias && n.Kind != Text:
		return true
	case n.Kind == Text:
		return yield(n)
	}
	for _, item := range n.Items {
		if !item.texts(yield) {
			return false
		}
	}
	for _, p := range n.Pairs {
		if !p.Value.texts(yield) {
			return false
		}
	}
	return true
}

// Lines returns the text of a whole file.
func Lines(file, text string) *Node {
	start := Place{File: file, Line: 1, Column: 1}
	return &Node{Kind: Text, Text: text, Place: start, body: start}
}

// Inside returns the place of a line and column, from 1, of a text. It is that of the text where its lines are not the file's.
func (n *Node) Inside(line, column int) Place {
	if n.body.Line == 0 || line < 1 {
		return n.Place
	}
	return Place{File: n.body.File, Line: n.body.Line + line - 1, Column: n.body.Column + max(column, 1) - 1}
}

// Pair is a key of a mapping and its value.
type Pair struct {
	Key, Value *Node
	Merge      bool // the key is <<: the mapping has the pairs of the value
}

// Get returns the value at a key of a mapping, nil for none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, p := range n.Pairs {
		if p.Key.Text == key {
			return p.Value
		}
	}
	return nil
}

// At returns the node that a JSON pointer names, or the last one on the way to it.
func (n *Node) At(pointer string) *Node {
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		next := n.child(unescape.Replace(step))
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// Find returns the node at a path of keys, which are text or whole numbers, and positions in lists; or the last one on the way to it.
func (n *Node) Find(path ...any) *Node {
	for _, step := range path {
		next := n.child(fmt.Sprint(step))
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// child returns the value of a key or at a position, nil for none.
func (n *Node) child(step string) *Node {
	if n == nil || len(n.Items) == 0 {
		return n.Get(step)
	}
	if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(n.Items) {
		return n.Items[i]
	}
	return nil
}

// unescape reads a step of a JSON pointer (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// Value returns the node as a JSON value.
func (n *Node) Value() any {
	switch n.Kind {
	case Text:
		return n.Text
	case Number:
		return json.Number(n.Text)
	case Truth:
		return n.Text == "true"
	case List:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Value()
		}
		return items
	case Mapping:
		members := make(map[string]any, len(n.Pairs))
		for _, p := range n.Pairs {
			members[p.Key.Text] = p.Value.Value()
		}
		return members
	}
	return nil
}
