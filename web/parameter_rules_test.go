package web

import (
	"fmt"
	"strings"
	"testing"
)

// reportOf is a report with a query and parameters, both in JSON.
func reportOf(name, query, parameters string, keep map[string]string) step {
	return step{
		name: name, method: "POST", path: "/reports", status: 200, keep: keep,
		body: fmt.Sprintf(`{"name":%q,"sqlQuery":%q,"parameters":%s}`, name, query, parameters),
	}
}

// valued is a connect that sets parameters.
func valued(name, as string, status int, parameters, holds string) step {
	return step{
		name: name, method: "PUT", path: connectPath, as: as, status: status, holds: holds,
		body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true,"parameters":` + parameters + `}`,
	}
}

// TestDeclarationsOfParameters: what a report may ask for, and what of a fault is told.
func TestDeclarationsOfParameters(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	var many []string
	for n := range 17 {
		many = append(many, fmt.Sprintf(`{"name":"p%d","type":"number"}`, n))
	}
	const two = `[{"name":"n","type":"number","default":1},{"name":"s","type":"text","default":"x"}]`
	refused := func(name, parameters, pointer string) step {
		s := reportOf(name, "SELECT @n", parameters, nil)
		s.status, s.holds = 400, `{"code":"parameter_invalid","details":[{"pointer":"`+pointer+`"}]}`
		return s
	}
	sixteen := reportOf("sixteen are", "SELECT @p0, @p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10, @p11, @p12, @p13, @p14, @p15", "["+strings.Join(many[:16], ",")+"]", nil)
	a.run(t, []step{
		refused("17 are too many", "["+strings.Join(many, ",")+"]", "/parameters"),
		sixteen,
		refused("a name with a letter of another alphabet", `[{"name":"größe","type":"number"}]`, "/parameters/0/name"),
		refused("a type that there is not", `[{"name":"n","type":"integer"}]`, "/parameters/0/type"),
		refused("one name twice", `[{"name":"n","type":"number"},{"name":"n","type":"text"}]`, "/parameters/1/name"),
		refused("a value that is not of the type", `[{"name":"n","type":"number","allowed":[1,"2"]}]`, "/parameters/0/allowed/1"),
		refused("a default that is not allowed", `[{"name":"n","type":"number","allowed":[1,2],"default":3}]`, "/parameters/0/default"),
		reportOf("asks for two", "SELECT @n, @s", two, map[string]string{"id": "id", "sum": "currentQueryChecksum"}),
		{
			name: "a PUT replaces them all", method: "PUT", path: "/reports/{{id}}", status: 200,
			body: `{"sqlQuery":"SELECT @n","parameters":[{"name":"n","type":"number"}]}`, holds: `{"parameters":[{"name":"n","type":"number"}]}`,
		},
		{
			name: "those that are stored are judged with another query, at its line", method: "PUT", path: "/reports/{{id}}", status: 400,
			body: `{"sqlQuery":"SELECT @n,\n  @s"}`, holds: `{"code":"parameter_undeclared","details":[{"pointer":"/sqlQuery","line":2,"column":3}]}`,
		},
		{
			name: "others with the query that is stored", method: "PUT", path: "/reports/{{id}}", status: 400,
			body: `{"parameters":` + two + `}`, holds: `{"code":"parameter_unused","details":[{"pointer":"/parameters/1"}]}`,
		},
		{
			name: "null clears none that the query names still", method: "PUT", path: "/reports/{{id}}", status: 200,
			body: `{"parameters":null}`, lacks: []string{"parameters"},
		},
		{
			name: "whose @ is then its own affair", method: "PUT", path: "/reports/{{id}}", status: 200,
			body: `{"sqlQuery":"SELECT @n, '"}`, holds: `{"sqlQuery":"SELECT @n, '"}`,
		},
		{
			name: "title, default, allowed and fromCells are none of the query", method: "PUT", path: "/reports/{{id}}", status: 200,
			body:  `{"sqlQuery":"SELECT @n, @s","parameters":[{"name":"n","type":"number","title":"N","allowed":[1,2],"fromCells":true},{"name":"s","type":"text"}]}`,
			holds: `{"currentQueryChecksum":"{{sum}}"}`,
		},
		{
			name: "the type is", method: "PUT", path: "/reports/{{id}}", status: 200, keep: map[string]string{"typed": "currentQueryChecksum"},
			body: `{"parameters":[{"name":"n","type":"text"},{"name":"s","type":"text"}]}`,
		},
	})
	if a.vars["typed"] == a.vars["sum"] {
		t.Error("another type is the same query")
	}
}

// TestSettingsOfParameters: what may be set, by whom, and when it shows.
func TestSettingsOfParameters(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	const allowed = `[{"name":"region","type":"text","allowed":["North","South"],"default":"North","fromCells":true},{"name":"n","type":"number","default":1}]`
	update := func(name, parameters string) step {
		return step{name: name, method: "PUT", path: "/reports/{{id}}", status: 200, body: `{"parameters":` + parameters + `}`}
	}
	shows := func(name, status string) step {
		return step{name: name, method: "GET", path: "/reports/{{id}}", status: 200, holds: `{"externalWorkbookPlacements":[{"syncStatus":"` + status + `"}]}`}
	}
	wrote := step{
		name: "an add-in writes", method: "PUT", path: connectPath, as: "viewer", status: 200,
		body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`, holds: placed(`{"syncStatus":"UP_TO_DATE"}`),
	}
	north, south := `{"region":{"value":"North"}}`, `{"region":{"value":"South"}}`
	a.run(t, []step{
		reportOf("asks", "SELECT @region, @n", allowed, map[string]string{"id": "id"}),
		{name: "role 7 may read it", method: "PUT", path: "/reports/{{id}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
		valued("a reader places it", "viewer", 200, north, placed(`{"parameters":`+north+`}`)),
		wrote,
		valued("another value is shown at once", "viewer", 200, south, placed(`{"syncStatus":"CHANGED"}`)),
		valued("and what stands is", "viewer", 200, north, placed(`{"syncStatus":"UP_TO_DATE"}`)),
		update("another default of a parameter of which the placement says nothing", strings.Replace(allowed, `"default":1`, `"default":2`, 1)),
		shows("changes it", "CHANGED"),
		update("the same default", allowed),
		shows("does not", "UP_TO_DATE"),
		update("another default of one of which it says a value", strings.Replace(allowed, `"default":"North"`, `"default":"South"`, 1)),
		shows("does not either", "UP_TO_DATE"),
		valued("a cell is not known to be another value", "viewer", 200, `{"region":{"cell":"Setup!B2"}}`, placed(`{"syncStatus":"UP_TO_DATE"}`)),
		valued("a cell inside the block", "viewer", 400, `{"region":{"cell":"Data!B2"}}`, `{"code":"parameter_cell","details":[{"pointer":"/parameters/region/cell"}]}`),
		valued("a value and a cell", "viewer", 400, `{"region":{"cell":"Setup!B2","value":"North"}}`, `{"code":"parameter_invalid"}`),
		valued("several cells", "viewer", 400, `{"region":{"cell":"Setup!B2:B3"}}`, `{"code":"parameter_cell"}`),
		valued("of another's placement a reader sets none", "role7", 403, south, `{"code":"forbidden"}`),
		valued("nor is told what would be wrong with it", "role7", 403, `{"region":{"value":"West"},"other":{"value":1}}`, `{"code":"forbidden"}`),
		valued("who may edit the report does", "editor2", 200, south, placed(`{"parameters":`+south+`}`)),
		valued("a stranger finds nothing", "stranger", 404, south, `{"code":"not_found"}`),
		{
			name: "as where there is no report", method: "PUT", path: "/reports/999/connect-workbook", as: "stranger", status: 404, holds: `{"code":"not_found"}`,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","parameters":{"region":{"value":"West"}}}`,
		},
		{name: "nor asks for a result", method: "POST", path: "/reports/{{id}}/result", as: "stranger", body: `{"parameters":{"region":"West"}}`, status: 404, holds: `{"code":"not_found"}`},
		{name: "nor for a preview", method: "POST", path: "/previews", as: "stranger", body: `{"reportId":{{id}},"parameters":{"region":"West"}}`, status: 404, holds: `{"code":"not_found"}`},
		update("the report allows less, and no cells", `[{"name":"region","type":"text","allowed":["North"]},{"name":"n","type":"number","default":1}]`),
		valued("what was set is judged when it is set again", "editor2", 400, south, `{"code":"parameter_value"}`),
		{
			name: "another option is not hindered by it", method: "PUT", path: connectPath, as: "editor2", status: 200,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1","addressOnly":true,"onEdit":"stop"}`, holds: placed(`{"onEdit":"stop","parameters":` + south + `}`),
		},
		valued("null says nothing", "editor2", 200, `null`, placed(`{"onEdit":"stop"}`)),
		{
			name: "an id that names the cell of a parameter", method: "PUT", path: connectPath, status: 400, holds: `{"code":"invalid_request","details":[{"pointer":"/placementId"}]}`,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!H2","placementId":"p_p1_1","addressOnly":true}`,
		},
		{
			name: "an id that names none", method: "PUT", path: connectPath, status: 200,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!H2","placementId":"p_p1_x","addressOnly":true}`,
		},
	})
}

