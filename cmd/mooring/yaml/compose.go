package yaml

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Compose reads a file's text with its anchors, aliases, merge keys and tags: an alias is the value that it names, a tag is passed over. The
// node is nil for an empty file and for one that cannot be read; faults are all that were found.
func Compose(file, text string) (*Node, []Fault) {
	c := composer{file: file, anchors: map[string]*Node{}}
	body := c.document(normal(text), "", "a second YAML document: keep everything in one")
	if body == nil || len(c.faults) > 0 {
		return nil, c.faults
	}
	n := c.node(body)
	return n, append(c.faults, c.unnamed...)
}

const mark = "\uFEFF" // a byte order mark

// normal returns a text without a mark, its lines ended by \n: the library misplaces what follows a \r.
func normal(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, mark), "\r\n", "\n")
}

// composer converts the library's tree, collecting faults. Places are the library's: of a block of keys and values that of the first colon.
type composer struct {
	file    string
	anchors map[string]*Node // those above, by their names
	faults  []Fault
	unnamed []Fault // of aliases that name nothing
}

// document returns the first document of a text, nil for none. Asked is what is said before the library's own words, second of each further
// document.
func (c *composer) document(text, asked, second string, options ...parser.Option) ast.Node {
	tree, err := parse(text, options...)
	if err != nil {
		c.broken(err, asked)
		return nil
	}
	if len(tree.Docs) == 0 {
		return nil
	}
	for _, doc := range tree.Docs[1:] {
		if doc.Body != nil {
			c.fault(doc.Body.GetToken(), second)
		}
	}
	return tree.Docs[0].Body
}

// parse calls the library, which panics on some broken texts.
func parse(text string, options ...parser.Option) (tree *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read as YAML: %v", r)
		}
	}()
	list, err := tokens(text)
	if err != nil {
		return nil, err
	}
	return parser.Parse(list, 0, options...)
}

func (c *composer) at(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{File: c.file}
	}
	return Place{File: c.file, Line: t.Position.Line, Column: max(1, t.Position.Column)}
}

func (c *composer) fault(t *token.Token, message string) {
	c.faults = append(c.faults, Fault{c.at(t), RuleYAML, message})
}

// broken records an error of the library at its place.
func (c *composer) broken(err error, asked string) {
	if much, ok := errors.AsType[*excess](err); ok {
		c.faults = append(c.faults, Fault{Place{c.file, much.line, much.column}, RuleYAML, much.message})
		return
	}
	var placed yaml.Error
	if errors.As(err, &placed) {
		c.fault(placed.GetToken(), asked+placed.GetMessage())
		return
	}
	c.fault(nil, err.Error())
}

// node converts one value.
func (c *composer) node(n ast.Node) *Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return c.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := &Node{Kind: List, Place: c.at(n.GetToken())}
		for _, v := range n.Values {
			list.Items = append(list.Items, c.node(v))
		}
		return list
	case *ast.LiteralNode:
		return c.literal(n)
	case *ast.AnchorNode:
		value := c.node(n.Value)
		c.anchors[n.Name.GetToken().Value] = value // only now: an alias within names nothing
		return c.begin(value, n)
	case *ast.AliasNode:
		return c.alias(n)
	case *ast.TagNode:
		return c.begin(c.node(n.Value), n)
	case nil:
		return &Node{absent: true}
	}
	return c.scalar(n)
}

// begin makes a value begin with its anchor or tag.
func (c *composer) begin(value *Node, with ast.Node) *Node {
	value.start, value.refusal = c.at(with.GetToken()), refusal(with)
	return value
}

// alias returns a node of its own that has what the named one has, in the place of that. One that names nothing is a null.
func (c *composer) alias(n *ast.AliasNode) *Node {
	var same Node
	name := n.Value.GetToken().Value
	if named := c.anchors[name]; named != nil {
		same = *named
	} else {
		message := fmt.Sprintf("*%s names no value above it: anchor one with &%s first", name, name)
		c.unnamed = append(c.unnamed, Fault{c.at(n.GetToken()), RuleYAML, message})
	}
	same.alias = true
	return c.begin(&same, n)
}

// literal converts a block. The lines of a folded one are not those of its text.
func (c *composer) literal(n *ast.LiteralNode) *Node {
	s := &Node{Kind: Text, Place: c.at(n.Start), Text: n.Value.Value}
	if first := strings.TrimLeft(n.Value.Token.Origin, "\n"); strings.HasPrefix(n.Start.Value, "|") {
		s.body = Place{File: c.file, Line: s.Place.Line + 1, Column: 1 + len(first) - len(strings.TrimLeft(first, " "))}
	}
	return s
}

func (c *composer) scalar(n ast.Node) *Node {
	t := n.GetToken()
	s := &Node{Place: c.at(t), origin: t.Value}
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
	case *ast.InfinityNode, *ast.NanNode:
		s.Kind, s.Text, s.refusal = Number, t.Value, refusal(n)
	case *ast.BoolNode:
		s.Kind, s.Text = Truth, strconv.FormatBool(n.Value)
	case *ast.NullNode:
		s.absent = t.Type == token.ImplicitNullType
	default:
		s.refusal = refusal(n)
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

func (c *composer) mapping(n ast.Node, values []*ast.MappingValueNode) *Node {
	m := &Node{Kind: Mapping, Place: c.at(n.GetToken())}
	for _, v := range values {
		m.Pairs = append(m.Pairs, Pair{Key: c.key(v.Key), Value: c.node(v.Value), Merge: v.Key.IsMergeKey()})
	}
	return m
}

// key converts a key, which is text whatever it looks like.
func (c *composer) key(n ast.MapKeyNode) *Node {
	t := n.GetToken()
	key := &Node{Kind: Text, Place: c.at(t), Text: t.Value, origin: t.Value}
	switch n := n.(type) {
	case *ast.StringNode:
		key.Text, key.origin = n.Value, n.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
	default:
		key.refusal = refusal(n)
	}
	return key
}
