package web

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// keepEdits lets a run on the report kept as id leave those edits in the block of its placement p1.
func (a *api) keepEdits(t *testing.T, edits ...record.Edit) {
	t.Helper()
	a.completeRun(t, record.RunPlacement{PlacementID: "p1", State: placements.RunSucceeded}, edits...)
}

// completeRun lets a run on the report kept as id come to outcome on its placement p1 and leave edits there. It returns the run's id.
func (a *api) completeRun(t *testing.T, outcome record.RunPlacement, edits ...record.Edit) string {
	t.Helper()
	a.enqueueRun(t)
	return a.completeNext(t, outcome, edits...)
}

// enqueueRun queues a run on the report kept as id.
func (a *api) enqueueRun(t *testing.T) {
	t.Helper()
	ctx, d := t.Context(), record.Deployment{Tenant: "acme", ID: 1}
	id, err := strconv.ParseInt(a.vars["id"], 10, 64)
	if err = errors.Join(err, a.store.Work().Queue.Prepare(ctx), storagetest.Enqueue(ctx, a.store.Work(), d, &record.Run{ReportID: id})); err != nil {
		t.Fatal(err)
	}
}

// completeNext ends the run that is queued.
func (a *api) completeNext(t *testing.T, outcome record.RunPlacement, edits ...record.Edit) string {
	t.Helper()
	return a.completeNextAs(t, outcome, func(one *work.PlacementOutcome, _ string) { one.Edits = edits })
}

// completeNextAs is completeNext with what add says beside of the placement.
func (a *api) completeNextAs(t *testing.T, outcome record.RunPlacement, add func(one *work.PlacementOutcome, run string)) string {
	t.Helper()
	ctx := t.Context()
	entries, err := a.store.Work().Queue.Take(ctx, "agent", 16*storage.DefaultPartitions, -1)
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries %v, %v", entries, err)
	}
	attempt, err := a.store.Work().Queue.Begin(ctx, "agent", entries[0])
	if err != nil {
		t.Fatal(err)
	}
	report, err := a.store.Work().Load(ctx, attempt)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := report.Find("p1")
	attempt.Run.State, attempt.Run.EndedAt = placements.RunSucceeded, "2026-03-02T08:00:00.000Z"
	attempt.Run.Placements = []record.RunPlacement{outcome}
	one := work.PlacementOutcome{Placement: before.Placement, Before: before, Written: true}
	add(&one, attempt.Run.ID)
	one.LastRun = placements.LastRun{RunID: attempt.Run.ID, State: placements.RunSucceeded}
	err = a.store.Work().Complete(ctx, attempt, work.Outcome{Placements: []work.PlacementOutcome{one}})
	if err != nil {
		t.Fatal(err)
	}
	return attempt.Run.ID
}

