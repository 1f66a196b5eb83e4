package record

import (
	"cmp"
	"strconv"

	"mooring/placements"
)

// Edit is a cell of a placement's block that a person changed and that the last run kept. A value is what JSON has for the cell, as in an
// OverwrittenRow: {formula, value} for a formula, nil for an empty cell.
type Edit struct {
	ID       string `json:"id"`                 // stays with the edit while runs keep it, wherever its row moves
	Row      int    `json:"row"`                // relative to the block's anchor as the last run left it, from zero; row 0 is the header
	Column   int    `json:"column"`             // likewise
	Name     string `json:"name"`               // the column's heading
	Yours    any    `json:"yours"`              // the cell's value
	Source   any    `json:"source"`             // what the source has there; nil too when it is not known, and when Inserted
	Inserted bool   `json:"inserted,omitempty"` // of a row that the person inserted
	SeenAt   string `json:"seenAt"`             // when a run first saw it: RFC 3339, UTC, with milliseconds
	Returned bool   `json:"-"`                  // given back to the source: the next run takes the source's value
}

// At is the cell in p's spreadsheet.
func (e Edit) At(p placements.Placement) placements.Location {
	a, _ := p.Address()
	a.Anchor.Row += e.Row
	a.Anchor.Column += e.Column
	return placements.Location{Sheet: a.Sheet, Anchor: a.Anchor, Rows: 1, Columns: 1}
}

// Summarize counts edits, which come by row; nil when there are none. An edit that does not say when it was seen was seen at now.
func Summarize(edits []Edit, now string) *placements.EditSummary {
	if len(edits) == 0 {
		return nil
	}
	sum := &placements.EditSummary{Cells: len(edits), Since: now}
	for i, e := range edits {
		if i == 0 || e.Row != edits[i-1].Row {
			sum.Rows++
		}
		sum.Since = min(sum.Since, cmp.Or(e.SeenAt, now))
	}
	return sum
}

// A cursor of edits is the row and column of the last one, relative to the anchor: a run between two pages may move what follows.
func (e Edit) Cursor() string { return strconv.Itoa(e.Row) + "." + strconv.Itoa(e.Column) }

// Compare orders edits by row, then column.
func (e Edit) Compare(o Edit) int {
	return cmp.Or(cmp.Compare(e.Row, o.Row), cmp.Compare(e.Column, o.Column))
}

// The bounds of the edits that are listed. A placement's EditSummary counts all.
const (
	MaxEdits     = 10_000
	MaxEditBytes = 4 << 20 // of their JSON
)

// EditPage is a page of a placement's edits, by row, then column, and the placement as it was at the same moment.
type EditPage struct {
	Placement placements.Placement
	Page[Edit]
}
