package document

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
	"mooring/refresh/plan"
)

// Sheet is what stands in a document from the anchor of a placement's block on, as an add-in has read it.
type Sheet struct {
	Name   string
	Anchor placements.Anchor
	Marked checksum.Extent // the rectangle of the block's marker, from the anchor; zero without a marker
	Stamp  string          // what is kept beside the marker
	Extent checksum.Extent // the rectangle that was read, from the anchor
	Table  int             // columns, from the anchor, of the Excel table that the marked block is; 0 where it is none
	// Cells are those of the rectangle. Where it is nil, Fingerprints are those of its rows, without the empty ones at its end, and Rows
	// the cells of some of them.
	Cells        *checksum.Grid
	Fingerprints []uint64
	Rows         []SheetRows
	Formulas     []host.Formula // by row, then column
	// Around are formulas of the document's sheets, outside the block: those that follow its shifts. The plan says how many do, and has
	// those that the add-in is to write; nil: it says nothing of them. All sheets are there, in their order.
	Around []SheetFormulas
	Status *SheetStatus // nil: the status cell was not read, and is left alone
	// Filters is what stands in the cell for the applied filters; nil: it was not read, and is left alone.
	Filters *SheetStatus
	// Parameters are the cells from which the placement takes values, by the names of the parameters. Numbers that stand for dates count from 1904 if
	// Date1904 says so.
	Parameters map[string]SheetParameter
	Date1904   bool
}

// SheetStatus is what stands in a cell outside the block of a placement, as an add-in has read it.
type SheetStatus struct {
	At     placements.Location
	Marked bool   // its own marker stands there
	Text   string // its formula, else what it shows; empty for an empty cell
}

// SheetFormulas are formulas of a sheet. They are counted from its first cell.
type SheetFormulas struct {
	Name     string
	Formulas []host.Formula
}

// SheetRows are rows of a Sheet that follow each other.
type SheetRows struct {
	From  int
	Cells *checksum.Grid
}

// NeedError says what of a sheet was not sent that a plan needs: a larger rectangle, or the cells of rows whose fingerprints do not tell
// them.
type NeedError struct {
	Extent checksum.Extent // zero: the rectangle is large enough
	Rows   []checksum.Span
	Status string // the cell of the block's sheet that is the status cell, where another one was read; empty: the right one was
	// Filters is likewise the cell for the applied filters.
	Filters string
	// Parameters are cells from which the placement takes values. Nothing was queried yet.
	Parameters []parameter.Feed
}

func (e *NeedError) Error() string {
	return fmt.Sprintf("more of the sheet is needed: %d rows and %d columns, %d spans of rows, cells %q and %q, %d parameters",
		e.Extent.Rows, e.Extent.Columns, len(e.Rows), e.Status, e.Filters, len(e.Parameters))
}

// sheetSession is a session with the sheet that an add-in sent, about one block and the cells outside it. What is written to it becomes patch.
type sheetSession struct {
	sheet  Sheet
	target *target // once it is known
	draft  *draft  // once it is planned
	patch  host.Patch
	// formulas are those around the block that are to read otherwise than the add-in's program leaves them.
	formulas []ClientFormulas
}

// plan tells the session what is about to be written to it.
func (s *sheetSession) plan(b *draft) { s.draft = b }

// Read implements host.Session. A *NeedError says what the sheet lacks.
func (s *sheetSession) Read(_ context.Context, wanted []host.Wanted) ([]host.Found, error) {
	if wanted[0].Block != s.target.where {
		return []host.Found{{Err: errNotSent}}, nil
	}
	var need NeedError
	found := []host.Found{s.readBlock(wanted[0], &need)}
	for _, side := range wanted[1:] {
		if s.target.status != nil && side.Block == s.target.status.where {
			found = append(found, s.readSide(s.sheet.Status, side, &need.Status))
			continue
		}
		if s.sheet.Anchor.Row > 0 { // above the block as it stands
			side.Block.Anchor = placements.Anchor{Row: s.sheet.Anchor.Row - 1, Column: s.sheet.Anchor.Column}
		}
		found = append(found, s.readSide(s.sheet.Filters, side, &need.Filters))
	}
	if need.Extent != (checksum.Extent{}) || len(need.Rows) > 0 || need.Status != "" || need.Filters != "" {
		return nil, &need
	}
	return found, nil
}

// errNotSent: an add-in sends what stands in the block of its run and around it, and no other block.
var errNotSent = errors.New("the add-in did not read this block")

// readSide returns what stands in a cell outside the block, as it was sent, or sets need to the cell that it is.
func (s *sheetSession) readSide(sent *SheetStatus, want host.Wanted, need *string) host.Found {
	marked := sent.Marked && want.Block.PlacementID != ""
	if !marked && (sent.At.Anchor != want.Block.Anchor || !strings.EqualFold(sent.At.Sheet, s.sheet.Name)) {
		*need = want.Block.Anchor.String()
		return host.Found{}
	}
	var cell checksum.Builder
	cell.Append(checksum.Str(sent.Text))
	return host.Found{View: host.View{
		Sheet: sent.At.Sheet, Anchor: sent.At.Anchor, Marked: marked, Extent: want.Extent, Cells: cell.Grid(),
	}}
}

