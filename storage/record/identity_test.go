package record_test

import (
	"testing"

	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/storage/record"
)

func TestFreshIDsNameTheReportTheyWereMadeFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := record.Deployment{Tenant: rapid.String().Draw(t, "tenant"), ID: rapid.Int64Min(1).Draw(t, "deployment")}
		report := rapid.Int64Range(1, 3_000_000_000_000).Draw(t, "report")
		id := record.FreshID(d, report)
		if code, fault := record.PublicIDFault(id); fault != "" {
			t.Fatal(id, code, fault)
		}
		if got := record.FreshIDOf(d, id); got != report {
			t.Fatal(id, got)
		}
	})
	acme := record.Deployment{Tenant: "acme", ID: 1}
	const pinned = "RNIyx000000H" // it stands in files
	if got := record.FreshID(acme, 17); got != pinned {
		t.Error(got)
	}
	for _, elsewhere := range []record.Deployment{{Tenant: "acme", ID: 2}, {Tenant: "other", ID: 1}} {
		if report := record.FreshIDOf(elsewhere, pinned); report != 0 {
			t.Error(elsewhere, report)
		}
	}
	for _, id := range []string{"", "OrdersReport", "Cities000001", "R0000000000H", "R---------00"} {
		if report := record.FreshIDOf(acme, id); report != 0 {
			t.Error(id, report)
		}
	}
}

func TestPublicIDFault(t *testing.T) {
	tests := map[string]struct {
		id string
		ok bool
	}{
		"twelve letters and digits":         {"Sales2026abc", true},
		"eleven characters":                 {"Sales2026ab", false},
		"thirteen characters":               {"Sales2026abcd", false},
		"a hyphen":                          {"Sales-2026ab", false},
		"a letter beyond ASCII":             {"Säles2026ab", false},
		"nothing":                           {"", false},
		"six zeros are reserved":            {"000000abcdef", false},
		"twelve zeros are reserved":         {"000000000000", false},
		"five zeros are not":                {"00000abcdefg", true},
		"six zeros elsewhere are not":       {"a000000bcdef", true},
		"a line break after a good one":     {"Sales2026abc\n", false},
		"six zeros in the right length too": {"000000", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, fault := record.PublicIDFault(tt.id); (fault == "") != tt.ok {
				t.Errorf("%q: %q", tt.id, fault)
			}
		})
	}
}

// The ids are on the wire and in pipelines' files: they must never change.
func TestSynthesizedIDsArePinned(t *testing.T) {
	for _, tt := range []struct{ name, sql, json, want string }{
		{"", "", "", "ItBRdjYyhAxY"},
		{"ab", "c", "", "uxppA5eruQWd"},
		{"Sales", "select 1", "{}", "jriJuDRXbdkV"},
	} {
		if got := record.SynthesizedID(tt.name, tt.sql, tt.json); got != tt.want {
			t.Errorf("%q, %q, %q: %s, want %s", tt.name, tt.sql, tt.json, got, tt.want)
		}
	}
	if record.SynthesizedID("ab", "c", "") == record.SynthesizedID("a", "bc", "") {
		t.Error("where one field ends and the next begins does not count")
	}
}

// The digests stand in placements: with other ones every placement would seem out of date. The wanted ones come from sha256sum.
func TestQueryChecksumsArePinned(t *testing.T) {
	pivot := record.PivotItems{Columns: []string{"a"}, Filters: []string{}, Measures: []string{}, Rows: []string{}, DisplayScale: "model"}
	north := placements.OneValue(placements.TextScalar("North"))
	for _, tt := range []struct {
		definition record.Definition
		want       string
	}{
		{
			// {"jsonQuery":"","pivotItems":null,"sqlQuery":"select 1"}
			record.Definition{SQLQuery: "select 1", Name: "does not count"},
			"d95004731eaca61e981c759db5fe22b2b7f16d0223d485043a5e2b96392831c0",
		},
		{
			// {"jsonQuery":"{\"a\":1}","pivotItems":{"columns":["a"],"displayScale":"model","filters":[],"measures":[],"rows":[],
			// "showColumnTotals":false},"sqlQuery":"select 1 < 2"}
			record.Definition{SQLQuery: "select 1 < 2", JSONQuery: `{"a":1}`, PivotItems: &pivot},
			"bbd2db3719e65c20bb1e9aa4d2632abcf24f7b1ab9f156bbb00f6127e14b3ab2",
		},
		{
			// {"jsonQuery":"","pivotItems":{"columns":[],"filters":[],"measures":["m"],"rows":["r"],"showAppliedFilters":true,
			// "showColumnTotals":true,"showRowTotals":true},"sqlQuery":"select 1"}
			record.Definition{SQLQuery: "select 1", PivotItems: &record.PivotItems{
				Columns: []string{}, Filters: []string{}, Measures: []string{"m"}, Rows: []string{"r"},
				ShowAppliedFilters: true, ShowColumnTotals: true, ShowRowTotals: true,
			}},
			"ded04757e87e259f854471d66303a2c054f3f179db1e5b5509119317746c7df3",
		},
		{
			// {"jsonQuery":"","parameters":[{"list":false,"name":"region","type":"text"},{"list":true,"name":"ids","type":"number"}],
			// "pivotItems":null,"sqlQuery":"select @region where 1 in (@ids)"}
			record.Definition{SQLQuery: "select @region where 1 in (@ids)", Parameters: []placements.Parameter{
				{Name: "region", Title: "Region", Type: placements.ParameterText, Default: &north, FromCells: true},
				{Name: "ids", Type: placements.ParameterNumber, List: true},
			}},
			"4a360472ede4a8418b574d1079e4e292d8d956cdf75214ea87891980ce4a7a76",
		},
	} {
		if got, err := record.QueryChecksum(&tt.definition); got != tt.want || err != nil {
			t.Errorf("%+v: %s, %v; want %s", tt.definition, got, err, tt.want)
		}
	}
}
