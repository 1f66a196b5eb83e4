package web

import (
	"strings"
	"testing"
)

// TestAClientRunWithParametersFromCells: the add-in is asked for the cells before any query, and what it sends is judged as agents judge what
// they read.
func TestAClientRunWithParametersFromCells(t *testing.T) {
	a := withSource(t, `CREATE TABLE sales (region TEXT, amount REAL); INSERT INTO sales VALUES ('North', 10), ('South', 20)`)
	with := func(more string) string { return strings.Replace(emptySheet, `"cells":[]`, `"cells":[],`+more, 1) }
	a.run(t, []step{
		{
			name: "a report", method: "POST", path: "/reports", status: 200, keep: map[string]string{"report": "id"},
			body: `{"name":"Sales","sqlQuery":"SELECT amount FROM sales WHERE region = @region AND amount > @least",
				"parameters":[{"name":"region","type":"text","allowed":["North","South"],"fromCells":true},{"name":"least","type":"number","default":0,"fromCells":true}]}`,
		},
		{
			name: "is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true,"parameters":{"region":{"cell":"Setup!$b$2"}}}`,
			holds: placed(`{"parameters":{"region":{"cell":"Setup!B2"}}}`), lacks: []string{"parameterNumbers"},
		},
		startsClient("a client starts", "run"),
		{
			name: "the cell is asked for", method: "POST", path: "/refreshes/{{run}}/plan", body: emptySheet, status: 200,
			holds: `{"need":{"parameters":[{"name":"region","cell":"Setup!B2","number":1,"named":false,"list":false}]}}`, lacks: []string{"patch"},
		},
		{
			name: "of others nothing is taken", method: "POST", path: "/refreshes/{{run}}/plan", body: with(`"parameters":{"region":"North","least":5}`), status: 400,
			holds: `{"code":"parameter_cell","details":[{"pointer":"/parameters/least"}]}`,
		},
		{
			name: "what it holds counts", method: "POST", path: "/refreshes/{{run}}/plan", body: with(`"parameters":{"region":"South"},"parameterCells":{"region":"Setup!B4"}`), status: 200,
			holds: `{"patch":{"rows":[{"cells":[["amount"],[20]]}]}}`, keep: map[string]string{"sum": "resultChecksum"},
		},
		{
			name: "it is complete", method: "POST", path: "/refreshes/{{run}}/complete", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200,
			holds: `{"state":"SUCCEEDED","placements":[{"parameters":{"region":{"value":"South","cell":"Setup!B4"},"least":{"value":0}}}]}`,
		},
		{
			name: "the cell is followed", method: "GET", path: "/reports/{{report}}", status: 200,
			holds: `{"externalWorkbookPlacements":[{"syncStatus":"UP_TO_DATE","parameters":{"region":{"cell":"Setup!B4"}},"parameterNumbers":{"region":1}}]}`, lacks: []string{"valuesChanged"},
		},
		startsClient("the next run", "next"),
		{
			name: "what is not allowed is not told", method: "POST", path: "/refreshes/{{next}}/plan", body: with(`"parameters":{"region":"Secretville"}`), status: 409,
			holds: `{"code":"block_conflict","message":"Setup!B4 holds a value that is not allowed: North, South"}`, lacks: []string{"Secretville"},
		},
		{
			name: "but to whose it is", method: "GET", path: "/refreshes/{{next}}", status: 200,
			holds: `{"state":"FAILED","errorClass":"conflict","placements":[{"parameters":{"region":{"value":"Secretville","cell":"Setup!B4"}}}]}`,
		},
		startsClient("one whose cell is gone", "gone"),
		{
			name: "conflicts", method: "POST", path: "/refreshes/{{gone}}/plan", body: with(`"parameters":{},"parameterFaults":{"region":"deleted"}`), status: 409,
			holds: `{"code":"block_conflict"}`,
		},
	})
}
