package yaml

import (
	"encoding/json"
	"fmt"
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

// Fault is one thing wrong at one place: the message says what, and what to do.
type Fault struct {
	Place   Place
	Message string
}

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

	origin string // of a scalar: its text as the file writes it, without quotes and breaks
	absent bool   // a null that stands nowhere: a key without a value
	body   Place  // of a text whose lines stand in the file as they are: where the first begins
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
type Pair struct{ Key, Value *Node }

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
		next := n.Get(unescape.Replace(step))
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	return n
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
