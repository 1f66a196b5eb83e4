package cube_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

var (
	region = placements.Parameter{Name: "region", Type: placements.ParameterText}
	least  = placements.Parameter{Name: "least", Type: placements.ParameterNumber}
	from   = placements.Parameter{Name: "from", Type: placements.ParameterDate}
	states = placements.Parameter{Name: "states", Type: placements.ParameterText, List: true}
)

const asked = `{"measures":["orders.count"],"limit":10,
	"timeDimensions":[{"dimension":"orders.at","dateRange":[{"parameter":"from"},"2026-12-31"]}],
	"filters":[{"member":"orders.region","operator":"equals","values":[{"parameter":"region"}]},
		{"or":[{"member":"orders.status","operator":"equals","values":{"parameter":"states"}},
			{"member":"orders.n","operator":"gte","values":["1",{"parameter":"least"}]}]}]}`

func values(texts ...string) placements.ParameterValue {
	var list []placements.Scalar
	for _, text := range texts {
		list = append(list, placements.TextScalar(text))
	}
	return placements.ListValue(list...)
}

func one(v placements.Scalar) placements.ParameterValue { return placements.OneValue(v) }

func TestParametersOfAJSONQueryAreStringsInItsFilters(t *testing.T) {
	f := newFakeCube(t, nil)
	src := sourcetest.Open(t, cubeSubject(t, f).Config)
	flat := strings.NewReplacer(`{"or":[`, "", `]}]}]}`, `]}]}`).Replace(asked) // the fake knows no groups
	q := source.Query{JSON: flat, Parameters: sourcetest.Arguments(
		region, one(placements.TextScalar(`N"orth`)), least, one(placements.NumberScalar(2.5)), from, one(placements.TextScalar("2026-01-31")),
		states, values("open", "new"),
	)}
	if _, err := src.Query(t.Context(), q, new(checksum.Builder)); err != nil {
		t.Fatal(err)
	}
	sent := f.requests[len(f.requests)-1].body
	for _, want := range []string{
		`"dateRange":["2026-01-31","2026-12-31"]`, `"values":["N\"orth"]`, `"values":["open","new"]`, `"values":["1","2.5"]`, `"limit":10`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	filters, err := source.AppliedFilters(src, q)
	if err != nil || len(filters) != 4 || filters[0].Text != `Region is N"orth` {
		t.Errorf("filters %+v, %v", filters, err)
	}
	q.Parameters[3].Value = values()
	if _, err := src.Query(t.Context(), q, new(checksum.Builder)); err == nil || !strings.Contains(err.Error(), "empty list") {
		t.Errorf("an empty list: %v", err)
	}
}

// TestEscapesStayWhereTheyAreInAJSONQuery: whatever a value holds, the query that is sent is the report's with that text in its place.
func TestEscapesStayWhereTheyAreInAJSONQuery(t *testing.T) {
	f := newFakeCube(t, nil)
	src := sourcetest.Open(t, cubeSubject(t, f).Config)
	const query = `{"measures":["orders.count"],"limit":10,"timeDimensions":[{"dimension":"orders.at","dateRange":[{"parameter":"from"},{"parameter":"from"}]}],
		"filters":[{"member":"orders.status","operator":"equals","values":[{"parameter":"region"},"x"]},{"member":"orders.status","operator":"equals","values":{"parameter":"states"}}]}`
	all := sourcetest.Escapes()
	for _, escape := range all {
		f.requests = nil
		text := placements.TextScalar(escape)
		if _, err := src.Query(t.Context(), source.Query{JSON: query, Parameters: sourcetest.Arguments(
			region, one(text), from, one(text), states, values(all...),
		)}, new(checksum.Builder)); err != nil {
			t.Fatal(err)
		}
		var sent struct{ Query map[string]any }
		if err := json.Unmarshal([]byte(f.requests[0].body), &sent); err != nil {
			t.Fatal(err)
		}
		list := make([]any, len(all))
		for i, one := range all {
			list[i] = one
		}
		delete(sent.Query, "timezone") // of the deployment
		want := map[string]any{
			"measures": []any{"orders.count"}, "limit": 10.0,
			"timeDimensions": []any{map[string]any{"dimension": "orders.at", "dateRange": []any{escape, escape}}},
			"filters": []any{
				map[string]any{"member": "orders.status", "operator": "equals", "values": []any{escape, "x"}},
				map[string]any{"member": "orders.status", "operator": "equals", "values": list},
			},
		}
		if diff := cmp.Diff(want, sent.Query); diff != "" {
			t.Errorf("%q (-want +got):\n%s", escape, diff)
		}
	}
}

func TestParametersOfASQLQueryAreLiterals(t *testing.T) {
	f := newFakeCube(t, nil)
	src := sourcetest.Open(t, cubeSubject(t, f).Config)
	query := func(value string) error {
		_, err := src.Query(t.Context(), source.Query{
			SQL: "SELECT numbers 1 @region", Parameters: sourcetest.Arguments(region, one(placements.TextScalar(value))),
		}, new(checksum.Builder))
		return err
	}
	_ = query("O'Neill") // the fake knows no such statement
	if sent := f.requests[len(f.requests)-1].body; !strings.Contains(sent, "'O''Neill'") {
		t.Errorf("sent %s", sent)
	}
	before := len(f.requests)
	if err := query(`a\`); err == nil || len(f.requests) != before {
		t.Errorf("a backslash is sent: %v", err)
	}
}

func TestPlacesOfParametersInAJSONQuery(t *testing.T) {
	src := sourcetest.Open(t, cubeSubject(t, newFakeCube(t, nil)).Config)
	of := []placements.Parameter{region, least, from, states}
	for _, tc := range []struct {
		json string
		want []string
	}{
		{asked, nil},
		{strings.Replace(asked, `{"parameter":"least"}`, `"2"`, 1), []string{"/parameters/1 parameter_unused"}},
		{strings.Replace(asked, `"parameter":"region"`, `"parameter":"Region"`, 1), []string{"/jsonQuery/filters/0/values/0 parameter_undeclared", "/parameters/0 parameter_unused"}},
		{strings.Replace(asked, `"parameter":"from"`, `"parameter":"region"`, 1), []string{"/jsonQuery/timeDimensions/0/dateRange/0 parameter_invalid", "/parameters/2 parameter_unused"}},
		{strings.Replace(asked, `"2026-12-31"`, `{"parameter":"states"}`, 1), []string{"/jsonQuery/timeDimensions/0/dateRange/1 parameter_invalid"}},
		{strings.Replace(asked, `"limit":10`, `"limit":{"parameter":"least"}`, 1), []string{"/jsonQuery/limit parameter_invalid"}},
		{strings.Replace(asked, `"orders.region"`, `{"parameter":"region"}`, 1), []string{"/jsonQuery/filters/0/member parameter_invalid"}},
		{`{`, []string{"/jsonQuery parameter_invalid"}},
	} {
		var got []string
		for _, d := range source.ParameterFaults(src, source.Query{JSON: tc.json}, of) {
			got = append(got, fmt.Sprint(d.Pointer, " ", d.Code))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.json, diff)
		}
	}
}
