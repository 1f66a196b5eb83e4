package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// A member is one line of a body and one of the document: one that is missing in either is found by its name.
func TestBodiesAreAsDescribed(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			schema := operation.RequestBody.Value.Content.Get("application/json").Schema
			name := strings.TrimPrefix(schema.Ref, "#/components/schemas/")
			t.Run(method+" "+path, func(t *testing.T) {
				body := describedBody(method, strings.NewReplacer("{", ":", "}", "").Replace(path))
				if body == nil {
					t.Fatalf("no body is the schema %q", name)
				}
				if request.Optional(body) == operation.RequestBody.Value.Required {
					t.Errorf("the document says that the body is required %t", operation.RequestBody.Value.Required)
				}
				got, want := bind.Paths(body.Members), schemaPaths(schema.Value, "")
				slices.Sort(got)
				slices.Sort(want)
				want = slices.Compact(want) // kinds of assets share members
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("members (-document +bind):\n%s", diff)
				}
			})
		}
	}
}

// ofQueries are schemas that have the query of a report and nothing else of it.
var ofQueries = []string{"PreviewInput"}

// What is described of an asset in several places, as it is asked for, shown and kept in files, has all members everywhere: no answer of a test
// may have the one that was forgotten.
func TestSchemasOfAnAssetHaveAllItsMembers(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	for one, names := range map[string][]string{
		"onEdit":   bind.Names(func(o *bind.Object) { members.Options(o, new(placements.Options)) }),
		"sqlQuery": bind.Names(func(o *bind.Object) { members.Definition(o, new(record.ReportInput)) }),
	} {
		described := 0
		for schema, s := range doc.Components.Schemas {
			if s.Value.Properties[one] == nil || slices.Contains(ofQueries, schema) {
				continue
			}
			described++
			for _, name := range names {
				if s.Value.Properties[name] == nil {
					t.Errorf("schema %s has %s, but not %s", schema, one, name)
				}
			}
		}
		if described < 5 {
			t.Errorf("%d schemas have %s", described, one)
		}
	}
}

// schemaPaths are the members of a schema as bind.Paths names them: those of whatever its arrays and its alternatives hold, and as "*" those of an
// object of whatever names.
func schemaPaths(s *openapi3.Schema, prefix string) (paths []string) {
	for name, property := range s.Properties {
		paths = append(append(paths, prefix+name), schemaPaths(property.Value, prefix+name+"/")...)
	}
	for _, ref := range append(append(openapi3.SchemaRefs{s.Items}, s.AnyOf...), s.OneOf...) {
		if ref != nil {
			paths = append(paths, schemaPaths(ref.Value, prefix)...)
		}
	}
	if each := s.AdditionalProperties.Schema; each != nil {
		paths = append(paths, schemaPaths(each.Value, prefix+"*/")...)
	}
	return paths
}
