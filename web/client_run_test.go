package web

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/source"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
	"mooring/web/sheet"
)

// startsClient begins a run of p1 by the user's client.
func startsClient(name, run string) step {
	return step{
		name: name, method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client","placementId":"p1"}`, status: 202,
		holds: `{"fence":1}`, keep: map[string]string{run: "runId"},
	}
}

// placedRows is a report of the source's table that its caller has placed.
var placedRows = []step{
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n, s FROM t ORDER BY n"}`, status: 200, keep: map[string]string{"report": "id"}},
	{
		name: "is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
		body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true}`,
	},
}

const fillRows = `CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, '=1+1')`

// emptySheet is the body of a plan where nothing stands.
const emptySheet = `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[]}`

func TestAClientRun(t *testing.T) {
	a := withSource(t, fillRows)
	a.run(t, append(placedRows[:2:2], []step{
		startsClient("a client starts", "run"),
		{name: "the run is shown", method: "GET", path: "/refreshes/{{run}}", status: 200, holds: `{"executor":"client","state":"RUNNING","attempt":1,"placementId":"p1","externalWorkbookId":"book"}`},
		{name: "so is its placement", method: "GET", path: "/reports/{{report}}", status: 200, holds: `{"externalWorkbookPlacements":[{"syncStatus":"REFRESHING"}]}`},
		{name: "another client waits for it", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client","placementId":"p1"}`, status: 409, holds: `{"code":"run_in_progress","retryable":true,"details":[{"runId":"{{run}}"}]}`},
		{name: "the lease is renewed", method: "PUT", path: "/refreshes/{{run}}/lease", body: `{"fence":1}`, status: 200, holds: `{"runId":"{{run}}","fence":1}`},
		{name: "nothing is planned yet", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{"v":2,"chunks":[]}}`, status: 409, holds: `{"code":"digest_mismatch"}`},
		{
			name: "the plan", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 200,
			holds: `{"edits":{"rows":0,"cells":0},"movedRows":0,"message":"","patch":{"anchor":"Data!B2","extent":{"rows":4,"columns":2},"marker":"_mooring_p1",
				"shifts":[],"clear":[],"formats":[],"rows":[{"from":0,"to":4,"cells":[["n","s"],[1,"a"],[2,"b"],[3,"=1+1"]]}]}}`,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{name: "another fence settles nothing", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":2,"resultChecksum":{{sum}}}`, status: 409, holds: `{"code":"lease_lost","retryable":false}`},
		{name: "nor does another user", method: "POST", path: "/refreshes/{{run}}/complete", as: "viewer", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 403, holds: `{"code":"forbidden"}`},
		{name: "who may not read the report finds no run", method: "PUT", path: "/refreshes/{{run}}/lease", as: "stranger", body: `{"fence":1}`, status: 404},
		{
			name: "it is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200,
			holds: `{"id":"{{run}}","executor":"client","state":"SUCCEEDED","rowsWritten":4,"cellsWritten":8,"placements":[{"placementId":"p1","state":"SUCCEEDED"}]}`,
		},
		{name: "again the same", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200, holds: `{"id":"{{run}}","state":"SUCCEEDED"}`},
		{name: "its placement is up to date", method: "GET", path: "/reports/{{report}}", status: 200, holds: `{"externalWorkbookPlacements":[{"syncStatus":"UP_TO_DATE","endResultCell":"C5","resultChecksum":{{sum}}}]}`},
		{name: "its history has the run", method: "GET", path: "/reports/{{report}}/refreshes", status: 200, holds: `{"items":[{"id":"{{run}}","executor":"client"}]}`},

		startsClient("the next run", "next"),
		{
			name: "keeps what a person typed, with its formula", method: "POST", path: "/refreshes/{{next}}/plan", status: 200,
			body: `{"fence":1,"anchor":"Data!B2","marked":{"rows":4,"columns":2},"extent":{"rows":40,"columns":4},"cells":[["n","s"],[2,"b"],[1,6],[3,"=1+1"]],
				"formulas":[{"row":2,"column":1,"text":"=B5*2"}]}`,
			holds: `{"edits":{"rows":1},"movedRows":1,"patch":{"rows":[{"cells":[[1,{"formula":"=B5*2"}],[2,"b"]]}]}}`,
		},
		{name: "it is stopped", method: "DELETE", path: "/refreshes/{{next}}", status: 202},
		{name: "at once", method: "GET", path: "/refreshes/{{next}}", status: 200, holds: `{"state":"STOPPED"}`},
		{name: "and goes on no more", method: "POST", path: "/refreshes/{{next}}/plan", body: emptySheet, status: 409, holds: `{"code":"lease_lost"}`},

		startsClient("a run that must not overwrite", "conflict"),
		{
			name: "meets what is not ours", method: "POST", path: "/refreshes/{{conflict}}/plan", status: 409,
			body:  `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[["Mine"]]}`,
			holds: `{"code":"block_conflict","retryable":false}`,
		},
		{name: "which ends it", method: "GET", path: "/refreshes/{{conflict}}", status: 200, holds: `{"state":"FAILED","errorClass":"conflict"}`},
		{
			name: "its placement says so, and that no option of a run ends it", method: "GET", path: "/reports/{{report}}", status: 200,
			holds: `{"externalWorkbookPlacements":[{"syncStatus":"CONFLICT","lastRun":{"errorClass":"conflict"}}]}`, lacks: []string{`"conflict":{`},
		},
	}...))
}

