package config

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/refresh/source"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[source.Size]()

	sourceType = reflect.TypeFor[SourceEntry]()
	hostType   = reflect.TypeFor[HostEntry]()
	hostsType  = reflect.TypeFor[HostEntries]()
)

// filler puts the values of a file into those of a Config, and reports all that these cannot take: unknown keys, and values of another kind.
type filler struct {
	file    *file // takes the faults
	drivers Drivers
}

// value puts a node into a value. A null is as if the key were not there.
func (f filler) value(n *yaml.Node, into reflect.Value) {
	switch t := into.Type(); {
	case n.Kind == yaml.Null:
	case t.Kind() == reflect.Pointer:
		into.Set(reflect.New(t.Elem()))
		f.value(n, into.Elem())
	case t == sourceType:
		s := into.Addr().Interface().(*SourceEntry)
		s.Config = f.drivers.Sources.empty(kind(n))
		f.entry(n, into, s.Config)
	case t == hostType:
		s := into.Addr().Interface().(*HostEntry)
		s.Config = f.drivers.Hosts.empty(kind(n))
		f.entry(n, into, s.Config)
	case t == hostsType:
		f.hosts(n, into.Addr().Interface().(*HostEntries))
	case t.Kind() == reflect.Struct:
		f.keys(n, fields(into), false)
	case t.Kind() == reflect.Map:
		f.mapping(n, into)
	case t.Kind() == reflect.Slice:
		f.list(n, into)
	default:
		f.scalar(n, into)
	}
}

// entry fills an entry and the configuration of its kind from the same keys. A nil config stands for a kind that is not known: the entry may
// have any keys then.
func (f filler) entry(n *yaml.Node, into reflect.Value, config any) {
	known := fields(into)
	if config != nil {
		maps.Copy(known, fields(reflect.ValueOf(config).Elem()))
	}
	f.keys(n, known, config == nil)
}

// kind is the kind that an entry names, which may come from a mapping merged into it; empty for none.
func kind(n *yaml.Node) string {
	merged := ""
	for _, p := range n.Pairs {
		switch {
		case p.Merge:
			merged = kind(p.Value)
		case p.Key.Text == "kind":
			return p.Value.Text
		}
	}
	return merged
}

// fields maps the keys of a struct, by their yaml tags, to its fields.
func fields(of reflect.Value) map[string]reflect.Value {
	known := map[string]reflect.Value{}
	for _, field := range reflect.VisibleFields(of.Type()) {
		tag, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if tag != "" && tag != "-" {
			known[tag] = of.FieldByIndex(field.Index)
		}
	}
	return known
}

// keys fills the fields that a mapping has keys of; it may have others, too, where those may be any.
func (f filler) keys(n *yaml.Node, known map[string]reflect.Value, others bool) {
	seen := map[string]bool{}
	for _, p := range f.pairs(n) {
		key := p.Key.Text
		field, ok := known[key]
		switch {
		case !ok && !others:
			f.file.fault(p.Key.Place, "unknown key %q: %s", key, suggestion(key, known))
		case seen[key]: // YAML would take the key of the mapping itself; no reader needs to know that
			f.file.fault(p.Key.Place, "duplicate key %q", key)
		case ok:
			f.value(p.Value, field)
		}
		seen[key] = true
	}
}

// suggestion ends the message about an unknown key: the known key that differs in case only, else the one place elsewhere where the key is
// known, else the known key that it is like, else all of them.
func suggestion(key string, known map[string]reflect.Value) string {
	names := slices.Sorted(maps.Keys(known))
	for _, name := range names {
		if strings.EqualFold(name, key) {
			return "it is written " + name
		}
	}
	if places := placesOf(key); len(places) == 1 {
		return "it stands in " + places[0]
	}
	if name, near := yaml.Nearest(key, names); near {
		return "write " + name + " if you mean that"
	}
	return "known here are " + strings.Join(names, ", ")
}

