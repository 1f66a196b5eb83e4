package placements_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

func TestWhereASpreadsheetMayBe(t *testing.T) {
	two := placements.Documents{
		{Name: "desk", Kind: placements.SheetsB},
		{Name: "share", Kind: placements.SheetsB, Documents: []string{"sales/*", "plan.xlsx"}},
		{Name: "sheets", Kind: placements.SheetsA},
	}
	bounded := placements.Documents{
		{Name: "desk", Kind: placements.SheetsB, Documents: []string{}}, {Name: "share", Kind: placements.SheetsB, Documents: []string{"plan.xlsx"}},
	}
	type site struct{ Spreadsheets, Document string }
	for _, row := range []struct {
		fact         string
		hosts        placements.Documents
		host         placements.Host
		id, kept     string
		want         []site
		only         string
		allow, admit bool
	}{
		{"the only host of its kind", two, placements.SheetsA, "1x", "", []site{{"sheets", "1x"}}, "sheets", true, false},
		{"a kind without a host", bounded, placements.SheetsA, "1x", "", nil, "", true, false},
		{"the host that the id names", two, placements.SheetsB, "share:sales/a.xlsx", "", []site{{"share", "sales/a.xlsx"}}, "share", true, true},
		{"the id that names a host is bounded there", two, placements.SheetsB, "share:pay.xlsx", "", []site{{"share", "pay.xlsx"}}, "", false, false},
		{"the host that is kept", two, placements.SheetsB, "plan.xlsx", "share", []site{{"share", "plan.xlsx"}}, "share", true, true},
		{"the id counts more than what is kept", two, placements.SheetsB, "desk:plan.xlsx", "share", []site{{"desk", "plan.xlsx"}}, "desk", true, false},
		{"a kept host that is gone", two, placements.SheetsA, "1x", "gone", []site{{"sheets", "1x"}}, "sheets", true, false},
		{"a kept host of the other kind", two, placements.SheetsA, "1x", "desk", []site{{"sheets", "1x"}}, "sheets", true, false},
		{"a name of the other kind is part of the id", two, placements.SheetsA, "desk:1x", "", []site{{"sheets", "desk:1x"}}, "sheets", true, false},
		{"a colon without a name", two, placements.SheetsA, ":1x", "", []site{{"sheets", ":1x"}}, "sheets", true, false},
		{"several", two, placements.SheetsB, "plan.xlsx", "", []site{{"desk", "plan.xlsx"}, {"share", "plan.xlsx"}}, "", true, false},
		{"several, one of which lets it be there", two, placements.SheetsB, "pay.xlsx", "", []site{{"desk", "pay.xlsx"}, {"share", "pay.xlsx"}}, "desk", true, false},
		{"several, none of which lets it be there", bounded, placements.SheetsB, "pay.xlsx", "", []site{{"desk", "pay.xlsx"}, {"share", "pay.xlsx"}}, "", false, false},
		{"without a configuration", nil, placements.SheetsB, "plan.xlsx", "share", nil, "", true, false},
	} {
		t.Run(row.fact, func(t *testing.T) {
			p := placements.Placement{Host: row.host, WorkbookID: row.id, Spreadsheets: row.kept}
			var sites []site
			for _, at := range row.hosts.SitesOf(p) {
				sites = append(sites, site{at.Spreadsheets, at.Document})
			}
			if diff := cmp.Diff(row.want, sites); diff != "" {
				t.Errorf("sites (-want +got):\n%s", diff)
			}
			if got := row.hosts.HostOf(p); got != row.only {
				t.Errorf("the only one is %q, want %q", got, row.only)
			}
			if allow, admit := row.hosts.Allow(p), row.hosts.Admit(p); allow != row.allow || admit != row.admit {
				t.Errorf("allowed %t, admitted %t, want %t, %t", allow, admit, row.allow, row.admit)
			}
		})
	}
}
