package placementstest

import (
	"fmt"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// Stamp is what the service adds in every row: a user, an instant, the report's current query, a new id.
func Stamp() placements.Stamp {
	return placements.Stamp{
		Now: time.Date(2026, 3, 2, 10, 30, 0, 5e6, time.FixedZone("CET", 3600)), By: placements.RunAs{UID: 42}, QueryChecksum: "q2",
		NewID:   "new",
		MayEdit: true,
	}
}

// by42 is the user of Stamp as a placement keeps them.
func by42() *placements.RunAs { return &placements.RunAs{UID: 42} }

// placed is when the placements of the rows were written, by user 1 with the query q1, unless a row says otherwise. They are
// queried on behalf of the user of Stamp.
const placed = "2026-03-01T08:00:00.000Z"

// oldSum is the checksum of what was written then; newSum is one that a client sends, of a version that only the client knows.
func oldSum() *checksum.ResultChecksum { return sum(2, checksum.Chunk{From: 0, To: 16, Hash: "aa"}) }

func newSum() *checksum.ResultChecksum {
	return sum(9, checksum.Chunk{From: 0, To: 3, Hash: "client's own"})
}

func sum(v int, chunks ...checksum.Chunk) *checksum.ResultChecksum {
	return &checksum.ResultChecksum{V: v, Chunks: append([]checksum.Chunk{}, chunks...)}
}

// moored is a placement recorded by an earlier data write; location is its resultLocation.
func moored(id, document, sheet, anchor, end, location string) placements.Placement {
	return placements.Placement{
		ID: id, WorkbookID: document, WorkbookName: "Book", Host: placements.SheetsB, SheetID: "7", SheetName: sheet, AnchorCell: anchor,
		EndResultCell: end, ResultLocation: location, ResultChecksum: oldSum(), QueryChecksum: "q1",
		PlacedAt: placed, RefreshedAt: placed, PlacedByUserID: 1, RefreshedByUserID: 1,
		RunAs: by42(),
	}
}

// with is v after some edits.
func with[T any](v T, edits ...func(*T)) T {
	for _, edit := range edits {
		edit(&v)
	}
	return v
}

// dataWrite is what a connect without addressOnly stamps on a placement that was there, with the Stamp of the rows.
func dataWrite(p *placements.Placement) {
	p.RefreshedAt, p.RefreshedByUserID, p.QueryChecksum, p.ResultChecksum = "2026-03-02T09:30:00.005Z", 42, "q2", nil
	p.RunAs = by42()
}

// firstWrite is dataWrite for a placement that was never written before.
func firstWrite(p *placements.Placement) {
	dataWrite(p)
	p.PlacedAt, p.PlacedByUserID = "2026-03-02T09:30:00.005Z", 42
}

// neverWritten takes the stamps of all data writes away.
func neverWritten(p *placements.Placement) {
	p.PlacedAt, p.RefreshedAt, p.PlacedByUserID, p.RefreshedByUserID, p.QueryChecksum, p.ResultChecksum = "", "", 0, 0, "", nil
}

// at puts a placement somewhere on its spreadsheet.
func at(sheet, anchor, end, location string) func(*placements.Placement) {
	return func(p *placements.Placement) {
		p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation = sheet, anchor, end, location
	}
}

// id sets the id of a placement.
func id(id string) func(*placements.Placement) {
	return func(p *placements.Placement) { p.ID = id }
}

func cell(row, column int) placements.Anchor { return placements.Anchor{Row: row, Column: column} }

// DiffFaults returns how faults differ from those wanted: JSON pointer -> part of the message there. It is empty when they do not.
func DiffFaults(want map[string]string, got []placements.Detail) string {
	var diff strings.Builder
	seen := map[string]bool{}
	for _, d := range got {
		seen[d.Pointer] = true
		if !strings.Contains(d.Message, want[d.Pointer]) {
			fmt.Fprintf(&diff, "%s: %q, want %q in it\n", d.Pointer, d.Message, want[d.Pointer])
		}
	}
	if len(seen) != len(want) || len(got) != len(want) {
		fmt.Fprintf(&diff, "faults %v, want %v\n", got, want)
	}
	return diff.String()
}

// InChecksum are faults of a checksum as faults of the body that holds it.
func InChecksum(faults map[string]string) map[string]string {
	out := map[string]string{}
	for pointer, says := range faults {
		out["/resultChecksum"+pointer] = says
	}
	return out
}
