package web

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// waiting is the last run of a placement that waits since a minute of 05:00 and is tried again at another, of 2120.
func waiting(reason placements.Reason, since, next int) *placements.LastRun {
	return &placements.LastRun{
		RunID: "r", State: placements.RunQueued, Reason: reason, Error: "It waits.",
		Since:         fmt.Sprintf("2026-03-01T05:%02d:00.000Z", since),
		NextAttemptAt: fmt.Sprintf("2120-03-01T05:%02d:00.000Z", next),
	}
}

// down is the same for a source that does not answer: its runs have an errorClass, so that its placements are FAILED too.
func down(since, next int) *placements.LastRun {
	run := waiting(placements.ReasonSource, since, next)
	run.ErrorClass = placements.Transient
	return run
}

func failed(class placements.Class, sentence string, ended int) *placements.LastRun {
	return &placements.LastRun{
		RunID: "r", State: placements.RunFailed, ErrorClass: class, Error: sentence, EndedAt: fmt.Sprintf("2026-03-01T05:%02d:00.000Z", ended),
		NextAttemptAt: "2026-03-01T05:10:00.000Z", // in the past
	}
}

// importLastRuns imports placements of a report, each in a document, with what their last runs left.
func (a *api) importLastRuns(t *testing.T, report string, runs map[string]*placements.LastRun) {
	t.Helper()
	id, err := strconv.ParseInt(a.vars[report], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var list []storage.Placed
	for name, run := range runs {
		list = append(list, storage.Placed{LastRun: run, Placement: placements.Placement{
			ID: report + name, WorkbookID: name[:1], ResultLocation: name[2:] + "!A1", PlacedAt: "2026-02-01T07:00:00Z", PlacedByUserID: 2,
		}})
	}
	if err := storagetest.Import(t.Context(), a.store, record.Deployment{Tenant: "acme", ID: 1}, id, list); err != nil {
		t.Fatal(err)
	}
}

// Thirteen blocks behind one source are one cause, which does not push others out; what has ended is apart from what waits.
func TestCausesAreGrouped(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "no cause", method: "GET", path: "/causes", status: 200, holds: `{"causes":[],"complete":true}`},
			{name: "a report", method: "POST", path: "/reports", body: `{"name":"Sales","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"sales": "id"}},
			{
				name: "which role 7 may read", method: "PUT", path: "/reports/{{sales}}/access", as: "admin",
				body: `{"rolesWithAccess":[{"id":7,"name":"Readers","actions":["ReportRead"]}]}`, status: 200,
			},
			{name: "another", method: "POST", path: "/reports", as: "editor2", body: `{"name":"Costs","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"costs": "id"}},
		})
		runs := map[string]*placements.LastRun{
			"x-typo": failed(placements.Structure, "No such column: mile.", 4), "y-typo": failed(placements.Structure, "No such column: mile.", 3),
			"x-met": failed(placements.Conflict, "B2 is not ours.", 5), "y-met": failed(placements.Conflict, "C7 is not ours.", 6),
			"z-open": waiting(placements.ReasonLocked, 20, 30),
		}
		runs["v-unset"] = failed(placements.Conflict, "Region has no value", 7)
		runs["v-unset"].Clash = &placements.Clash{Values: true}
		for i := range 12 {
			runs[fmt.Sprintf("%c-down", 'a'+i)] = down(2+i, 14+i)
		}
		a.importLastRuns(t, "sales", runs)
		a.importLastRuns(t, "costs", map[string]*placements.LastRun{"a-down": down(1, 13), "a-typo": failed(placements.Structure, "No such table.", 9)})

		type cause struct {
			Status, Reason, Error, Since, Next string
			Placements, Documents, First       int
		}
		causes := func(as string) (list []cause) {
			var got struct {
				Causes []struct {
					Status, Reason, Error, Since, NextAttemptAt string

					Placements, Documents int
					First                 []json.RawMessage
				}
				Complete bool
			}
			decodeInto(t, a.send(step{method: "GET", path: "/causes", as: as}), &got)
			for _, c := range got.Causes {
				list = append(list, cause{c.Status, c.Reason, c.Error, c.Since, c.NextAttemptAt, c.Placements, c.Documents, len(c.First)})
			}
			if !got.Complete {
				t.Error("not complete")
			}
			for i := range list {
				if list[i].Status == "CONFLICT" {
					list[i].Error = "" // that of one of them
				}
			}
			return list
		}
		met := cause{"CONFLICT", "", "", "2026-03-01T05:05:00.000Z", "", 2, 2, 2}
		unset := cause{"CONFLICT", "", "", "2026-03-01T05:07:00.000Z", "", 1, 1, 1} // which other values end
		typo := cause{"FAILED", "", "No such column: mile.", "2026-03-01T05:03:00.000Z", "", 2, 2, 2}
		open := cause{"WAITING", "locked", "It waits.", "2026-03-01T05:20:00.000Z", "2120-03-01T05:30:00.000Z", 1, 1, 1}
		if diff := cmp.Diff([]cause{
			met, unset, typo,
			{"FAILED", "", "No such table.", "2026-03-01T05:09:00.000Z", "", 1, 1, 1},
			{"WAITING", "source", "It waits.", "2026-03-01T05:01:00.000Z", "2120-03-01T05:13:00.000Z", 13, 12, 3},
			open,
		}, causes("viewer")); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]cause{
			met, unset, typo, {"WAITING", "source", "It waits.", "2026-03-01T05:02:00.000Z", "2120-03-01T05:14:00.000Z", 12, 12, 3}, open,
		}, causes("role7")); diff != "" {
			t.Errorf("of a reader of one report (-want +got):\n%s", diff)
		}
		for query, want := range map[string]int{
			"status=WAITING": 14, "status=WAITING&reason=source": 13, "reason=locked": 1, "reason=missing": 0, "status=FAILED": 16,
		} {
			if got := a.placedOn(t, "viewer", "/placements?"+query).ids; len(got) != want {
				t.Errorf("%s: %d placements, want %d", query, len(got), want)
			}
		}
		a.run(t, []step{{name: "what is no reason is refused", method: "GET", path: "/placements?reason=addin_only", status: 400, holds: `{"code":"invalid_parameter"}`}})
	})
}