// placesOf are the mappings that may have a key, as paths: a star stands for any name, and for any place in a list.
func placesOf(key string) (places []string) {
	if _, word := placements.ParseHost(key); word {
		return []string{"tenants.*.spreadsheets"}
	}
	walk(reflect.TypeFor[Config](), "", func(path, name string) {
		if name == key {
			places = append(places, cmp.Or(path, "the file itself, outside of all keys"))
		}
	})
	return places
}

// walk visits the keys of a type and of what is below them, with the paths of their mappings.
func walk(t reflect.Type, path string, visit func(path, name string)) {
	switch t.Kind() {
	case reflect.Pointer:
		walk(t.Elem(), path, visit)
	case reflect.Map, reflect.Slice:
		walk(t.Elem(), path+".*", visit)
	case reflect.Struct:
		for name, field := range fields(reflect.New(t).Elem()) {
			visit(strings.TrimPrefix(path, "."), name)
			walk(field.Type(), path+"."+name, visit)
		}
	}
}

// pairs returns the pairs of a mapping, and those of mappings merged into it in their places.
func (f filler) pairs(n *yaml.Node) (all []yaml.Pair) {
	if n.Kind != yaml.Mapping {
		f.file.fault(n.Place, "expected keys and values, found %s", n.Kind)
		return nil
	}
	for _, p := range n.Pairs {
		if p.Merge {
			all = append(all, f.pairs(p.Value)...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

func (f filler) mapping(n *yaml.Node, into reflect.Value) {
	t := into.Type()
	into.Set(reflect.MakeMap(t))
	for _, p := range f.pairs(n) {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		f.value(p.Key, key)
		f.value(p.Value, value)
		into.SetMapIndex(key, value)
	}
}

func (f filler) list(n *yaml.Node, into reflect.Value) {
	if n.Kind != yaml.List {
		f.file.fault(n.Place, "expected a list, found %s", n.Kind)
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		f.value(item, into.Index(i))
	}
}

// hosts reads a list of hosts, or a mapping of them.
func (f filler) hosts(n *yaml.Node, into *HostEntries) {
	switch n.Kind {
	case yaml.Mapping:
		var entries map[string]HostEntry
		f.mapping(n, reflect.ValueOf(&entries).Elem())
		*into = ofMapping(entries)
	case yaml.List:
		var list []HostEntry
		f.list(n, reflect.ValueOf(&list).Elem())
		*into = ofList(list)
	default:
		f.file.fault(n.Place, "expected a list of spreadsheet hosts, found %s", n.Kind)
	}
}

// scalar puts a scalar into a value, by its text: an expanded variable is text, whatever it says.
func (f filler) scalar(n *yaml.Node, into reflect.Value) {
	switch {
	case n.Kind != yaml.List && n.Kind != yaml.Mapping && set(into, n):
	case into.Type() == durationType && n.Kind == yaml.Text:
		f.file.fault(n.Place, "expected %s", expected(into.Type()))
	default:
		f.file.fault(n.Place, "expected %s, found %s", expected(into.Type()), n.Kind)
	}
}

// set reports whether a value can take a scalar, and lets it.
func set(into reflect.Value, n *yaml.Node) bool {
	written := n.Written()
	switch t := into.Type(); {
	case t == durationType:
		d, err := time.ParseDuration(written)
		into.SetInt(int64(d))
		return err == nil && n.Kind == yaml.Text
	case t == sizeType:
		return into.Addr().Interface().(*source.Size).UnmarshalText([]byte(written)) == nil
	case t.Kind() == reflect.String:
		into.SetString(n.Text)
		return true
	case t.Kind() == reflect.Bool:
		into.SetBool(written == "true")
		return written == "true" || written == "false"
	}
	v, err := strconv.ParseInt(written, 10, 64)
	if err != nil || into.OverflowInt(v) {
		return false
	}
	into.SetInt(v)
	return true
}

// expected says what a value of a type is.
func expected(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration with its unit, such as 60s"
	case t == sizeType:
		return "a size, such as 512MiB"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	}
	return "a whole number"
}