// A preview says what a run would do, and leaves nothing.
func TestAPreviewOfAClientRun(t *testing.T) {
	a := withSource(t, fillRows)
	preview := func(name, as, options, cells string, status int, holds string) step {
		return step{
			name: name, method: "POST", path: "/reports/{{report}}/placements/p1/preview", as: as, status: status, holds: holds,
			body: `{` + options + `"anchor":"Data!B2","marked":{"rows":3,"columns":2},"extent":{"rows":40,"columns":4},"cells":` + cells + `,
				"around":[{"sheet":"Other","formulas":[{"row":0,"column":0,"text":"=SUM(Data!B3:B4)"}]}]}`,
		}
	}
	const total = `[["n","s"],[1,"a"],[2,"b"],["Total"]]`
	conflict := step{
		name: "it stays in its conflict, which names what is in the way", method: "GET", path: "/reports/{{report}}", status: 200,
		holds: `{"externalWorkbookPlacements":[{"syncStatus":"CONFLICT","lastRun":{"runId":"{{next}}",
			"conflict":{"room":{"cells":"Data!B5","filled":1,"rows":1,"columns":0,"insertRows":1,"shiftRows":true}}}}]}`,
	}
	a.run(t, append(placedRows[:2:2], []step{
		startsClient("a run", "run"),
		{
			name: "fills the block", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 200,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{name: "and is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200},
		startsClient("the next one", "next"),
		{
			name: "has no room", method: "POST", path: "/refreshes/{{next}}/plan", status: 409, holds: `{"code":"block_conflict"}`,
			body: `{"fence":1,"anchor":"Data!B2","marked":{"rows":3,"columns":2},"extent":{"rows":40,"columns":4},"cells":` + total + `}`,
		},
		conflict,
		preview("with shiftRows it would have", "", `"shiftRows":true,`, total, 200, `{"insertedRows":1,"formulas":1,"message":"1 row inserted at Data!B5; 1 formula in 1 sheet follows; 1 deleted row written again"}`),
		preview("without, it would not", "", "", total, 409, `{"code":"block_conflict"}`),
		preview("what it lacks of the sheet it says", "", `"shiftRows":true,`, `[["n","s"]],"extent":{"rows":2,"columns":2}`, 400, `{}`),
		preview("it is not for a person whose rows these are not", "viewer", `"shiftRows":true,`, total, 403, `{"code":"not_placer"}`),
		preview("nor a way to learn of the report", "stranger", `"shiftRows":true,`, total, 404, `{}`),
		conflict,
	}...))
}

func TestAClientRunThatShiftsHasTheFormulasAroundItsBlock(t *testing.T) {
	a := withSource(t, fillRows)
	a.run(t, append(placedRows[:2:2], []step{
		{
			name: "rows shift", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true,"shiftRows":true,"fillRight":"E:E"}`,
		},
		startsClient("a run", "run"),
		{
			name: "fills it", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 200,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{name: "and is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200},
		startsClient("the next run, whose last row was deleted", "next"),
		{
			name: "is told what to write around it", method: "POST", path: "/refreshes/{{next}}/plan", status: 200,
			body: `{"fence":1,"anchor":"Data!B2","marked":{"rows":3,"columns":2},"extent":{"rows":40,"columns":4},"cells":[["n","s"],[1,"a"],[2,"b"]],
				"around":[{"sheet":"Data","formulas":[{"row":3,"column":4,"text":"=B4*2"}]},
					{"sheet":"Other","formulas":[{"row":0,"column":0,"text":"=SUM(Data!B3:B4)"}]}]}`,
			holds: `{"patch":{"shifts":[{"row":3,"rows":1}],"beside":4,"formulas":[{"sheet":"Data","row":4,"column":4,"texts":["=B5*2"]},
				{"sheet":"Other","row":0,"column":0,"was":{"row":0,"text":"=SUM(Data!B3:B4)"},"texts":["=SUM(Data!B3:B5)"]}]}}`,
		},
		{
			name: "and over which columns a table moves along", method: "POST", path: "/refreshes/{{next}}/plan", status: 200,
			body:  `{"fence":1,"anchor":"Data!B2","marked":{"rows":3,"columns":2},"table":6,"extent":{"rows":40,"columns":6},"cells":[["n","s"],[1,"a"],[2,"b"]]}`,
			holds: `{"patch":{"shifts":[{"row":3,"rows":1}],"beside":6}}`,
		},
		{
			name: "which are within the sheet", method: "POST", path: "/refreshes/{{next}}/plan", status: 400, holds: `{"details":[{"pointer":"/table"}]}`,
			body: `{"fence":1,"anchor":"Data!B2","marked":{"rows":3,"columns":2},"table":16384,"extent":{"rows":40,"columns":6},"cells":[["n","s"]]}`,
		},
	}...))
}

func TestAClientRunWithAStatusCell(t *testing.T) {
	a := withSource(t, fillRows)
	plan := func(name, sheet, holds string) step {
		return step{
			name: name, method: "POST", path: "/refreshes/{{run}}/plan", status: 200, holds: holds, keep: map[string]string{"sum": "resultChecksum"},
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],` + sheet + `}`,
		}
	}
	written := `{"message":"","patch":{"status":{"cell":"F1","marker":"_mooring_p1.00status"}}}`
	alone := `{"message":"the status cell F1 was left alone: it holds something else than a refresh wrote there"}`
	a.run(t, append(placedRows[:2:2], []step{
		{
			name: "a status cell", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true,"statusCell":"F1"}`,
		},
		startsClient("a run", "run"),
		plan("is written into an empty cell", `"status":{"cell":"Data!F1","text":null}`, written),
		plan("over what an earlier run wrote", `"status":{"cell":"Data!$F$1","text":"Refreshed 2026-11-21 07:00 · 4 rows changed"}`, written),
		plan("not over a person's text", `"status":{"cell":"Data!F1","text":"mine"}`, alone),
		plan("nor a formula", `"status":{"cell":"Data!F1","text":"=\"\""}`, alone),
		{
			name: "another cell is not it", method: "POST", path: "/refreshes/{{run}}/plan", status: 200, holds: `{"need":{"status":"F1"}}`,
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],"status":{"cell":"Data!G1","marked":true}}`,
		},
		{
			name: "it names its sheet", method: "POST", path: "/refreshes/{{run}}/plan", status: 400, holds: `{"details":[{"pointer":"/status/cell"}]}`,
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],"status":{"cell":"F1"}}`,
		},
		plan("at last", `"status":{"cell":"Data!F1"}`, written),
		{name: "it is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200, holds: `{"state":"SUCCEEDED"}`},
		startsClient("the next run", "run"),
		{
			name: "follows its marker", method: "POST", path: "/refreshes/{{run}}/plan", status: 200, holds: `{"patch":{"status":{"cell":"F3"}}}`,
			body: `{"fence":1,"anchor":"Data!B4","marked":{"rows":4,"columns":2},"extent":{"rows":40,"columns":4},"cells":[["n","s"],[1,"a"]],
				"status":{"cell":"Data!F3","marked":true,"text":"Refreshed 2026-11-21 07:00 · 1 row changed"}}`,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{name: "to the end", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200, holds: `{"state":"SUCCEEDED"}`},
		{name: "which its placement shows", method: "GET", path: "/reports/{{report}}", status: 200, holds: `{"externalWorkbookPlacements":[{"statusCell":"F3"}]}`},
	}...))
}

func TestAClientRunOfAReportThatShowsItsFilters(t *testing.T) {
	a := overSource(t, filtered{filledSource(t, fillRows), []source.Filter{{Kind: source.FilterSegment, Member: "o.large", Text: "Large"}}})
	plan := func(name, sheet, holds string) step {
		return step{
			name: name, method: "POST", path: "/refreshes/{{run}}/plan", status: 200, holds: holds, keep: map[string]string{"sum": "resultChecksum"},
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],` + sheet + `}`,
		}
	}
	written := `{"message":"","patch":{"appliedFilters":{"cell":"B1","text":"Large","marker":"_mooring_p1.00filters"}}}`
	start := func(name string) step {
		s := startsClient(name, "run")
		s.holds = `{"appliedFilters":true}`
		return s
	}
	complete := step{name: "it is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200, holds: `{"state":"SUCCEEDED"}`}
	next := `{"fence":1,"anchor":"Data!B4","marked":{"rows":4,"columns":2},"extent":{"rows":40,"columns":4},"cells":[["n","s"],[1,"a"],[2,"b"],[3,"=1+1"]],` +
		`"appliedFilters":{"cell":"Data!B3","marked":true,"text":"%s"}}`
	a.run(t, append(placedRows[:2:2], []step{
		{
			name: "it shows them", method: "PUT", path: "/reports/{{report}}", status: 200,
			body: `{"pivotItems":{"columns":[],"filters":[],"measures":[],"rows":[],"showAppliedFilters":true}}`,
		},
		start("a run"),
		{
			name: "another cell is not theirs", method: "POST", path: "/refreshes/{{run}}/plan", status: 200, holds: `{"need":{"appliedFilters":"B1"}}`,
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],"appliedFilters":{"cell":"Data!G1","marked":true}}`,
		},
		plan("they are written into an empty cell", `"appliedFilters":{"cell":"Data!B1","text":null}`, written),
		plan("where they stand, for their marker", `"appliedFilters":{"cell":"Data!B1","text":"Large"}`, written),
		plan("not over a person's text", `"appliedFilters":{"cell":"Data!B1","text":"mine"}`,
			`{"message":"the cell for the applied filters B1 was left alone: it holds something else than a refresh wrote there"}`),
		{
			name: "it names its sheet", method: "POST", path: "/refreshes/{{run}}/plan", status: 400, holds: `{"details":[{"pointer":"/appliedFilters/cell"}]}`,
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[],"appliedFilters":{"cell":"B1"}}`,
		},
		plan("at last", `"appliedFilters":{"cell":"Data!B1"}`, written),
		complete,
		start("the next run"),
		{
			name: "has nothing to write", method: "POST", path: "/refreshes/{{run}}/plan", status: 200,
			body: fmt.Sprintf(next, "Large"), holds: `{"message":"","patch":{"anchor":"Data!B4","rows":[]}}`, keep: map[string]string{"sum": "resultChecksum"},
		},
		complete,
		{
			name: "it shows them no more", method: "PUT", path: "/reports/{{report}}", status: 200,
			body: `{"pivotItems":{"columns":[],"filters":[],"measures":[],"rows":[]}}`,
		},
		startsClient("a run", "run"),
		{
			name: "which empties the cell", method: "POST", path: "/refreshes/{{run}}/plan", status: 200, keep: map[string]string{"sum": "resultChecksum"},
			body: fmt.Sprintf(next, "Large"), holds: `{"message":"","patch":{"rows":[],"appliedFilters":{"cell":"B3","text":"","marker":"_mooring_p1.00filters"}}}`,
		},
		complete,
	}...))
}

func TestAPlacementThatGoesDuringAClientRun(t *testing.T) {
	a := withSource(t, fillRows)
	connect := func(name, where string) step {
		return step{name: name, method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"placementId":"p1","addressOnly":true,` + where + `}`, status: 200}
	}
	complete := step{
		name: "the run is settled", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200,
		holds: `{"state":"SUCCEEDED"}`,
	}
	plan := step{name: "a plan", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 200, keep: map[string]string{"sum": "resultChecksum"}}
	a.run(t, append(placedRows[:2:2], []step{
		startsClient("a run", "run"), plan,
		{name: "the report is edited", method: "PUT", path: "/reports/{{report}}", body: `{"sqlQuery":"SELECT s FROM t"}`, status: 200},
		complete,
		{name: "its placement shows the query before", method: "GET", path: "/reports/{{report}}", status: 200, holds: `{"externalWorkbookPlacements":[{"syncStatus":"CHANGED"}]}`},
		startsClient("another run", "run"), plan,
		connect("it is moved to another cell", `"externalWorkbookId":"book","resultLocation":"Data!K2"`),
		{name: "nothing is settled", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 409, holds: `{"code":"lease_lost"}`},
		{name: "the run has ended", method: "GET", path: "/refreshes/{{run}}", status: 200, holds: `{"state":"STOPPED"}`},
		{name: "it stays there, and is not written", method: "GET", path: "/reports/{{report}}", status: 200, holds: `{"externalWorkbookPlacements":[{"anchorCell":"K2"}]}`},
		startsClient("a run of what is there", "run"),
		connect("which goes to another spreadsheet", `"externalWorkbookId":"other","resultLocation":"Data!B2"`),
		{name: "has nothing to plan", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 409, holds: `{"code":"lease_lost"}`},
		{name: "and has ended", method: "GET", path: "/refreshes/{{run}}", status: 200, holds: `{"state":"STOPPED"}`},
	}...))
}

// Every step of a client run asks what its start asked: whose the placement is, and who may read its report.
func TestAClientRunAsksAgainWhoMayHaveIt(t *testing.T) {
	const run = "/refreshes/{{run}}/"
	steps := map[string]step{
		"lease":    {method: "PUT", path: run + "lease", body: `{"fence":1}`},
		"plan":     {method: "POST", path: run + "plan", body: emptySheet},
		"complete": {method: "POST", path: run + "complete", body: `{"fence":1,"resultChecksum":{{sum}}}`},
	}
	access := func(name, roles string) step {
		return step{name: name, method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[` + roles + `]}`, status: 200}
	}
	for cause, row := range map[string]struct {
		away   step
		status int
		holds  string
	}{
		"taken over": {
			step{
				method: "PUT", path: "/reports/{{report}}/connect-workbook", as: "viewer", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`,
			}, 403, `{"code":"not_placer"}`,
		},
		"may not read": {access("", ""), 404, `{"code":"not_found"}`},
	} {
		for name, again := range steps {
			t.Run(cause+", "+name, func(t *testing.T) {
				a := withSource(t, fillRows)
				a.tokens["reader"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 50, Roles: []int64{7}}})
				as := func(s step) step { s.as = "reader"; return s }
				row.away.name, again.name = cause, name
				again.status, again.holds = row.status, row.holds
				a.run(t, []step{
					placedRows[0], access("role 7 may read it", `{"id":7,"name":"R","actions":["ReportRead"]}`), as(placedRows[1]),
					as(startsClient("a run", "run")),
					{name: "a plan", method: "POST", path: "/refreshes/{{run}}/plan", as: "reader", body: emptySheet, status: 200, keep: map[string]string{"sum": "resultChecksum"}},
					row.away, as(again),
					{name: "the run has ended", method: "GET", path: "/refreshes/{{run}}", as: "admin", status: 200, holds: `{"state":"STOPPED","rowsWritten":0}`},
					{
						name: "the spreadsheet is free", method: "PUT", path: "/reports/{{report}}/connect-workbook", as: "admin", status: 200,
						body: `{"externalWorkbookId":"book","resultLocation":"Data!H2","placementId":"p2","addressOnly":true}`,
					},
					{name: "for another", method: "POST", path: "/reports/{{report}}/refreshes", as: "admin", body: `{"executor":"client","placementId":"p2"}`, status: 202},
				})
			})
		}
	}
}

func TestAPlacementThatIsRemovedFreesItsDocument(t *testing.T) {
	a := withSource(t, fillRows)
	placed := func(report, placement, at string) []step {
		return []step{
			{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n, s FROM t"}`, status: 200, keep: map[string]string{report: "id"}},
			{
				name: "is placed", method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"` + at + `","placementId":"` + placement + `","addressOnly":true}`,
			},
		}
	}
	starts := func(name, report, placement, run string) step {
		return step{
			name: name, method: "POST", path: "/reports/{{" + report + "}}/refreshes", status: 202, keep: map[string]string{run: "runId"},
			body: `{"executor":"client","placementId":"` + placement + `"}`,
		}
	}
	schedule := step{
		name: "a schedule", method: "POST", path: "/refresh-schedules", status: 200,
		body: `{"name":"S","target":{"reportId":{{third}}},"cron":["@daily"]}`,
	}
	steps := slices.Concat(placed("first", "p1", "Data!B2"), placed("second", "p2", "Data!H2"), placed("third", "p3", "Data!N2"), []step{
		starts("an add-in refreshes it", "first", "p1", "run"),
		{name: "the other block waits", method: "POST", path: "/reports/{{second}}/refreshes", body: `{"executor":"client","placementId":"p2"}`, status: 409, holds: `{"code":"run_in_progress"}`},
		{name: "it is disconnected", method: "DELETE", path: "/reports/{{first}}/connect-workbook", body: `{"placementId":"p1"}`, status: 200},
		{name: "its lease has ended", method: "PUT", path: "/refreshes/{{run}}/lease", body: `{"fence":1}`, status: 409, holds: `{"code":"lease_lost"}`},
		{name: "nothing is planned", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 409, holds: `{"code":"lease_lost"}`},
		starts("the other block waits no more", "second", "p2", "run"),
		{name: "its report is deleted", method: "DELETE", path: "/reports/{{second}}", as: "manager", status: 200},
		{name: "the run with it", method: "PUT", path: "/refreshes/{{run}}/lease", body: `{"fence":1}`, status: 404},
		starts("the third block waits no more", "third", "p3", "run"),
		schedule,
		{name: "a report in use is deleted", method: "DELETE", path: "/reports/{{third}}?force=true", as: "manager", status: 200},
	}, placed("fourth", "p4", "Data!B2"), []step{starts("a new block does not wait", "fourth", "p4", "run")})
	a.run(t, steps)
}

func TestWhoMayRunAsAClient(t *testing.T) {
	a := withSource(t, fillRows)
	a.run(t, append(placedRows[:2:2], []step{
		{name: "not who did not place it", method: "POST", path: "/reports/{{report}}/refreshes", as: "viewer", body: `{"executor":"client","placementId":"p1"}`, status: 403, holds: `{"code":"not_placer"}`},
		{name: "an agent may for them", method: "POST", path: "/reports/{{report}}/refreshes", as: "viewer", body: `{"executor":"agent","placementId":"p1"}`, status: 202, keep: map[string]string{"run": "runId"}},
		{name: "no client meanwhile", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client","placementId":"p1"}`, status: 409, holds: `{"code":"run_in_progress","details":[{"runId":"{{run}}"}]}`},
		{name: "a client refreshes one placement", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client"}`, status: 400, holds: `{"details":[{"pointer":"/placementId"}]}`},
		{name: "there are two executors", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"me","placementId":"p1"}`, status: 400, holds: `{"details":[{"pointer":"/executor"}]}`},
		{name: "none there", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client","placementId":"p9"}`, status: 409, holds: `{"code":"nothing_to_refresh"}`},
		{name: "an agent's run has no lease", method: "PUT", path: "/refreshes/{{run}}/lease", as: "viewer", body: `{"fence":1}`, status: 409, holds: `{"code":"lease_lost"}`},
		{name: "nor has a run that is not there", method: "PUT", path: "/refreshes/none/lease", body: `{"fence":1}`, status: 404},
	}...))
}

