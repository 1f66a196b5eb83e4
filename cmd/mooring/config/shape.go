package config

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"mooring/refresh/source"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[source.Size]()

	sourceType       = reflect.TypeFor[Source]()
	spreadsheetsType = reflect.TypeFor[Spreadsheets]()
	hostsType        = reflect.TypeFor[Hosts]()
)

// shape reports everything below n that a Config cannot take: unknown keys, and values of another kind. The YAML library's
// strict mode would stop at the first, and would cut 1.5 to 1.
func (f *file) shape(n ast.Node) { f.fits(n, reflect.TypeFor[Config]()) }

// fits checks one node against the type that is to take it.
func (f *file) fits(n ast.Node, t reflect.Type) {
	v := f.plain(n)
	if _, null := v.(*ast.NullNode); null || v == nil {
		return // as if the key were not there; an alias of nothing is for the library to refuse
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == durationType:
		f.fitsDuration(v)
	case t == sizeType:
		if _, is := parsed(v, source.ParseSize); !is {
			f.fault(v, "expected a size, such as 512MiB, found %s", kindOf(v))
		}
	case t == sourceType:
		f.fitsKeys(v, keysOf(t, f.drivers.Sources.empty(f.kind(v))))
	case t == spreadsheetsType:
		f.fitsKeys(v, keysOf(t, f.drivers.Hosts.empty(f.kind(v))))
	case t == hostsType && mapping(v):
		f.fitsMap(v, reflect.TypeFor[map[string]Spreadsheets]())
	case t == hostsType:
		if _, list := v.(*ast.SequenceNode); !list {
			f.fault(v, "expected a list of spreadsheet hosts, found %s", kindOf(v))
			return
		}
		f.fitsList(v, t)
	case t.Kind() == reflect.Struct:
		f.fitsKeys(v, keys{types: fields(t)})
	case t.Kind() == reflect.Map:
		f.fitsMap(v, t)
	case t.Kind() == reflect.Slice:
		f.fitsList(v, t)
	case t.Kind() == reflect.String:
		if _, scalar := v.(ast.ScalarNode); !scalar {
			f.fault(v, "expected text, found %s", kindOf(v))
		}
	case t.Kind() == reflect.Bool:
		if _, is := parsed(v, parseBool); !is {
			f.fault(v, "expected true or false, found %s", kindOf(v))
		}
	case t.Kind() == reflect.Float64:
		if _, is := parsed(v, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); !is {
			f.fault(v, "expected a number, found %s", kindOf(v))
		}
	default:
		f.fitsWhole(v, t)
	}
}

// keys are those that a mapping may have, with the types of their values.
type keys struct {
	types  map[string]reflect.Type
	others bool // it may have any others, too
}

// keysOf are the keys of an entry and of the configuration of its kind; nil stands for a kind that is not known.
func keysOf(entry reflect.Type, config any) keys {
	known := keys{types: fields(entry), others: config == nil}
	if config != nil {
		maps.Copy(known.types, fields(reflect.TypeOf(config).Elem()))
	}
	return known
}

// kind is the kind that an entry names, which may come from a mapping merged into it; empty for none.
func (f *file) kind(n ast.Node) string {
	merged := ""
	for _, e := range f.entries(n) {
		switch {
		case e.Key.IsMergeKey():
			merged = f.kind(f.plain(e.Value))
		case e.Key.GetToken().Value == "kind":
			text, _ := parsed(f.plain(e.Value), func(s string) (string, error) { return s, nil })
			return text
		}
	}
	return merged
}

func (f *file) fitsKeys(n ast.Node, known keys) {
	if !mapping(n) {
		f.fault(n, "expected keys and values, found %s", kindOf(n))
		return
	}
	for _, e := range f.entries(n) {
		if e.Key.IsMergeKey() {
			if merged := f.plain(e.Value); merged != nil {
				f.fitsKeys(merged, known)
			}
			continue
		}
		key := e.Key.GetToken().Value
		field, ok := known.types[key]
		if !ok {
			if !known.others {
				f.fault(e.Key, "unknown key %q: %s", key, suggestion(key, known.types))
			}
			continue
		}
		f.fits(e.Value, field)
		if field.Kind() == reflect.Bool {
			retype(e)
		}
	}
}

// retype makes a truth value of an expanded variable, which is text in the tree: the library would not take it. Numbers it does.
func retype(e *ast.MappingValueNode) {
	if s, ok := e.Value.(*ast.StringNode); ok {
		if _, err := parseBool(s.Value); err == nil {
			e.Value = ast.Bool(token.New(s.Value, s.Value, s.Token.Position))
		}
	}
}

func (f *file) fitsMap(n ast.Node, t reflect.Type) {
	if !mapping(n) {
		f.fault(n, "expected keys and values, found %s", kindOf(n))
		return
	}
	for _, e := range f.entries(n) {
		if e.Key.IsMergeKey() {
			f.fits(e.Value, t)
			continue
		}
		f.fits(e.Key, t.Key())
		f.fits(e.Value, t.Elem())
	}
}

func (f *file) fitsList(n ast.Node, t reflect.Type) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		f.fault(n, "expected a list, found %s", kindOf(n))
		return
	}
	for _, v := range list.Values {
		f.fits(v, t.Elem())
	}
}

func (f *file) fitsDuration(n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		f.fault(n, "expected a duration with its unit, such as 60s, found %s", kindOf(n))
		return
	}
	if _, err := time.ParseDuration(s.Value); err != nil {
		f.fault(n, "expected a duration with its unit, such as 60s")
	}
}

func (f *file) fitsWhole(n ast.Node, t reflect.Type) {
	v, is := parsed(n, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	if !is || (t.Kind() == reflect.Int32 && (v < math.MinInt32 || v > math.MaxInt32)) {
		f.fault(n, "expected a whole number, found %s", kindOf(n))
	}
}

// parsed reads a scalar by its text: an expanded variable is text, whatever it says.
func parsed[T any](n ast.Node, parse func(string) (T, error)) (T, bool) {
	var zero T
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case ast.ScalarNode:
		text = n.GetToken().Value
	default:
		return zero, false
	}
	v, err := parse(text)
	return v, err == nil
}

// parseBool reads true and false and nothing else.
func parseBool(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, strconv.ErrSyntax
	}
	return s == "true", nil
}

func mapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// kindOf names a node's kind for people, never its value: that may be a secret.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	}
	return "text"
}

// fields maps the keys of a struct, by their yaml tags, to the types of their values.
func fields(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if tag != "" && tag != "-" {
			known[tag] = field.Type
		}
	}
	return known
}

// suggestion ends the message about an unknown key: the known key that differs in case only, else all of them.
func suggestion(key string, known map[string]reflect.Type) string {
	names := make([]string, 0, len(known))
	for name := range known {
		if strings.EqualFold(name, key) {
			return "it is written " + name
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return "known here are " + strings.Join(names, ", ")
}
