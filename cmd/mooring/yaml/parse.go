package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxBytes is how long a file may be that [Parse] reads.
const MaxBytes = 1 << 20

// Parse reads a file's text, each value of which is what stands in its place. The node is nil for an empty file and for one that cannot be
// read; faults are all that were found.
func Parse(file, text string) (*Node, []Fault) {
	text = normal(text)
	if fault := unreadable(file, text); fault != nil {
		return nil, []Fault{*fault}
	}
	c := composer{file: file, anchors: map[string]*Node{}}
	body := c.document(text, "is not YAML: ", "a second YAML document: give each its own file", parser.AllowDuplicateMapKey())
	if body == nil {
		return nil, c.faults
	}
	n, p := c.node(body), plain{c.faults}
	p.node(n)
	return n, p.faults
}

// unreadable returns what the library must not see of a text, nil for nothing.
func unreadable(file, text string) *Fault {
	if len(text) > MaxBytes {
		return &Fault{Place{File: file}, RuleYAML, fmt.Sprintf("has %d bytes, at most %d are read: split the file", len(text), MaxBytes)}
	}
	line := 0
	for l := range strings.Lines(text) {
		line++
		if i := foreign(l); i >= 0 {
			at := Place{File: file, Line: line, Column: 1 + utf8.RuneCountInString(l[:i])}
			const message = "a character that YAML does not take: save the file as UTF-8, and write control characters as \\x07 in double quotes"
			return &Fault{at, RuleYAML, message}
		}
	}
	return nil
}

// foreign returns the offset of the first character that YAML does not take, -1 for none.
func foreign(line string) int {
	for i, r := range line {
		broken := r == utf8.RuneError && !strings.HasPrefix(line[i:], "\uFFFD")
		if broken || r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return i
		}
	}
	return -1
}

// refusal says why something is not read where values are edited in their places, and what to write instead.
func refusal(n ast.Node) string {
	switch n.(type) {
	case *ast.AnchorNode:
		return "an anchor is not read here: write the value out where it is needed"
	case *ast.AliasNode:
		return "an alias is not read here: write the value out"
	case *ast.MergeKeyNode:
		return "a merge key is not read here: write the keys out"
	case *ast.TagNode:
		return "a tag is not read here: write the value without it, in quotes if it is text"
	case *ast.InfinityNode, *ast.NanNode:
		return "infinity and not-a-number have no place in JSON: write a number"
	case *ast.MappingKeyNode:
		return "a key begun with ? is not read here: write key: value"
	case *ast.DirectiveNode:
		return "a directive is not read here: leave it out"
	}
	return "is not read here: write a text, a number, a list or keys and values"
}

// plain refuses what a composed tree has besides plain values, collecting faults.
type plain struct{ faults []Fault }

func (p *plain) fault(at Place, message string) {
	p.faults = append(p.faults, Fault{at, RuleYAML, message})
}

// node looks at one value. What it refuses becomes a null, so that the rest is read.
func (p *plain) node(n *Node) {
	if n.refusal != "" {
		p.fault(n.Start(), n.refusal)
		*n = Node{Place: n.Start()}
		return
	}
	for _, item := range n.Items {
		p.node(item)
	}
	p.mapping(n)
}

// mapping looks at keys and values. A block of them begins where its first key does, and a value that is absent is where its key is.
func (p *plain) mapping(n *Node) {
	first := map[string]Place{}
	kept := n.Pairs[:0]
	for i, pair := range n.Pairs {
		if pair.Key.refusal != "" {
			p.fault(pair.Key.Place, pair.Key.refusal)
			continue
		}
		if i == 0 && pair.Key.Place.before(n.Place) {
			n.Place = pair.Key.Place
		}
		if before, again := first[pair.Key.Text]; again {
			p.fault(pair.Key.Place, fmt.Sprintf("the key %q stands at line %d already: keep one of them", pair.Key.Text, before.Line))
			continue
		}
		first[pair.Key.Text] = pair.Key.Place
		p.node(pair.Value)
		if pair.Value.absent {
			pair.Value.Place = pair.Key.Place
		}
		kept = append(kept, pair)
	}
	n.Pairs = kept
}