func TestASheetIsChecked(t *testing.T) {
	a := withSource(t, fillRows)
	a.run(t, append(placedRows[:2:2], startsClient("a run", "run")))
	for body, pointer := range map[string]string{
		`"cells":[]`:                                        "/anchor",
		`"anchor":"B2","cells":[]`:                          "/anchor",
		`"anchor":"Data!B2"`:                                "/cells",
		`"anchor":"Data!B2","cells":[7]`:                    "/cells/0",
		`"anchor":"Data!B2","cells":[[]],"fingerprints":[]`: "/cells",
		`"anchor":"Data!B2","cells":[[{"error":7}]]`:        "/cells/0/0/error",
		`"anchor":"Data!B2","cells":[[{}]]`:                 "/cells/0/0/error",
		`"anchor":"Data!B2","cells":[[[]]]`:                 "/cells/0/0",
		`"anchor":"Data!B2","cells":[[1e999]]`:              "/cells/0/0",
		`"anchor":"Data!B2","cells":[[],[],[],[]]`:          "/extent/rows",
		`"anchor":"Data!B2","fingerprints":["x"]`:           "/fingerprints/0",
		`"anchor":"Data!B2","fingerprints":["c44bdff4074eecdb"],"rows":[{"from":1,"cells":[[]]}]`:                "/rows/0",
		`"anchor":"Data!B2","fingerprints":["c44bdff4074eecdb"],"rows":[{"cells":[[]]}]`:                         "/rows/0/from",
		`"anchor":"Data!B2","cells":[],"rows":[{"from":0,"cells":[[]]}]`:                                         "/rows",
		`"anchor":"Data!B2","cells":[],"formulas":[{"row":9,"column":0,"text":"=1"}]`:                            "/formulas",
		`"anchor":"Data!B2","cells":[],"formulas":[{"row":0,"column":0,"text":"1"}]`:                             "/formulas/0/text",
		`"anchor":"Data!B2","cells":[],"around":[{"sheet":"Data","formulas":[{"row":0,"column":0,"text":"1"}]}]`: "/around/0/formulas/0/text",
		`"anchor":"Data!B2","cells":[],"around":[{"formulas":[]}]`:                                               "/around/0/sheet",
		`"anchor":"Data!B2","cells":[],"formulas":[{"row":0,"column":0},{"row":0,"column":0,"text":"=1"}]`:       "/formulas",
		`"anchor":"Data!XFD1048576","cells":[]`:                                                                  "/extent",
		`"anchor":"Data!B2","cells":[],"marked":{"rows":0,"columns":1}`:                                          "/marked/rows",
		`"anchor":"Data!B2","cells":[],"marked":{"rows":9223372036854775807,"columns":2}`:                        "/marked",
		`"anchor":"Data!B2","cells":[],"marked":{"rows":2,"columns":16384}`:                                      "/marked",
		`"anchor":"Data!B2","fingerprints":[],"rows":[{"from":9223372036854775807,"cells":[[]]}]`:                "/rows/0",
		`"anchor":"Data!B2","cells":[["a","b","c"]]`:                                                             "/extent/columns",
	} {
		a.run(t, []step{{
			name: body, method: "POST", path: "/refreshes/{{run}}/plan", body: `{"fence":1,"extent":{"rows":3,"columns":2},` + body + `}`, status: 400,
			holds: `{"details":[{"pointer":"` + pointer + `"}]}`,
		}})
	}
	a.run(t, []step{{
		name: "a sheet beyond counting", method: "POST", path: "/refreshes/{{run}}/plan", status: 400, holds: `{"details":[{"pointer":"/extent"}]}`,
		body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":9223372036854775807,"columns":9223372036854775807},"cells":[]}`,
	}})
	a.run(t, []step{
		{
			name: "too small a rectangle is told", method: "POST", path: "/refreshes/{{run}}/plan", status: 200,
			body: `{"fence":1,"anchor":"Data!B2","extent":{"rows":3,"columns":1},"cells":[]}`, holds: `{"need":{"extent":{"rows":20,"columns":2}}}`,
		},
		{
			name: "rows that nothing tells are asked for", method: "POST", path: "/refreshes/{{run}}/plan", status: 200,
			body:  `{"fence":1,"anchor":"Data!B2","extent":{"rows":20,"columns":2},"fingerprints":["c44bdff4074eecdb","0000000000000001","0000000000000002","c44bdff4074eecdb","0000000000000003"]}`,
			holds: `{"need":{"rows":[{"from":1,"to":3},{"from":4,"to":5}]}}`,
		},
	})
}

