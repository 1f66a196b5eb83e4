package ascode

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mooring/storage/record/portable"
)

// allNames are those of the keys of a mapping and of its items.
func (s shape) allNames() (names []string) {
	for _, m := range s.members {
		names = append(names, m.name)
		if m.name == "items" {
			names = append(names, m.shape.of.allNames()...)
		}
	}
	return names
}

// What a bundle may say of an asset has a key in a file of its kind.
func TestWhatIsDeclaredHasAKey(t *testing.T) {
	called := map[string]string{"pivotItems": "pivot", "sqlQuery": "sql", "jsonQuery": "query", "anchor": "at"}
	for _, kind := range allKinds() {
		keys := shapeOf(kind).allNames()
		for _, f := range reflect.VisibleFields(reflect.TypeOf(portable.NewDeclaration(portable.Kind(kind))).Elem()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if key := cmp.Or(called[name], name); !slices.Contains(keys, key) {
				t.Errorf("a file of kind %s has no key for %s", kind, name)
			}
		}
	}
}
