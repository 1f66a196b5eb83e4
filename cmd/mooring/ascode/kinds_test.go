package ascode

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mooring/storage/record/portable"
)

// What a bundle may say of an asset has a key in a file of its kind.
func TestWhatIsDeclaredHasAKey(t *testing.T) {
	called := map[string]string{"pivotItems": "pivot", "sqlQuery": "sql", "jsonQuery": "query", "anchor": "at"}
	for _, kind := range kinds() {
		order := kind.shape().Order()
		keys := append(order.Keys, order.Under["items"].Keys...)
		for _, f := range reflect.VisibleFields(reflect.TypeOf(portable.NewDeclaration(kind.name)).Elem()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if key := cmp.Or(called[name], name); !slices.Contains(keys, key) {
				t.Errorf("a file of kind %s has no key for %s", kind.name, name)
			}
		}
	}
}