// placedByTheViewer are the steps that make a report, readable for role 7, and place it as the viewer.
func placedByTheViewer() []step {
	return []step{
		report("Sales"),
		{
			name: "role 7 may read it", method: "PUT", path: "/reports/{{id}}/access", as: "admin", status: 200,
			body: `{"rolesWithAccess":[{"id":7,"name":"Readers","actions":["ReportRead"]}]}`,
		},
		{
			name: "the viewer places it", method: "PUT", path: connectPath, as: "viewer", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"'My data'!B2","placementId":"p1"}`,
			holds: placed(`{"id":"p1","placedByUserId":3}`),
		},
	}
}

func TestEdits(t *testing.T) {
	const path = "/reports/{{id}}/placements/p1/edits"
	const seenAt = "2026-03-02T07:00:00.000Z"
	each(t, func(t *testing.T, a *api) {
		a.run(t, append(placedByTheViewer(),
			step{
				name: "without edits the list is empty", method: "GET", path: path, as: "viewer", status: 200,
				holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`,
			},
			step{name: "and nothing to give back is a success", method: "DELETE", path: path, as: "viewer", status: 200, holds: `{"items":[]}`},
		))
		formula := map[string]any{"formula": "=<B7>", "value": 6}
		a.keepEdits(t,
			record.Edit{ID: "a", Row: 5, Column: 1, Name: "amount", Yours: formula, Source: 5, SeenAt: seenAt},
			record.Edit{ID: "b", Row: 6, Column: 0, Name: "city", Source: "Berlin", SeenAt: seenAt},
			record.Edit{ID: "c", Row: 7, Column: 0, Name: "city", Yours: "Bonn", Inserted: true, SeenAt: seenAt},
		)
		yours := `{"cell":"'My data'!C7","row":7,"column":"amount","yours":{"formula":"=<B7>","value":6},"source":5,"seenAt":"` + seenAt + `"}`
		emptied := `{"cell":"'My data'!B8","row":8,"column":"city","yours":null,"source":"Berlin","seenAt":"` + seenAt + `"}`
		inserted := `{"cell":"'My data'!B9","row":9,"column":"city","yours":"Bonn","inserted":true,"seenAt":"` + seenAt + `"}`
		all := `{"items":[` + yours + `,` + emptied + `,` + inserted + `],"pageInfo":{"hasNextPage":false}}`
		a.run(t, []step{
			{
				name: "the placement counts them", method: "GET", path: "/reports/{{id}}", as: "role7", status: 200,
				holds: placed(`{"edits":{"rows":3,"cells":3,"since":"` + seenAt + `"}}`),
			},
			{
				name: "so does the list of its spreadsheet", method: "GET", path: "/api/v1/external-documents/book/placements", as: "viewer",
				status: 200,
				holds:  `{"items":[{"placement":{"edits":{"rows":3,"cells":3,"since":"` + seenAt + `"}}}]}`,
			},
			{name: "who placed the report sees the values", method: "GET", path: path, as: "viewer", status: 200, holds: all},
			{name: "so does who may manage it", method: "GET", path: path, as: "manager", status: 200, holds: all},
			{
				name: "the first page", method: "GET", path: path + "?first=2", as: "viewer", status: 200,
				holds: `{"items":[` + yours + `,` + emptied + `],"pageInfo":{"hasNextPage":true}}`, keep: map[string]string{"page": "pageInfo"},
			},
			{
				name: "what follows a cursor", method: "GET", path: path + "?first=2&after=6.0", as: "viewer", status: 200,
				holds: `{"items":[` + inserted + `],"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "a cursor of another list is refused", method: "GET", path: path + "?after=x", as: "viewer", status: 400},
			{name: "a size that is no number is refused", method: "GET", path: path + "?first=x", as: "viewer", status: 400},
			{name: "a stranger finds nothing", method: "GET", path: path, as: "stranger", status: 404},
			{
				name: "an unknown placement is not found", method: "GET", path: "/reports/{{id}}/placements/p9/edits", as: "viewer", status: 404,
				holds: `{"code":"not_found"}`,
			},
			{
				name: "an unknown report is not found", method: "GET", path: "/reports/999/placements/p1/edits", as: "viewer", status: 404,
				holds: `{"code":"not_found"}`,
			},
		})
		for _, as := range []string{"editor2", "role7"} {
			items := a.edits(t, path, as)
			if len(items) != 3 {
				t.Fatalf("%s sees %v", as, items)
			}
			for _, item := range items {
				if _, leaked := item["yours"]; leaked || item["source"] != nil || item["cell"] == nil {
					t.Errorf("%s, who neither placed the report nor manages it, sees %v", as, item)
				}
			}
		}
		for _, item := range a.edits(t, path, "viewer")[2:] {
			if _, has := item["source"]; has {
				t.Errorf("an inserted row has a source: %v", item)
			}
		}
	})
}

// edits lists the edits at a path as a caller sees them.
func (a *api) edits(t *testing.T, path, as string) []map[string]any {
	t.Helper()
	var page struct{ Items []map[string]any }
	decodeInto(t, a.send(step{method: "GET", path: path, as: as}), &page)
	return page.Items
}

func TestGivingEditsBack(t *testing.T) {
	const path = "/reports/{{id}}/placements/p1/edits"
	each(t, func(t *testing.T, a *api) {
		a.run(t, placedByTheViewer())
		inserted := record.Edit{ID: "c", Row: 3, Column: 0, Name: "city", Yours: "Bonn", Inserted: true}
		a.keepEdits(t, record.Edit{ID: "a", Row: 1, Column: 0, Name: "city"}, record.Edit{ID: "b", Row: 2, Column: 0, Name: "city"}, inserted)
		a.run(t, []step{
			{
				name: "every cell that cannot be given back is named", method: "DELETE", path: path, as: "viewer", status: 400,
				body: `{"cells":["B3","B9","'My data'!B5","?"]}`,
				holds: `{"code":"invalid_request","message":"3 of the cells cannot be given back; see details.",
					"details":[{"pointer":"/cells/1"},{"pointer":"/cells/2"},{"pointer":"/cells/3"}]}`,
			},
			{
				name: "cells are texts", method: "DELETE", path: path, as: "viewer", status: 400, body: `{"cells":[3]}`,
				holds: `{"details":[{"pointer":"/cells/0"}]}`,
			},
			{
				name: "nothing was given back", method: "GET", path: path, as: "viewer", status: 200,
				holds: `{"items":[{"cell":"'My data'!B3"},{"cell":"'My data'!B4"},{"cell":"'My data'!B5"}]}`,
			},
			{
				name: "an unknown key is refused when the request is strict", method: "DELETE", path: path, as: "viewer", status: 400,
				body: `{"cell":"B3"}`, header: map[string]string{"Prefer": "handling=strict"},
			},
			{name: "a stranger finds nothing", method: "DELETE", path: path, as: "stranger", status: 404, holds: `{"code":"not_found"}`},
			{
				name: "an unknown report reads the same", method: "DELETE", path: "/reports/999/placements/p1/edits", as: "stranger", status: 404,
				holds: `{"message":"No such placement here, or this token may not read it: check the id, and the roles and actions of the token."}`,
			},
			{
				name: "an unknown placement is not found", method: "DELETE", path: "/reports/{{id}}/placements/p9/edits", as: "viewer", status: 404,
				holds: `{"message":"No such placement here, or this token may not read it: check the id, and the roles and actions of the token."}`,
			},
			{
				name: "read access to another's placement is not enough", method: "DELETE", path: path, as: "role7", status: 403,
				holds: `{"code":"forbidden"}`,
			},
			{
				name: "who placed the report gives a cell back", method: "DELETE", path: path, as: "viewer", status: 200, body: `{"cells":["$b$3"]}`,
				holds: `{"items":[{"cell":"'My data'!B3","returned":true},{"cell":"'My data'!B4"},{"cell":"'My data'!B5","yours":"Bonn"}]}`,
			},
			{
				name: "the placement counts it until the next run", method: "GET", path: "/reports/{{id}}", status: 200,
				holds: placed(`{"edits":{"rows":3,"cells":3}}`),
			},
			{
				name: "edit access gives all back, but for inserted rows", method: "DELETE", path: path, as: "editor2", status: 200,
				holds: `{"items":[{"returned":true},{"returned":true},{"inserted":true}]}`,
			},
		})
		if last := a.edits(t, path, "viewer")[2]; last["returned"] != nil {
			t.Errorf("the cell of an inserted row is given back: %v", last)
		}
		a.keepEdits(t, inserted)
		a.run(t, []step{
			{
				name: "the run that took them leaves the rest", method: "GET", path: path, as: "viewer", status: 200,
				holds: `{"items":[{"cell":"'My data'!B5","inserted":true}]}`,
			},
			{
				name: "a report read back and sent again changes nothing of them", method: "GET", path: "/reports/{{id}}", status: 200,
				keep: map[string]string{"placements": "externalWorkbookPlacements"},
			},
			{
				name: "…", method: "PUT", path: "/reports/{{id}}", body: `{"externalWorkbookPlacements":{{placements}},"title":"T"}`,
				header: map[string]string{"Prefer": "handling=strict"},
				status: 200, holds: placed(`{"edits":{"rows":1,"cells":1}}`),
			},
			{
				name: "a data write by an add-in ends them", method: "PUT", path: "/reports/{{id}}/refresh", as: "viewer",
				body: `{"placementId":"p1"}`, status: 200,
			},
			{name: "…", method: "GET", path: path, as: "viewer", status: 200, holds: `{"items":[]}`},
		})
	})
}

func TestRowKey(t *testing.T) {
	const upsert = "/reports/by-public-id/RowKey000001"
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{
				name: "an upsert that creates takes it", method: "PUT", path: upsert,
				body: `{"name":"R","sqlQuery":"SELECT 1","rowKey":["id","Größe <&>"]}`, status: 200,
				holds: `{"version":1,"rowKey":["id","Größe <&>"]}`, keep: map[string]string{"id": "id", "sum": "currentQueryChecksum"},
			},
			{name: "it is shown", method: "GET", path: "/reports/{{id}}", status: 200, holds: `{"rowKey":["id","Größe <&>"]}`},
			{
				name: "the same again is no change", method: "PUT", path: upsert, body: `{"rowKey":["id","Größe <&>"]}`, status: 200,
				holds: `{"version":1}`,
			},
			{
				name: "another order is another key", method: "PUT", path: upsert, body: `{"rowKey":["Größe <&>","id"]}`, status: 200,
				holds: `{"version":2,"rowKey":["Größe <&>","id"]}`,
			},
			{
				name: "an update takes it, and the query is the same one", method: "PUT", path: "/reports/{{id}}", body: `{"rowKey":["id"]}`,
				status: 200,
				holds:  `{"version":3,"rowKey":["id"],"currentQueryChecksum":"{{sum}}"}`,
			},
			{
				name: "an absent key changes nothing", method: "PUT", path: "/reports/{{id}}", body: `{"title":"T"}`, status: 200,
				holds: `{"version":4,"rowKey":["id"]}`,
			},
			{
				name: "null clears it", method: "PUT", path: "/reports/{{id}}", body: `{"rowKey":null}`, status: 200, holds: `{"version":5}`,
				lacks: []string{"rowKey"},
			},
			{
				name: "and null again is no change", method: "PUT", path: upsert, body: `{"rowKey":null}`, status: 200, holds: `{"version":5}`,
				lacks: []string{"rowKey"},
			},
			{
				name: "a creation takes it", method: "POST", path: "/reports", body: `{"name":"S","rowKey":["id"]}`, status: 200,
				holds: `{"version":1,"rowKey":["id"]}`,
			},
		})
	})
}

func TestRowKeyRefuses(t *testing.T) {
	a := onEmbedded(t)
	for _, tt := range []struct{ name, rowKey, pointer string }{
		{"a text", `"id"`, "/rowKey"},
		{"no column", `[]`, "/rowKey"},
		{"seventeen columns", `["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"]`, "/rowKey"},
		{"a number", `["id",2]`, "/rowKey/1"},
		{"an empty name", `["id",""]`, "/rowKey/1"},
		{"null for a name", `[null]`, "/rowKey/0"},
		{"a name of 256 characters", `["` + strings.Repeat("ä", 256) + `"]`, "/rowKey/0"},
		{"a column twice", `["id","name","id"]`, "/rowKey/2"},
	} {
		a.run(t, []step{{
			name: tt.name, method: "POST", path: "/reports", body: `{"name":"R","rowKey":` + tt.rowKey + `}`,
			status: 400, holds: `{"code":"invalid_request","details":[{"pointer":"` + tt.pointer + `"}]}`,
		}})
	}
	longest := `["` + strings.Repeat("ä", 255) + `","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16"]`
	body := `{"rowKey":` + longest + `}`
	a.run(t, []step{{name: "the longest key", method: "POST", path: "/reports", body: body, status: 200, holds: body}})
}

// What a run replaced is shown to who placed the report there and to who may manage it; others see which rows it were.
func TestOverwrittenValuesAreShownToWhomTheyConcern(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, placedByTheViewer())
		run := a.completeRun(t, record.RunPlacement{
			PlacementID: "p1", State: placements.RunSucceeded, Overwritten: []record.OverwrittenRow{{Row: 3, Values: []any{"secret", 7}}},
		})
		for _, path := range []string{"/reports/{{id}}/refreshes/" + run, "/reports/{{id}}/refreshes"} {
			for _, as := range []string{"viewer", "manager", "role7", "editor2"} {
				answer := a.send(step{method: "GET", path: path, as: as}).Body.String()
				if seen := strings.Contains(answer, "secret"); seen != (as == "viewer" || as == "manager") || !strings.Contains(answer, `"row":3`) {
					t.Errorf("GET %s as %s answers %s", path, as, answer)
				}
			}
		}
	})
}
