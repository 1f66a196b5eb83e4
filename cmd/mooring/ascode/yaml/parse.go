package yaml

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"mooring/cmd/mooring/bounds"
)

// MaxBytes is how long a file may be.
const MaxBytes = 1 << 20

const mark = "\uFEFF" // a byte order mark

// Parse reads a file's text. The node is nil for an empty file and for one that cannot be read; faults are all that were found.
func Parse(file, text string) (*Node, []Fault) {
	p := parsing{file: file}
	text = strings.ReplaceAll(strings.TrimPrefix(text, mark), "\r\n", "\n") // the library misplaces what follows a \r
	if !p.readable(text) {
		return nil, p.faults
	}
	tree, err := parse(text)
	if err != nil {
		p.broken(err)
		return nil, p.faults
	}
	for _, doc := range tree.Docs[min(1, len(tree.Docs)):] {
		if doc.Body != nil {
			p.fault(doc.Body.GetToken(), "a second YAML document: give each its own file")
		}
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return nil, p.faults
	}
	n := p.node(tree.Docs[0].Body)
	return n, p.faults
}

// parse calls the library, which panics on some broken texts.
func parse(text string) (tree *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read as YAML: %v", r)
		}
	}()
	tokens, err := bounds.Tokens(text)
	if err != nil {
		return nil, err
	}
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// parsing converts the library's tree, collecting faults.
type parsing struct {
	file   string
	faults []Fault
}

func (p *parsing) at(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{File: p.file}
	}
	return Place{File: p.file, Line: t.Position.Line, Column: max(1, t.Position.Column)}
}

func (p *parsing) fault(t *token.Token, message string) {
	p.faults = append(p.faults, Fault{Place: p.at(t), Message: message})
}

// broken records an error of the library at its place.
func (p *parsing) broken(err error) {
	if much, ok := errors.AsType[*bounds.Error](err); ok {
		p.faults = append(p.faults, Fault{Place{p.file, much.Line, much.Column}, much.Message})
		return
	}
	var placed yaml.Error
	if errors.As(err, &placed) {
		p.fault(placed.GetToken(), "is not YAML: "+placed.GetMessage())
		return
	}
	p.fault(nil, err.Error())
}

// readable refuses what the library must not see.
func (p *parsing) readable(text string) bool {
	if len(text) > MaxBytes {
		p.fault(nil, fmt.Sprintf("has %d bytes, at most %d are read: split the file", len(text), MaxBytes))
		return false
	}
	line := 0
	for l := range strings.Lines(text) {
		line++
		if i := foreign(l); i >= 0 {
			at := Place{File: p.file, Line: line, Column: 1 + utf8.RuneCountInString(l[:i])}
			const message = "a character that YAML does not take: save the file as UTF-8, and write control characters as \\x07 in double quotes"
			p.faults = append(p.faults, Fault{at, message})
			return false
		}
	}
	return true
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

// node converts one value. What it refuses becomes a null, so that the rest is read.
func (p *parsing) node(n ast.Node) *Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return p.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return p.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := &Node{Kind: List, Place: p.at(n.GetToken())}
		for _, v := range n.Values {
			list.Items = append(list.Items, p.node(v))
		}
		return list
	case *ast.LiteralNode:
		return p.literal(n)
	case nil:
		return &Node{absent: true}
	}
	return p.scalar(n)
}

// literal converts a block. The lines of a folded one are not those of its text.
func (p *parsing) literal(n *ast.LiteralNode) *Node {
	s := &Node{Kind: Text, Place: p.at(n.Start), Text: n.Value.Value}
	if first := strings.TrimLeft(n.Value.Token.Origin, "\n"); strings.HasPrefix(n.Start.Value, "|") {
		s.body = Place{File: p.file, Line: s.Place.Line + 1, Column: 1 + len(first) - len(strings.TrimLeft(first, " "))}
	}
	return s
}

func (p *parsing) scalar(n ast.Node) *Node {
	t := n.GetToken()
	s := &Node{Place: p.at(t), origin: t.Value}
	switch n := n.(type) {
	case *ast.StringNode:
		s.Kind, s.Text = Text, n.Value
		if t.Type == token.StringType && number.MatchString(n.Value) { // one that the library does not take: 1e9, or many digits
			s.Kind = Number
		}
	case *ast.IntegerNode:
		s.Kind, s.Text = Number, written(t.Value, fmt.Sprint(n.Value))
	case *ast.FloatNode:
		s.Kind, s.Text = Number, written(t.Value, strconv.FormatFloat(n.Value, 'g', -1, 64))
	case *ast.BoolNode:
		s.Kind, s.Text = Truth, strconv.FormatBool(n.Value)
	case *ast.NullNode:
		s.absent = t.Type == token.ImplicitNullType
	default:
		p.fault(t, refusal(n))
	}
	return s
}

// number is a number of JSON.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// written returns a number as the file writes it if JSON takes that, else as read.
func written(text, read string) string {
	if number.MatchString(text) {
		return text
	}
	return read
}

// refusal says what is not read, and what to write instead.
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

func (p *parsing) mapping(n ast.Node, values []*ast.MappingValueNode) *Node {
	m := &Node{Kind: Mapping, Place: p.at(n.GetToken())}
	first := map[string]Place{}
	for i, v := range values {
		key := p.key(v.Key)
		if key == nil {
			continue
		}
		if i == 0 && !flow(n) {
			m.Place = key.Place
		}
		if before, again := first[key.Text]; again {
			message := fmt.Sprintf("the key %q stands at line %d already: keep one of them", key.Text, before.Line)
			p.faults = append(p.faults, Fault{key.Place, message})
			continue
		}
		first[key.Text] = key.Place
		value := p.node(v.Value)
		if value.absent {
			value.Place = key.Place
		}
		m.Pairs = append(m.Pairs, Pair{Key: key, Value: value})
	}
	return m
}

func flow(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return ok && m.IsFlowStyle
}

// key converts a key, which is text whatever it looks like; nil is a refused one.
func (p *parsing) key(n ast.MapKeyNode) *Node {
	switch n := n.(type) {
	case *ast.StringNode:
		return &Node{Kind: Text, Place: p.at(n.Token), Text: n.Value, origin: n.Value}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		t := n.GetToken()
		return &Node{Kind: Text, Place: p.at(t), Text: t.Value, origin: t.Value}
	}
	p.fault(n.GetToken(), refusal(n))
	return nil
}
