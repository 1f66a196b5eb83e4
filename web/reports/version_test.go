package reports

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"mooring/storage/record"
)

// jsonFields are the fields of a struct by their names in JSON.
func jsonFields(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = v.FieldByIndex(f.Index)
		}
	}
	return fields
}

// What an update may set of a report is what restores a version of it, each with the value that it has there; the source is fixed.
func TestAVersionHasWhatAnUpdateSets(t *testing.T) {
	for name := range jsonFields(reflect.ValueOf(record.ReportInput{})) {
		if _, has := jsonFields(reflect.ValueOf(settable{}))[name]; !has && name != "source" {
			t.Errorf("an update sets %s, and a version does not restore it", name)
		}
	}
	said, random := map[string]bool{}, rand.New(rand.NewSource(1))
	for range 50 {
		value, _ := quick.Value(reflect.TypeFor[record.Definition](), random)
		d := value.Interface().(record.Definition)
		for name, shown := range jsonFields(reflect.ValueOf(settableOf(&d))) {
			kept := jsonFields(value)[name]
			if said[name] = said[name] || !kept.IsZero(); !reflect.DeepEqual(shown.Interface(), kept.Interface()) {
				t.Errorf("%s is %v, and %v in the definition", name, shown, kept)
			}
		}
	}
	for name, once := range said {
		if !once {
			t.Errorf("no definition had %s", name)
		}
	}
}
