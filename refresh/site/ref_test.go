package site

import (
	"testing"

	"mooring/placements"
)

// Locks name the host where there are several of a kind, whichever of its ids a placement has; one alone keeps the document's id.
func TestLocksOfDocuments(t *testing.T) {
	s := &Locator{Hosts: map[string][]Provider{"acme": {
		{Name: "desk", Kind: placements.SheetsB}, {Name: "share", Kind: placements.SheetsB}, {Name: "sheets", Kind: placements.SheetsA},
	}}}
	for _, row := range []struct {
		fact     string
		on       placements.Host
		id, kept string
		want     string
	}{
		{"one host of a kind", placements.SheetsA, "1x", "", "1x"},
		{"one host of a kind, named", placements.SheetsA, "sheets:1x", "", "1x"},
		{"one of several", placements.SheetsB, "plan.xlsx", "share", "share:plan.xlsx"},
		{"one of several, named", placements.SheetsB, "share:plan.xlsx", "", "share:plan.xlsx"},
		{"another of several", placements.SheetsB, "plan.xlsx", "desk", "desk:plan.xlsx"},
		{"not known yet", placements.SheetsB, "plan.xlsx", "", "plan.xlsx"},
	} {
		p := placements.Placement{Host: row.on, WorkbookID: row.id, Spreadsheets: row.kept}
		if got := s.LockName(s.Of("acme", p)); got != row.want {
			t.Errorf("%s: %s, want %s", row.fact, got, row.want)
		}
	}
	same := s.Of("acme", placements.Placement{Host: placements.SheetsB, WorkbookID: "plan.xlsx", Spreadsheets: "share"})
	if other := s.Of("acme", placements.Placement{Host: placements.SheetsB, WorkbookID: "share:plan.xlsx"}); other != same {
		t.Errorf("the ids of one document lead to %+v and %+v", same, other)
	}
}

// Hosts that are not named after their kind have quotas of their own.
func TestBudgetsOfHosts(t *testing.T) {
	for name, want := range map[string]string{"": "graph:a", "SHEETS_B": "graph:a", "finance": "graph:a@finance"} {
		if got := (&Provider{Name: name, Kind: placements.SheetsB}).budget("graph:a"); got != want {
			t.Errorf("the quota of %q is %s, want %s", name, got, want)
		}
	}
}
