package web

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// A text has one reading or none (decisions.md §1): two names that differ only in broken bytes are not to become one placement.
func TestATextWithoutOneReadingIsRefused(t *testing.T) {
	const place = `{"externalWorkbookId":"book","resultLocation":"Data!B2","sheetName":"Data"`
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for _, tc := range []struct {
		fact, method, path, body string
		pointers                 []string
	}{
		{"a broken byte in a value", "PUT", connectPath, place + ",\"workbookName\":\"a\xffb\"}", []string{"/workbookName"}},
		{"… another one in its place", "PUT", connectPath, place + ",\"workbookName\":\"a\xfeb\"}", []string{"/workbookName"}},
		{"a broken byte in an address that a disconnect names", "DELETE", connectPath, "{\"sheetName\":\"a\xffb\"}", []string{"/sheetName"}},
		{"a broken byte in a key that nothing knows", "POST", "/reports", "{\"a\xff\":1}", []string{""}},
		{"a broken byte deep within meta", "POST", "/reports", "{\"meta\":{\"a\":[0,\"\xc3\"]}}", []string{"/meta/a/1"}},
		{"half of a surrogate pair", "POST", "/reports", `{"name":"\ud800"}`, []string{"/name"}},
		{"a pair in the wrong order", "POST", "/reports", `{"name":"\udc00\ud800"}`, []string{"/name"}},
		{"a key twice", "PUT", connectPath, place + `,"sheetName":"Other"}`, []string{"/sheetName"}},
		{"a key twice, once escaped", "PUT", connectPath, place + `,"sheet\u004eame":"Data"}`, []string{"/sheetName"}},
		{"keys twice at any depth, all told", "POST", "/reports", `{"name":"x","name":"x","meta":{"l":[{"a/b":1,"a/b":2}]}}`, []string{"/meta/l/0/a~1b", "/name"}},
		{"a key twice in a body that is optional", "POST", "/reports/{{id}}/refreshes", `{"onEdit":"keep","onEdit":"stop"}`, []string{"/onEdit"}},
		{"a key twice in what is ignored", "PUT", "/reports/{{id}}", `{"id":1,"id":2}`, []string{"/id"}},
		{"two values", "POST", "/reports", `{} {}`, []string{""}},
		{"a byte order mark", "POST", "/reports", "\ufeff{}", []string{""}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var pointers []string
			for _, d := range a.refused(t, step{method: tc.method, path: tc.path, body: tc.body}, placements.CodeMalformed) {
				pointers = append(pointers, d.Pointer)
			}
			if diff := cmp.Diff(tc.pointers, pointers); diff != "" {
				t.Errorf("pointers (-want +got):\n%s", diff)
			}
		})
	}
	a.run(t, []step{
		{name: "a whole pair is a character", method: "POST", path: "/reports", body: `{"name":"\ud83d\ude00"}`, status: 200, holds: `{"name":"😀"}`},
		{name: "U+FFFD is one too", method: "POST", path: "/reports", body: "{\"name\":\"\ufffd\"}", status: 200, holds: "{\"name\":\"\ufffd\"}"},
		{name: "the same key in two objects is no fault", method: "POST", path: "/reports", body: `{"meta":{"a":{"x":1},"b":{"x":1}}}`, status: 200},
		{name: "no report was placed", method: "GET", path: "/reports/{{id}}", status: 200, holds: `{"externalWorkbookPlacements":[]}`},
	})
}

func TestAnAddressIsUTF8Too(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{
		{name: "a path", method: "GET", path: "/api/v1/external-documents/a%FFb/placements", status: 400, holds: `{"code":"malformed_json"}`},
		{name: "a slug", method: "GET", path: "/workbooks/by-slug/%C3", status: 400, holds: `{"code":"malformed_json"}`},
		{name: "a parameter", method: "GET", path: "/reports?search=%FF", status: 400, holds: `{"code":"malformed_json"}`},
		{name: "a parameter's name", method: "GET", path: "/reports?%FF=1", status: 400, holds: `{"code":"malformed_json"}`},
		{name: "a parameter that is not percent-encoded", method: "GET", path: "/reports?search=%zz", status: 400, holds: `{"code":"invalid_parameter"}`},
		{name: "UTF-8 passes", method: "GET", path: "/reports?search=%C3%A4", status: http.StatusOK},
		{name: "who may not ask is told that first", method: "GET", path: "/reports?search=%FF", as: "nobody", status: 401},
	})
}