// A query that will fail again ends the run; one for which there is no room now does not.
func TestAPlanWhoseQueryFails(t *testing.T) {
	a := withSource(t, fillRows)
	a.run(t, append(placedRows[:2:2], []step{
		{name: "a query that fails", method: "PUT", path: "/reports/{{report}}", body: `{"sqlQuery":"SELECT nothing FROM t"}`, status: 200},
		startsClient("a run", "run"),
		{name: "says why", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 422, holds: `{"code":"query_failed","retryable":false}`},
		{name: "and has ended", method: "GET", path: "/refreshes/{{run}}", status: 200, holds: `{"state":"FAILED"}`},
	}...))
	full := overSource(t, &busySource{})
	full.run(t, append(placedRows[:2:2], []step{
		startsClient("a run where results have little room", "run"),
		{name: "is told to come again", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 503, holds: `{"code":"results_busy","retryable":true}`},
		{name: "and goes on", method: "PUT", path: "/refreshes/{{run}}/lease", body: `{"fence":1}`, status: 200},
	}...))
}

// busySource has results for which there is no room.
type busySource struct{ manyRows }

func (busySource) Query(context.Context, source.Query, *checksum.Builder) ([]source.Column, error) {
	return nil, &placements.Fault{Class: placements.Transient, Err: refresh.ErrNoRoom, Message: "as many results are in memory as may be"}
}

