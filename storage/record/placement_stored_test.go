package record_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

func TestFactsOfAPlacementAreStored(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", ResultLocation: "S!A1", RunAs: &placements.RunAs{UID: 7}}
	for _, facts := range []placements.Facts{
		{},
		{Placer: placements.PlacedByReader},
		{Own: &checksum.Extent{Rows: 3, Columns: 2}, Placer: placements.PlacedByEditor},
		{Base: &placements.Base{Behalf: 9}},
		{Own: &checksum.Extent{Rows: 1, Columns: 1}, Base: &placements.Base{Behalf: 9, Kept: &placements.Write{
			At: "2026-03-01T07:00:00.000Z", Query: "q", Extent: checksum.Extent{Rows: 4, Columns: 2},
			Checksum: &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 4, Hash: "tab\tand\nline"}}},
		}}},
		{Base: &placements.Base{Kept: &placements.Write{}}},
	} {
		p.Facts = facts
		text, body := record.EncodePlacement(&p, 5, "key")
		got, claim, shown, err := record.DecodePlacement("p", text)
		if diff := cmp.Diff(p, got); diff != "" || claim != 5 || shown != body || err != nil {
			t.Errorf("claim %d, %v (-stored +read):\n%s", claim, err, diff)
		}
		if strings.Contains(body, "editor") || strings.Contains(body, "kept") {
			t.Errorf("shown: %s", body)
		}
	}
}

// A record from before a fact was kept says nothing of it: above all not that a reader placed it.
func TestPlacementsFromBeforeFactsAreRead(t *testing.T) {
	const body = `{"id":"p","workbookId":"book","host":"SHEETS_B","sheetName":"S","anchorCell":"A1","resultLocation":"S!A1","runAs":{"uid":7}}`
	for line, want := range map[string]placements.Facts{
		"5\tplaced\trefreshed\tquery\tkey":                  {},
		"5\tplaced\trefreshed\tquery\tReportRead\tkey":      {},
		"5\tplaced\trefreshed\tquery\tReportRead\t3:2\tkey": {Own: &checksum.Extent{Rows: 3, Columns: 2}},
		"5\tplaced\trefreshed\tquery\t\t\treader\t\tkey":    {Placer: placements.PlacedByReader},
	} {
		p, _, _, err := record.DecodePlacement("p", line+"\n"+body)
		if diff := cmp.Diff(want, p.Facts); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", line, err, diff)
		}
	}
	for _, line := range []string{"5\tkey", "5\ta\tb\tc\td\te\tf\tkey", "5\ta\tb\tc\td\tx\t\t\tkey", "5\ta\tb\tc\td\t\t\t{\tkey"} {
		if _, _, _, err := record.DecodePlacement("p", line+"\n"+body); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}
