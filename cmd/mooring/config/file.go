package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"mooring/cmd/mooring/bounds"
)

// file is a configuration file while it is read. It collects faults with their places, so that one start shows all of them.
type file struct {
	name    string
	env     Lookup
	drivers Drivers
	body    ast.Node
	anchors map[string]ast.Node
	loose   bool // an alias names nothing, or a value that holds the alias itself
	faults  []fault
}

// fault is one thing wrong at one place; line 0 is the file as a whole.
type fault struct {
	line, column int
	message      string
}

// fileError is everything wrong with a configuration file, one line a fault.
type fileError struct {
	file   string
	faults []fault
}

func (e *fileError) Error() string {
	lines := make([]string, len(e.faults))
	for i, f := range e.faults {
		place := e.file
		if f.line > 0 {
			place = fmt.Sprintf("%s:%d:%d", e.file, f.line, f.column)
		}
		lines[i] = place + ": " + f.message
	}
	return strings.Join(lines, "\n")
}

// err returns the faults found so far in the order of the file, nil for none.
func (f *file) err() error {
	if len(f.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(f.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return &fileError{file: filepath.Base(f.name), faults: slices.Compact(f.faults)}
}

// fault records what is wrong at node n; a nil n is the file as a whole.
func (f *file) fault(n ast.Node, format string, args ...any) {
	var t *token.Token
	if n != nil {
		t = n.GetToken()
	}
	f.faultAt(t, fmt.Sprintf(format, args...))
}

func (f *file) faultAt(t *token.Token, message string) {
	found := fault{message: message}
	if t != nil && t.Position != nil {
		found.line, found.column = t.Position.Line, t.Position.Column
	}
	f.faults = append(f.faults, found)
}

// faultsAt records each line of an error about the part of the configuration at a path.
func (f *file) faultsAt(err error, what string, path ...any) {
	for line := range strings.Lines(err.Error()) {
		f.fault(f.node(path...), "%s: %s", what, strings.TrimSpace(line))
	}
}

// decodeFault records an error of the YAML library at its place.
func (f *file) decodeFault(err error) {
	var placed yaml.Error
	if errors.As(err, &placed) {
		f.faultAt(placed.GetToken(), placed.GetMessage())
		return
	}
	f.faultAt(nil, err.Error())
}

// parse reads the text as one YAML document. It returns nil when the document is empty or broken.
func (f *file) parse(text []byte) ast.Node {
	tokens, err := bounds.Tokens(string(text))
	if much, ok := errors.AsType[*bounds.Error](err); ok {
		f.faults = append(f.faults, fault{much.Line, much.Column, much.Message})
		return nil
	}
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		f.decodeFault(err)
		return nil
	}
	if len(tree.Docs) > 1 {
		f.fault(tree.Docs[1].Body, "a second YAML document: keep everything in one")
		return nil
	}
	if len(tree.Docs) == 1 && tree.Docs[0].Body != nil {
		f.body = tree.Docs[0].Body
	}
	return f.body
}

// reference is ${NAME}; a dollar and a brace that begin none are refused rather than taken as text.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}]*\}?`)

// expand puts environment variables into the scalar values below n. It works on the parsed tree, so no value can
// change the shape of the file, whatever characters it holds.
func (f *file) expand(n ast.Node) {
	f.anchors = map[string]ast.Node{}
	f.walk(n, func(s *ast.StringNode) {
		if !strings.Contains(s.Value, "${") {
			return
		}
		s.Value = reference.ReplaceAllStringFunc(s.Value, func(match string) string { return f.variable(s, match) })
	})
}

// variable is the value of one reference found in s.
func (f *file) variable(s *ast.StringNode, match string) string {
	name := reference.FindStringSubmatch(match)[1]
	if name == "" {
		f.fault(s, "%s is no reference: write ${NAME}", match)
		return ""
	}
	value, set := f.env(name)
	if !set {
		f.fault(s, "the environment variable %s is not set", name)
	}
	return value
}

// walk visits every text value below n, but no keys, and remembers anchors.
func (f *file) walk(n ast.Node, visit func(*ast.StringNode)) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			f.walk(v.Value, visit)
		}
	case *ast.MappingValueNode:
		f.walk(n.Value, visit)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			f.walk(v, visit)
		}
	case *ast.AnchorNode:
		f.walk(n.Value, visit)
		f.anchors[n.Name.GetToken().Value] = n.Value // only now: an alias within names nothing
	case *ast.AliasNode:
		if name := n.Value.GetToken().Value; f.anchors[name] == nil {
			f.fault(n, "*%s names no value above it: anchor one with &%s first", name, name)
			f.loose = true
		}
	case *ast.TagNode:
		f.walk(n.Value, visit)
	case *ast.LiteralNode:
		visit(n.Value)
	case *ast.StringNode:
		visit(n)
	}
}

// node returns the value at a path of keys (text or whole numbers) and positions in lists, for the place of a fault. Where the
// path ends early it is the last node reached, so that a missing key is reported at what lacks it.
func (f *file) node(path ...any) ast.Node {
	n := f.body
	for _, step := range path {
		next := f.child(n, step)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

func (f *file) child(n ast.Node, step any) ast.Node {
	n = f.plain(n)
	if list, ok := n.(*ast.SequenceNode); ok {
		if i, ok := step.(int); ok && i < len(list.Values) {
			return list.Values[i]
		}
		return nil
	}
	for _, e := range f.entries(n) {
		if e.Key.GetToken().Value == fmt.Sprint(step) {
			return e.Value
		}
	}
	return nil
}

// plain follows anchors, aliases and tags to the value itself. An alias of nothing, or of itself, is nil.
func (f *file) plain(n ast.Node) ast.Node {
	for range 100 {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.AliasNode:
			n = f.anchors[v.Value.GetToken().Value]
		default:
			return n
		}
	}
	return nil
}

// entries returns the key-value pairs of a mapping, nil for any other node.
func (f *file) entries(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)
