package web

import "testing"

// placedOrders is a report of three orders that ana has placed.
var placedOrders = []step{
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n, s FROM t ORDER BY n"}`, status: 200, keep: map[string]string{"report": "id"}},
	{
		name: "is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
		body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`,
	},
}

const fillOrders = `CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, '=1+1')`

// firstPlan is what a client reads where nothing was written.
const firstPlan = `{"fence":1,"anchor":"Data!B2","extent":{"rows":40,"columns":4},"cells":[]}`

func TestAClientRun(t *testing.T) {
	a := withSource(t, fillOrders)
	a.run(t, append(placedOrders[:2:2], []step{
		{
			name: "a client starts", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"executor":"client","placementId":"p1"}`, status: 202,
			holds: `{"fence":1}`, keep: map[string]string{"run": "runId"},
		},
		{name: "the run is shown", method: "GET", path: "/refreshes/{{run}}", status: 200, holds: `{"executor":"client","state":"RUNNING","attempt":1,"placementId":"p1","externalWorkbookId":"book"}`},
		{name: "the lease is renewed", method: "PUT", path: "/refreshes/{{run}}/lease", body: `{"fence":1}`, status: 200, holds: `{"runId":"{{run}}","fence":1}`},
		{
			name: "the plan", method: "POST", path: "/refreshes/{{run}}/plan", body: firstPlan, status: 200,
			holds: `{"edits":{"rows":0,"cells":0},"movedRows":0,"message":"","patch":{"anchor":"Data!B2","extent":{"rows":4,"columns":2},"marker":"_mooring_p1",
				"shifts":[],"clear":[],"formats":[],"rows":[{"from":0,"to":4,"cells":[["n","s"],[1,"a"],[2,"b"],[3,"=1+1"]]}]}}`,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{
			name: "it is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200,
			holds: `{"id":"{{run}}","executor":"client","state":"SUCCEEDED","rowsWritten":4,"cellsWritten":8,"placements":[{"placementId":"p1","state":"SUCCEEDED"}]}`,
		},
	}...))
}
