package reports

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

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
	two := int64(2)
	d := record.Definition{
		Name: "a", Title: "b", Description: "c", SQLQuery: "d", JSONQuery: "e", PivotItems: new(record.PivotItems), RowKey: []string{"f"},
		Meta: json.RawMessage(`{"g":1}`), FolderID: new(int64), WorkbookID: &two,
	}
	shown, kept := jsonFields(reflect.ValueOf(settableOf(&d))), jsonFields(reflect.ValueOf(d))
	for name := range jsonFields(reflect.ValueOf(record.ReportInput{})) {
		if _, has := shown[name]; !has && name != "source" {
			t.Errorf("an update sets %s, and a version does not restore it", name)
		}
	}
	for name, value := range shown {
		if got := value.Interface(); !reflect.DeepEqual(got, kept[name].Interface()) || kept[name].IsZero() {
			t.Errorf("%s is %v, and %v in the definition", name, got, kept[name])
		}
	}
}