// TestRunsAndSchedulesTakeNoParameters: they would do without them.
func TestRunsAndSchedulesTakeNoParameters(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	const refused = `{"code":"invalid_request","details":[{"pointer":"/parameters"}]}`
	a.run(t, []step{
		reportOf("asks", "SELECT @n", `[{"name":"n","type":"number","fromCells":true}]`, map[string]string{"id": "id", "report": "id"}),
		valued("it is placed with a value", "", 200, `{"n":{"value":1}}`, ""),
		{name: "a refresh", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"parameters":{"n":2}}`, status: 400, holds: refused},
		{name: "of a document", method: "POST", path: "/api/v1/external-documents/book/refreshes", body: `{"parameters":{"n":2}}`, status: 400, holds: refused},
		{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@daily","parameters":{"n":{"value":2}}}`, status: 400, holds: refused},
		planOf("one of a bundle", "admin", bundleOf("p", `{"kind":"schedule","ref":"daily","definition":{"cron":["@daily"],"parameters":{},"target":{"publicId":"Bundle000001"}}}`), 400,
			`{"details":[{"pointer":"/assets/0/definition/parameters"},{"code":"unknown_report"}]}`),
		startsClient("a run of an add-in", "run"),
		{
			name: "takes none of what the placement says", method: "POST", path: "/refreshes/{{run}}/plan", status: 400, holds: `{"code":"parameter_cell","details":[{"pointer":"/parameters/n"}]}`,
			body: strings.Replace(emptySheet, `"cells":[]`, `"cells":[],"parameters":{"n":5}`, 1),
		},
	})
}

