package web

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"

	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/hook"
	"mooring/web/request"
)

// bodies are those of operations that stand in no room, by the names that the document has for them.
var bodies = map[string]request.Body{
	"AccessInput": new(accessInput), "ReportInput": new(reportInput), "ResultInput": new(resultInput),

	"Connection": new(connectInput), "EditsToReturn": new(editsInput), "LinkInput": new(linkInput), "Rewrite": new(rewriteInput), "Target": new(targetInput),

	"BundleInput": new(bundleInput),

	"HookEvent": new(hook.Event),
}

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
				body := cmp.Or(describedBody(method, strings.NewReplacer("{", ":", "}", "").Replace(path)), bodies[name])
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

// schemaPaths are the members of a schema as bind.Paths names them.
func schemaPaths(s *openapi3.Schema, prefix string) (paths []string) {
	for name, property := range s.Properties {
		paths = append(paths, prefix+name)
		inner := append(openapi3.SchemaRefs{property, property.Value.Items}, property.Value.AnyOf...)
		for _, ref := range append(inner, property.Value.OneOf...) {
			if ref != nil {
				paths = append(paths, schemaPaths(ref.Value, prefix+name+"/")...)
			}
		}
	}
	return paths
}

// Every member of a report's body has its field in what storage takes, and the other way round.
func TestMembersOfAReportAreFieldsOfTheRecord(t *testing.T) {
	elsewhere := []string{"expectedVersion"} // which is not recorded
	derived := []string{"ReadBack"}          // from other members
	var fields, members []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[record.ReportInput]()) {
		if !f.Anonymous && !slices.Contains(derived, f.Name) {
			fields = append(fields, strings.ToLower(f.Name))
		}
	}
	for _, path := range bind.Paths(new(reportInput).Members) {
		if !strings.Contains(path, "/") && !slices.Contains(elsewhere, path) {
			members = append(members, strings.ToLower(path))
		}
	}
	slices.Sort(fields)
	slices.Sort(members)
	if diff := gocmp.Diff(fields, members); diff != "" {
		t.Errorf("(-record +body):\n%s", diff)
	}
}
