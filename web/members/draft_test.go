package members

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/storage/record"
	"mooring/web/bind"
)

// What a dashboard or a report's pivot was read with may be sent back: a strict write knows every key.
func TestEveryKeyOfPartsIsKnown(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for schema, of := range map[string]func(*bind.Object){
		"Widget": widget, "Layout": layout, "Theme": theme, "App": app,
		"PivotItems": func(o *bind.Object) { pivot(o, &record.PivotItems{}) },
	} {
		t.Run(schema, func(t *testing.T) {
			properties := doc.Components.Schemas[schema].Value.Properties
			if len(properties) == 0 {
				t.Fatal("the document says nothing of it")
			}
			known := bind.Names(of)
			for name := range properties {
				if !slices.Contains(known, name) {
					t.Errorf("%s is not known", name)
				}
			}
		})
	}
}