// readBlock returns what stands in the block, or adds to need what the sheet lacks.
func (s *sheetSession) readBlock(want host.Wanted, lacks *NeedError) host.Found {
	sheet := s.sheet
	view := host.View{Sheet: sheet.Name, Anchor: sheet.Anchor, Formulas: sheet.Formulas}
	if want.Block.PlacementID != "" && sheet.Marked != (checksum.Extent{}) {
		view.Marked, view.Extent, view.Stamp, view.Table = true, sheet.Marked, sheet.Stamp, sheet.Table
	} else if sheet.Anchor != want.Block.Anchor || !strings.EqualFold(sheet.Name, want.Block.Sheet) {
		at := placements.Location{Sheet: want.Block.Sheet, Anchor: want.Block.Anchor}
		return host.Found{Err: plan.Conflict("the block has no marker and is recorded at %s, but %s was read: read it there, "+
			"or connect the report again", at, placements.Location{Sheet: sheet.Name, Anchor: sheet.Anchor})}
	}
	need := want.Extent.Union(view.Extent)
	if need.Union(sheet.Extent) != sheet.Extent {
		lacks.Extent = need.Union(sheet.Extent)
		return host.Found{}
	}
	view.Cells, lacks.Rows = s.cells()
	return host.Found{View: view}
}

// cells are those of the sheet. missing are the rows whose cells are not known.
func (s *sheetSession) cells() (g *checksum.Grid, missing []checksum.Span) {
	if s.sheet.Cells != nil {
		return s.sheet.Cells, nil
	}
	var b checksum.Builder
	var cells []checksum.Cell
	sent, known := s.sheet.Rows, newKnownRows(s.target)
	for row, fingerprint := range s.sheet.Fingerprints {
		for len(sent) > 0 && sent[0].From+sent[0].Cells.Rows() <= row {
			sent = sent[1:]
		}
		var ok bool
		if len(sent) > 0 && sent[0].From <= row {
			cells, ok = sent[0].Cells.Cells(row-sent[0].From, cells[:0]), true
		} else {
			cells, ok = known.find(row, fingerprint, cells[:0])
		}
		if !ok {
			missing = append(missing, checksum.Span{From: row, To: row + 1})
			continue
		}
		b.Append(cells...)
	}
	return b.Grid(), host.MergeSpans(missing)
}

// Write implements host.Session: the add-in writes.
func (s *sheetSession) Write(_ context.Context, patches []host.Patch) ([]host.Written, error) {
	if err := host.CheckPatches(s.target.where.Document, patches); err != nil {
		return nil, err
	}
	if s.patch = patches[0]; s.sheet.Around != nil && len(s.patch.Shifts) > 0 {
		s.lookAround()
	}
	results := make([]host.Written, len(patches))
	for i := range patches {
		results[i].Count(&patches[i])
	}
	return results, nil
}

// Close implements host.Session.
func (s *sheetSession) Close() error { return nil }

// knownRows finds the cells of a row by its fingerprint, where they are known: a row that is as the new table has it, the header that was
// written last, and rows in which a person's cells were kept.
type knownRows struct {
	ours  *checksum.Grid
	block checksum.BlockRows
	rows  map[uint64]int // of ours
	kept  map[uint64][]checksum.Cell
}

func newKnownRows(b *target) knownRows {
	ours, _ := b.last.Held.In(b.task.Table.Grid)
	k := knownRows{ours: ours, block: ours.Block(), kept: map[uint64][]checksum.Cell{}}
	k.rows = make(map[uint64]int, len(k.block.Fingerprints))
	for row, fingerprint := range k.block.Fingerprints {
		k.rows[fingerprint] = row
	}
	for _, last := range b.last.Written() {
		k.kept[checksum.RowFingerprint(last.Header)] = last.Header
		for _, e := range last.Edited {
			k.kept[checksum.RowFingerprint(e.Kept)] = e.Kept
		}
	}
	return k
}

// find appends the cells of a row with that fingerprint. ok is false where they are not known.
func (k knownRows) find(row int, fingerprint uint64, dst []checksum.Cell) (cells []checksum.Cell, ok bool) {
	if fingerprint == checksum.EmptyRow {
		return dst, true
	}
	if row >= len(k.block.Fingerprints) || k.block.Fingerprints[row] != fingerprint {
		if row, ok = k.rows[fingerprint]; !ok {
			cells, ok = k.kept[fingerprint]
			return append(dst, cells...), ok
		}
	}
	return k.ours.Cells(row, dst), true
}
