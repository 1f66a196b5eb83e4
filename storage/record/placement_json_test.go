package record

import (
	"testing"

	"pgregory.net/rapid"

	"mooring/checksum"
	"mooring/placements"
)

func TestAppendedPlacementIsTheEncodedOne(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"\`, "<&>\u2028", "\xff", "\x7f", "\x01", "語"}))
	rapid.Check(t, func(t *rapid.T) {
		p := placements.Placement{
			ID: text.Draw(t, "id"), WorkbookID: text.Draw(t, "workbookId"), WorkbookName: text.Draw(t, "workbookName"),
			Host: placements.Host(text.Draw(t, "host")), SheetID: text.Draw(t, "sheetId"), SheetName: text.Draw(t, "sheetName"),
			StatusCell: text.Draw(t, "statusCell"), FillRight: text.Draw(t, "fillRight"),
			AnchorCell: text.Draw(t, "anchorCell"), EndResultCell: text.Draw(t, "endResultCell"), ResultLocation: text.Draw(t, "resultLocation"),
			QueryChecksum: text.Draw(t, "queryChecksum"), PlacedAt: text.Draw(t, "placedAt"), RefreshedAt: text.Draw(t, "refreshedAt"),
			RestoredAt: text.Draw(t, "restoredAt"), AsOf: text.Draw(t, "asOf"), PlacedByUserID: rapid.Int64().Draw(t, "placedBy"), RefreshedByUserID: rapid.SampledFrom([]int64{0, -1, 7}).Draw(t, "refreshedBy"),
		}
		if rapid.Bool().Draw(t, "checksum") {
			p.ResultChecksum = &checksum.ResultChecksum{V: rapid.Int().Draw(t, "v")}
			if n := rapid.IntRange(-1, 3).Draw(t, "chunks"); n >= 0 {
				p.ResultChecksum.Chunks = make([]checksum.Chunk, n)
				for i := range p.ResultChecksum.Chunks {
					p.ResultChecksum.Chunks[i] = checksum.Chunk{From: i, To: i + 1, Hash: text.Draw(t, "hash")}
				}
			}
		}
		if rapid.Bool().Draw(t, "edits") {
			p.Edits = &placements.EditSummary{Rows: rapid.Int().Draw(t, "rows"), Cells: rapid.Int().Draw(t, "cells"), Since: text.Draw(t, "since")}
		}
		if rapid.Bool().Draw(t, "managed") {
			p.ManagedBy = &placements.ManagedBy{Project: text.Draw(t, "project"), AppliedAt: text.Draw(t, "at"), Revision: rapid.Int64().Draw(t, "rev")}
		}
		if rapid.Bool().Draw(t, "onEdit") {
			p.OnEdit = placements.Sent(placements.Stop)
		}
		if rapid.Bool().Draw(t, "shiftRows") {
			p.ShiftRows = placements.Sent(rapid.Bool().Draw(t, "shifts"))
		}
		if rapid.Bool().Draw(t, "breakSignature") {
			p.BreakSignature = placements.Sent(rapid.Bool().Draw(t, "breaks"))
		}
		if rapid.Bool().Draw(t, "runAs") {
			p.RunAs = &placements.RunAs{
				UID: rapid.Int64().Draw(t, "uid"), Email: text.Draw(t, "email"), Roles: rapid.SliceOfN(rapid.Int64(), 0, 3).Draw(t, "roles"),
				Actions: []string{"ReportRead"},
			}
		}
		want, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendPlacement(nil, &p)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