// manyRows is a source of a large table, in which the first rows changed.
type manyRows struct{ rows, changed int }

func (s *manyRows) Query(_ context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	b.Append(checksum.Str("id"), checksum.Str("name"), checksum.Str("amount"))
	for i := range s.rows {
		amount := float64(i)
		if i < s.changed {
			amount += 0.5
		}
		b.Append(checksum.Num(float64(i)), checksum.Str(fmt.Sprintf("customer %06d", i)), checksum.Num(amount))
	}
	return []source.Column{{Name: "id"}, {Name: "name"}, {Name: "amount"}}, q.Memory.Grow(b.Size())
}

func (*manyRows) Check(context.Context) error { return nil }
func (*manyRows) Close() error                { return nil }

// A client sends the fingerprints of 50,000 rows and gets no row; of 100 that changed it sends those, and gets no more than twice their size.
func TestALargeBlockCostsItsChanges(t *testing.T) {
	table := &manyRows{rows: 50_000}
	s := storagetest.Open(t, storagetest.Redis(t))
	a := newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler), Tenants: map[string]refresh.Tenant{
			"acme": {Deployments: map[int64]refresh.DeploymentSource{1: {Source: table, Location: time.UTC}}},
		}})
	})
	a.run(t, append(placedRows[:2:2], startsClient("the first run", "run"), step{
		name: "has a plan", method: "POST", path: "/refreshes/{{run}}/plan", body: strings.ReplaceAll(emptySheet, `"rows":40`, `"rows":60000`), status: 200,
		keep: map[string]string{"sum": "resultChecksum"},
	}, step{name: "and is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200}))
	var b checksum.Builder
	if _, err := table.Query(t.Context(), source.Query{Memory: room{}}, &b); err != nil {
		t.Fatal(err)
	}
	stands := b.Grid()
	var prints []string
	for _, f := range stands.Block().Fingerprints {
		prints = append(prints, fmt.Sprintf(`"%016x"`, f))
	}
	large := `{"fence":1,"anchor":"Data!B2","marked":{"rows":50001,"columns":3},"extent":{"rows":50020,"columns":3},"fingerprints":[` + strings.Join(prints, ",") + `]`
	a.run(t, []step{startsClient("an unchanged block", "run")})
	w := a.send(step{method: "POST", path: "/refreshes/{{run}}/plan", body: large + "}"})
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"rows":[]}}`) {
		t.Fatalf("unchanged: %d %.300s", w.Code, w.Body)
	}
	table.changed = 100
	a.run(t, []step{{name: "rows that changed are asked for", method: "POST", path: "/refreshes/{{run}}/plan", body: large + "}", status: 200, holds: `{"need":{"rows":[{"from":1,"to":101}]}}`}})
	var cells []byte
	for row := 1; row <= 100; row++ {
		cells = append(sheet.AppendCells(append(cells, ','), stands.Cells(row, nil), 3), '\n')
	}
	w = a.send(step{method: "POST", path: "/refreshes/{{run}}/plan", body: large + `,"rows":[{"from":1,"cells":[` + string(cells[1:]) + `]}]}`})
	if rows := strings.Index(w.Body.String(), `"rows":[{"from":1,"to":101`); rows < 0 {
		t.Fatalf("changed: %d %.300s", w.Code, w.Body)
	} else if size := w.Body.Len() - rows; size > 2*len(cells) {
		t.Errorf("the answer has %d bytes for rows of %d", size, len(cells))
	}
}

// room is memory without bounds.
type room struct{}

func (room) Grow(int) error { return nil }
