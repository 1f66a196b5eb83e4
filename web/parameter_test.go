package web

import (
	"net/http"
	"strings"
	"testing"
)

const asking = `"parameters":[{"name":"region","title":"Region","type":"text","allowed":["North","South"],"default":"North"},
	{"name":"least","type":"number"},{"name":"ids","type":"number","list":true,"default":[1,2]}]`

// TestParameters is the life of a report that asks, and of what is placed of it.
func TestParameters(t *testing.T) {
	a := withSource(t, `CREATE TABLE sales (id INTEGER, region TEXT, amount REAL);
		INSERT INTO sales VALUES (1, 'North', 10), (2, 'South', 20), (3, 'South', 30)`)
	const query = `"sqlQuery":"SELECT id, amount FROM sales\nWHERE region = @region AND amount >= @least AND id IN (@ids)"`
	const result = "/reports/{{id}}/result"
	a.run(t, []step{
		{
			name: "a name that is not declared has a place", method: "POST", path: "/reports", status: 400,
			body:  `{"name":"Sales",` + strings.Replace(query, "@least", "@most", 1) + `,` + asking + `}`,
			holds: `{"code":"parameter_unused","details":[{"pointer":"/parameters/1","code":"parameter_unused"},{"pointer":"/sqlQuery","code":"parameter_undeclared","line":2,"column":38}]}`,
		},
		{
			name: "definitions are judged", method: "POST", path: "/reports", status: 400,
			body:  `{"name":"Sales","sqlQuery":"SELECT @a","parameters":[{"name":"a","type":"number","default":"x"}]}`,
			holds: `{"code":"parameter_invalid","details":[{"pointer":"/parameters/0/default"}]}`,
		},
		{
			name: "a report that asks", method: "POST", path: "/reports", status: 200, keep: map[string]string{"id": "id"},
			body: `{"name":"Sales",` + query + `,` + asking + `}`, holds: `{` + asking + `}`,
		},
		{
			name: "a query edited alone is judged with what is stored", method: "PUT", path: "/reports/{{id}}", status: 400,
			body: `{"sqlQuery":"SELECT @region"}`, holds: `{"code":"parameter_unused"}`,
		},
		{name: "a name edited alone is not", method: "PUT", path: "/reports/{{id}}", status: 200, body: `{"name":"Sold"}`},
		{
			name: "values, and defaults for those left out", method: "POST", path: result, status: 200,
			body:  `{"parameters":{"region":"South","least":5}}`,
			holds: `{"rowCount":2,"appliedFilters":[{"kind":"parameter","member":"region","values":["South"],"text":"Region is South"},{"kind":"parameter","member":"least","values":["5"],"text":"least is 5"},{"kind":"parameter","member":"ids","values":["1","2"],"text":"ids is 1 or 2"}]}`,
		},
		{name: "no value and no default", method: "POST", path: result, status: 400, body: `{}`, holds: `{"code":"parameter_value","details":[{"pointer":"/parameters/least"}]}`},
		{
			name: "values are judged", method: "POST", path: result, status: 400, body: `{"parameters":{"region":"West","least":5,"x":1}}`,
			holds: `{"details":[{"pointer":"/parameters/region","code":"parameter_value"},{"pointer":"/parameters/x","code":"parameter_undeclared"}]}`,
		},
		{
			name: "a preview of the report", method: "POST", path: "/previews", status: 200,
			body:  `{"reportId":{{id}},"parameters":{"least":5,"ids":[1,2,3]}}`,
			holds: `{"rowCount":1,"faults":[]}`,
		},
		{
			name: "a preview of a new one", method: "POST", path: "/previews", status: 200,
			body:  `{"sqlQuery":"SELECT id FROM sales WHERE region = @where","parameters":{"where":"South"}}`,
			holds: `{"rowCount":2,"faults":[]}`,
		},
		{
			name: "a preview says where a name has no value", method: "POST", path: "/previews", status: 200,
			body:  `{"sqlQuery":"SELECT @one,\n @two","parameters":{"one":1}}`,
			holds: `{"faults":[{"pointer":"/sqlQuery","line":2,"column":2}]}`,
		},
		{
			name: "a preview of what it is to declare: all faults at once", method: "POST", path: "/previews", status: 200,
			body:  `{"reportId":{{id}},"sqlQuery":"SELECT id FROM sales WHERE region = @where\nAND amount > @least","declares":[{"name":"least","type":"number","default":1},{"name":"other","type":"text","default":""}]}`,
			holds: `{"rows":[],"faults":[{"code":"parameter_undeclared","pointer":"/sqlQuery","line":1,"column":37},{"code":"parameter_unused","pointer":"/declares/1"}]}`,
		},
		{
			name: "what it does not name hinders nothing", method: "POST", path: "/previews", status: 200,
			body:  `{"sqlQuery":"SELECT id FROM sales WHERE amount > @least","declares":[{"name":"least","type":"number","default":1},{"name":"other","type":"text","default":""}],"parameters":{"least":15}}`,
			holds: `{"rowCount":2,"faults":[{"code":"parameter_unused","pointer":"/declares/1"}]}`,
		},
		{
			name: "what it is to declare is judged", method: "POST", path: "/previews", status: 400,
			body:  `{"sqlQuery":"SELECT @a","declares":[{"name":"a","type":"number","default":"x"}]}`,
			holds: `{"code":"parameter_invalid","details":[{"pointer":"/declares/0/default"}]}`,
		},
		{
			name: "placed with a value", method: "PUT", path: connectPath, as: "viewer", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"region":{"value":"South"},"least":{"value":1}}}`,
			holds: placed(`{"parameters":{"region":{"value":"South"},"least":{"value":1}}}`),
		},
		{
			name: "a value that is not allowed", method: "PUT", path: connectPath, as: "viewer", status: 400,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"region":{"value":"West"}}}`,
			holds: `{"code":"parameter_value","details":[{"pointer":"/parameters/region/value"}]}`,
		},
		{
			name: "one that is not asked for", method: "PUT", path: connectPath, as: "viewer", status: 400,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"other":{"value":"West"}}}`, holds: `{"code":"parameter_undeclared"}`,
		},
		{
			name: "a cell that the report does not admit", method: "PUT", path: connectPath, as: "viewer", status: 400,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"least":{"cell":"Setup!B2"}}}`,
			holds: `{"code":"parameter_cell","details":[{"pointer":"/parameters/least/cell"}]}`,
		},
		{
			name: "no value", method: "PUT", path: connectPath, as: "viewer", status: 400,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"region":{}}}`, holds: `{"code":"parameter_invalid"}`,
		},
		{name: "a role may read it", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
		{
			name: "what is another's needs edit access", method: "PUT", path: connectPath, as: "role7", status: 403,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"least":{"value":2}}}`,
		},
		{
			name: "left out, they stay", method: "PUT", path: connectPath, as: "viewer", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true}`,
			holds: placed(`{"parameters":{"region":{"value":"South"},"least":{"value":1}},"syncStatus":"UNKNOWN"}`),
		},
		{
			name: "an add-in wrote its cells", method: "PUT", path: connectPath, as: "viewer", status: 200,
			body: `{"externalWorkbookId":"book","resultLocation":"Data!A1"}`, holds: placed(`{"syncStatus":"UP_TO_DATE"}`),
		},
		{
			name: "another value", method: "PUT", path: connectPath, as: "viewer", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true,"parameters":{"least":{"value":1}}}`,
			holds: placed(`{"parameters":{"least":{"value":1}},"syncStatus":"CHANGED","valuesChanged":true}`),
		},
		{
			name: "null clears", method: "PUT", path: "/reports/{{id}}", status: 200,
			body: `{"sqlQuery":"SELECT 1","parameters":null}`, holds: `{"sqlQuery":"SELECT 1"}`,
		},
	})
}

