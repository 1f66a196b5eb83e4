package web

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An update with the definition of a version restores it, and changes nothing else.
func TestRestoringAVersion(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		read := func(path string) (object map[string]any) {
			t.Helper()
			w := a.send(step{method: "GET", path: path})
			if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil || w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			return object
		}
		a.run(t, []step{
			{
				name: "a report with everything", method: "POST", path: "/reports", status: 200, keep: map[string]string{"id": "id"},
				body: `{"name":"Sales","title":"T","description":"D","sqlQuery":"SELECT <1> & 2","jsonQuery":"{}","rowKey":["id"],"folderId":5,"source":"SHEETS_B",
					"meta":{"chart":{"kind":"bar","b":1.50}},"pivotItems":{"columns":["a"],"filters":[],"measures":["m"],"rows":[],"showColumnTotals":true,"showRowTotals":true,"showAppliedFilters":true}}`,
			},
			{name: "one with nothing", method: "POST", path: "/reports", status: 200, keep: map[string]string{"bare": "id"}, body: `{"name":"Bare"}`},
		})
		for _, id := range []string{a.vars["id"], a.vars["bare"]} {
			path := "/reports/" + id
			before := read(path)
			a.run(t, []step{
				{
					name: "all of it changes", method: "PUT", path: path, status: 200,
					body: `{"name":"N","title":"","description":"x","sqlQuery":"SELECT 2","jsonQuery":"","rowKey":["x"],"folderId":6,"meta":{"z":1},"pivotItems":null}`,
				},
				{name: "and its access", method: "PUT", path: path + "/access", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
			})
			a.run(t, []step{{name: "its tag", method: "GET", path: path, status: 200, keep: map[string]string{"tag": "ETag"}}})
			changed := read(path)
			definition, err := json.Marshal(read(path + "/versions/1")["definition"])
			if err != nil {
				t.Fatal(err)
			}
			header := map[string]string{"If-Match": "{{tag}}", "Prefer": "handling=strict"}
			a.run(t, []step{
				{name: "restored", method: "PUT", path: path, body: string(definition), header: header, status: 200, holds: `{"version":4}`},
				{name: "and again to no effect", method: "PUT", path: path, body: string(definition), status: 200, holds: `{"version":4}`},
			})
			want, got := before, read(path)
			want["rolesWithAccess"] = changed["rolesWithAccess"] // who may read is not part of a definition
			for _, name := range []string{"version", "updatedAt", "updatedBy"} {
				delete(want, name)
				delete(got, name)
			}
			if diff := cmp.Diff(want, got); diff != "" || got["currentQueryChecksum"] == changed["currentQueryChecksum"] {
				t.Errorf("(-before +restored):\n%s", diff)
			}
		}
	})
}

func TestVersionsOfAReport(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const path = "/reports/{{id}}/versions"
		a.run(t, []step{
			report("Sales"),
			{
				name: "the present one is the only one", method: "GET", path: path, status: 200,
				holds: `{"items":[{"version":1,"name":"Sales","current":true,"updatedBy":{"id":1}}],"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "renamed", method: "PUT", path: "/reports/{{id}}", as: "manager", body: `{"name":"Costs"}`, status: 200},
			{name: "renamed again", method: "PUT", path: "/reports/{{id}}", body: `{"name":"Profit"}`, status: 200},
			{
				name: "the latest first", method: "GET", path: path + "?first=2", status: 200,
				holds: `{"items":[{"version":3,"name":"Profit","current":true,"updatedBy":{"id":1}},{"version":2,"name":"Costs","current":false,"updatedBy":{"id":4}}],
					"pageInfo":{"hasNextPage":true,"endCursor":"Mg"}}`,
			},
			{
				name: "page by page", method: "GET", path: path + "?first=2&after=Mg", status: 200,
				holds: `{"items":[{"version":1,"name":"Sales","current":false}],"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "one of them", method: "GET", path: path + "/2", status: 200, holds: `{"version":2,"current":false,"updatedBy":{"id":4},"definition":{"name":"Costs"}}`},
			{name: "the present one", method: "GET", path: path + "/3", status: 200, holds: `{"version":3,"current":true,"definition":{"name":"Profit"}}`},
			{name: "one that is not there", method: "GET", path: path + "/4", status: 404, holds: `{"code":"not_found"}`},
			{name: "one that is no number", method: "GET", path: path + "/x", status: 404, holds: `{"code":"not_found"}`},
			{name: "a cursor of another list", method: "GET", path: path + "?after=eyJpIjoxfQ", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "a reader reads them", method: "GET", path: path + "/1", as: "viewer", status: 200, holds: `{"definition":{"name":"Sales"}}`},
			{name: "so does another deployment's, but not here", method: "GET", path: path, as: "only2", status: 403},
			{name: "another tenant has no such report", method: "GET", path: path, as: "foreign", status: 404, holds: `{"code":"not_found"}`},
			{name: "a stranger does not know of it", method: "GET", path: path, as: "stranger", status: 404, holds: `{"code":"not_found"}`},
			{name: "nor of a version", method: "GET", path: path + "/1", as: "stranger", status: 404, holds: `{"code":"not_found"}`},
			{name: "nor a role without access", method: "GET", path: path, as: "role7", status: 404},
			{name: "access", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
			{name: "who may read it now reads what was before", method: "GET", path: path + "/1", as: "role7", status: 200, holds: `{"definition":{"name":"Sales"}}`},
			{name: "deleted", method: "DELETE", path: "/reports/{{id}}", status: 200},
			{name: "and gone", method: "GET", path: path, status: 404},
		})
	})
}