// TestPreviewTellsWhomValuesStop: which blocks would not be refreshed any more once what is tried is saved, and which would show something else.
func TestPreviewTellsWhomValuesStop(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	changes := func(name, body, holds string) step {
		return step{name: name, method: "POST", path: "/previews", status: 200, body: `{"reportId":{{id}},` + body + `}`, holds: `{"faults":[],"changes":` + holds + `}`}
	}
	const asks = `[{"name":"region","title":"Region","type":"text","allowed":["North","South"],"default":"North"}]`
	a.run(t, []step{
		reportOf("asks", "SELECT @region", asks, map[string]string{"id": "id"}),
		valued("a block says a value", "viewer", 200, `{"region":{"value":"South"}}`, ""),
		{name: "another does not", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!H2","addressOnly":true}`, status: 200},
		changes("nothing", `"declares":`+asks, `{"documents":[],"blocks":0}`),
		changes("another default reaches whom it is for", `"declares":`+strings.Replace(asks, `"default":"North"`, `"default":"South"`, 1), `{"documents":["book"],"blocks":1}`),
		changes("what is not allowed any more", `"declares":[{"name":"region","title":"Region","type":"text","allowed":["North"],"default":"North"}]`,
			`{"documents":[],"blocks":0,"stopped":[{"placement":"book/Data!B2","message":"The value of Region is not allowed: choose one of North."}]}`),
		changes("what is not asked for any more", `"sqlQuery":"SELECT 1","declares":[]`,
			`{"documents":["book"],"blocks":1,"stopped":[{"placement":"book/Data!B2","message":"The report has no parameter \"region\": declare it there, or leave it out here."}]}`),
		changes("what is asked for and not said", `"sqlQuery":"SELECT @region, @n","declares":[`+asks[1:len(asks)-1]+`,{"name":"n","type":"number"}],"parameters":{"n":1}`,
			`{"documents":[],"blocks":0,"stopped":[{"placement":"book/Data!B2","message":"n has no value."},{"placement":"book/Data!H2","message":"n has no value."}]}`),
	})
}

// TestABundleTellsWhomValuesStop of which it says nothing.
func TestABundleTellsWhomValuesStop(t *testing.T) {
	t.Parallel()
	const report = `{"kind":"report","ref":"Bundle000001","definition":{"name":"R","sqlQuery":"SELECT @n","parameters":[{"name":"n","type":"number"}]}}`
	const block = `{"kind":"placement","ref":"book/Data!B2","definition":{"report":"Bundle000001","document":"book","sheet":"Data","anchor":"B2"}}`
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	applied := func(name string, assets ...string) []step {
		plan := planOf(name, "admin", bundleOf("p", assets...), 200, "")
		plan.keep = map[string]string{"plan": "id"}
		return []step{plan, {name: "is applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200}}
	}
	a.run(t, applied("a report", report))
	a.run(t, []step{
		{name: "is found", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 200, keep: map[string]string{"id": "id"}},
		valued("is placed by hand", "admin", 200, `{"n":{"value":1}}`, ""),
	})
	a.run(t, applied("a bundle that has the block", report, block))
	a.run(t, []step{
		planOf("another type", "admin", bundleOf("p", strings.Replace(report, `"number"`, `"text"`, 1), block), 200, `{"assets":[{"action":"update",
			"message":"1 placement is not refreshed any more until its parameters are set: Data!B2 in book: The value of n is no text: write it in quotes."},
			{"action":"unchanged"}]}`),
	})
}