// TestATextWithoutParametersIsTakenAsItIs, whatever @ it holds.
func TestATextWithoutParametersIsTakenAsItIs(t *testing.T) {
	a := withSource(t, `CREATE TABLE sales (id INTEGER)`)
	a.run(t, []step{
		{name: "saved", method: "POST", path: "/reports", status: http.StatusOK, body: `{"name":"Odd","sqlQuery":"SELECT @a, '"}`, holds: `{"sqlQuery":"SELECT @a, '"}`},
		{name: "an empty list is none", method: "POST", path: "/reports", status: http.StatusOK, body: `{"name":"Odd 2","sqlQuery":"SELECT @a, '","parameters":[]}`},
	})
}

// TestParametersInABundle: those of a report are a list, those of a placement have names.
func TestParametersInABundle(t *testing.T) {
	const report = `{"kind":"report","ref":"Bundle000001","definition":{"name":"R","sqlQuery":"SELECT @n","parameters":[{"name":"n","type":"number"}]}}`
	const block = `{"kind":"placement","ref":"book/Data!B2","definition":{"report":"Bundle000001","document":"book","sheet":"Data","anchor":"B2","parameters":{"n":{"value":1}}}}`
	a := withSource(t, `CREATE TABLE sales (id INTEGER)`)
	whole := bundleOf("p", report, block)
	plan := planOf("a bundle", "admin", whole, 200, `{"summary":{"create":2}}`)
	plan.keep = map[string]string{"plan": "id"}
	a.run(t, []step{
		planOf("of the wrong kind", "admin", bundleOf("p", strings.Replace(report, `[{"name":"n","type":"number"}]`, `{"n":{"value":1}}`, 1)), 400, `{"details":[{"pointer":"/assets/0/definition/parameters","code":"invalid_request"}]}`),
		planOf("of the other wrong kind", "admin", bundleOf("p", report, strings.Replace(block, `{"n":{"value":1}}`, `[{"name":"n","type":"number"}]`, 1)), 400, `{"details":[{"pointer":"/assets/1/definition/parameters","code":"invalid_request"}]}`),
		planOf("a name without a declaration", "admin", bundleOf("p", strings.Replace(report, `"SELECT @n"`, `"SELECT @n,\n @m"`, 1)), 200, `{"assets":[{"error":{"code":"parameter_undeclared","line":2,"column":2}}]}`),
		planOf("a value of another type", "admin", bundleOf("p", report, strings.Replace(block, `"value":1`, `"value":"x"`, 1)), 200, `{"assets":[{},{"action":"conflict"}]}`),
		plan,
		{name: "it is applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200},
		planOf("the same again changes nothing", "admin", whole, 200, `{"summary":{"create":0,"unchanged":2}}`),
		{name: "the report is asked", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 200, holds: `{"externalWorkbookPlacements":[{"parameters":{"n":{"value":1}}}]}`},
		planOf("a new parameter leaves a block without a value", "admin", bundleOf("p", strings.Replace(strings.Replace(report, "SELECT @n", "SELECT @m", 1), `"name":"n"`, `"name":"m"`, 1)), 200, `{"assets":[{"action":"update","message":"1 placement is not refreshed any more until its parameters are set: Data!B2 in book: The report has no parameter \"n\": declare it there, or leave it out here."},{"action":"kept"}]}`),
		planOf("a value that the report admits no more stays, and is told", "admin", bundleOf("p", strings.Replace(report, `"number"`, `"text"`, 1), block), 200,
			`{"assets":[{"action":"update","message":"1 placement is not refreshed any more until its parameters are set: Data!B2 in book: The value of n is no text: write it in quotes."},{"action":"unchanged"}]}`),
		planOf("another one is judged", "admin", bundleOf("p", strings.Replace(report, `"number"`, `"text"`, 1), strings.Replace(block, `"value":1`, `"value":2`, 1)), 200,
			`{"assets":[{"action":"update"},{"action":"conflict","message":"The value of n is no text: write it in quotes."}]}`),
		planOf("null clears both", "admin", bundleOf("p", strings.Replace(strings.Replace(report, `"SELECT @n"`, `"SELECT 1"`, 1), `[{"name":"n","type":"number"}]`, "null", 1), strings.Replace(block, `{"n":{"value":1}}`, "null", 1)), 200, `{"summary":{"update":2},"assets":[{"changes":[{"pointer":"/parameters"},{}]},{"changes":[{"pointer":"/parameters"}]}]}`),
	})
}
