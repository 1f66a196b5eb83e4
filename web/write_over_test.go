package web

import "testing"

func TestWriteOver(t *testing.T) {
	const path = "/reports/{{id}}/refreshes"
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, placedByTheViewer())
		a.run(t, []step{
			{
				name: "a reader's spreadsheet is not known to be theirs", method: "POST", path: path, as: "viewer", body: `{"placementId":"p1","writeOver":true}`,
				status: 403, holds: `{"code":"forbidden"}`,
			},
			{name: "nor is it another reader's", method: "POST", path: path, as: "role7", body: `{"placementId":"p1","writeOver":true}`, status: 403, holds: `{"code":"forbidden"}`},
			{
				name: "it names a block", method: "POST", path: path, as: "editor2", body: `{"writeOver":true}`, status: 400,
				holds: `{"code":"invalid_request","details":[{"pointer":"/placementId"}]}`,
			},
			{name: "not a word", method: "POST", path: path, as: "editor2", body: `{"placementId":"p1","writeOver":"yes"}`, status: 400, holds: `{"details":[{"pointer":"/writeOver"}]}`},
			{
				name: "their add-in has it open", method: "POST", path: path, as: "viewer", body: `{"placementId":"p1","writeOver":true,"executor":"client"}`,
				status: 202, keep: map[string]string{"run": "runId"},
			},
			{name: "which the run says", method: "GET", path: path + "/{{run}}", as: "viewer", status: 200, holds: `{"writeOver":true}`},
			{name: "…", method: "DELETE", path: path + "/{{run}}", as: "viewer", status: 202},
			{name: "who edits the report may", method: "POST", path: path, as: "editor2", body: `{"placementId":"p1","writeOver":true}`, status: 202},
		})
	})
}
