package google

import (
	"encoding/json"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/rest"
)

// placedBlock is a patch, the sheet that it is on as that will have grown, and the block's marker.
type placedBlock struct {
	*rest.PlacedPatch
	faults *rest.Faults
	sheet  sheet
	marker foundMarker

	generation int64  // of a marker to add
	texts      []bool // columns that have a cell of text format
}

func (w *writing) block(p *rest.PlacedPatch) placedBlock {
	sheet, _ := w.sheetOf(p.Block)
	sheet.Grid.Rows += w.grow[sheet.ID].rows
	sheet.Grid.Columns += w.grow[sheet.ID].columns
	b := placedBlock{
		PlacedPatch: p, faults: &w.faults, sheet: sheet,
		marker: w.session.marker(p.Block.PlacementID), generation: w.generation,
	}
	if read := w.read.At(p.Sheet, p.Block.Anchor); read != nil {
		b.texts = read.Texts
	}
	return b
}

// marksAtOnce reports whether the marker is set with the shifts. One that is to be added comes last: its name may be taken.
func (b placedBlock) marksAtOnce() bool { return len(b.Shifts) > 0 && b.marker.id != "" }

// appendCells appends what writes and clears the block's cells.
func (b placedBlock) appendCells(requests [][]byte) (_ [][]byte, err error) {
	for _, s := range b.Rows {
		// Formats first: what is written to a cell of text format may become text.
		if requests, err = b.appendFormats(requests, s); err != nil {
			return nil, err
		}
		requests = b.appendRows(requests, s)
	}
	return b.appendClears(requests)
}

// rectangle is a range of the block's sheet, relative to where the block stands.
func (b placedBlock) rectangle(row, column int, e checksum.Extent) gridRange {
	return rectangle(b.sheet.ID, placements.Anchor{Row: b.At.Row + row, Column: b.At.Column + column}, e)
}

// appendStructure moves rows of cells, then inserts and deletes some, over the columns that the block has and had.
func (b placedBlock) appendStructure(requests [][]byte) ([][]byte, error) {
	var kinds []map[string]any
	for _, m := range b.Moves {
		kinds = append(kinds, b.move(m)...)
	}
	rows := b.Had.Rows
	for _, s := range b.Shifts {
		kinds = append(kinds, b.shift(s.At, s.Rows))
		if from, ok := formatsFrom(s, rows); ok {
			kinds = append(kinds, b.copyDown("PASTE_FORMAT", from, checksum.Span{To: b.Wide}, checksum.Span{From: s.At, To: s.At + s.Rows}))
		}
		rows += s.Rows
	}
	more, err := marshalEach(kinds)
	return append(requests, more...), err
}

// shift inserts rows of empty cells, or deletes rows < 0.
func (b placedBlock) shift(at, rows int) map[string]any {
	kind := "insertRange"
	if rows < 0 {
		kind, rows = "deleteRange", -rows
	}
	cells := b.rectangle(at, 0, checksum.Extent{Rows: rows, Columns: b.Wide})
	return map[string]any{kind: map[string]any{"range": cells, "shiftDimension": "ROWS"}}
}

// formatsFrom is the row that rows inserted into a block of so many rows have the formats of: the row above, or the one below where that is
// above is the heading. ok is false when there is none.
func formatsFrom(s checksum.Shift, rows int) (from int, ok bool) {
	if s.At > 1 {
		return s.At - 1, s.Rows > 0
	}
	return s.At + s.Rows, s.Rows > 0 && s.At < rows
}

// copyDown copies some columns of one row of the block to other rows.
func (b placedBlock) copyDown(what string, row int, columns, rows checksum.Span) map[string]any {
	return map[string]any{"copyPaste": map[string]any{
		"source":      b.rectangle(row, columns.From, checksum.Extent{Rows: 1, Columns: columns.To - columns.From}),
		"destination": b.rectangle(rows.From, columns.From, checksum.Extent{Rows: rows.To - rows.From, Columns: columns.To - columns.From}),
		"pasteType":   what,
	}}
}

// move makes room, cuts the rows and pastes them there, and closes the gap. Formulas and formats go along, and what refers to the cells
// follows them. Room is made inside the block, so that a range that covers all rows below its header, as in a sum of one of its columns,
// still does: rows that go to the first place or the last change places with those between.
func (b placedBlock) move(m checksum.RowMove) []map[string]any {
	first, middle, end := m.To, m.From, m.From+m.Rows
	if m.To > m.From {
		first, middle, end = m.From, m.From+m.Rows, m.To
	}
	above, below := middle-first, end-middle
	ends := m.From > 0 && b.marker.stands(b.sheet.ID, b.At)
	top, bottom := ends && first == 1, ends && end == b.marker.extent.Rows
	switch down := !bottom && (top || m.To > m.From); {
	case top && bottom && below <= above:
		return []map[string]any{
			b.shift(middle, above), b.cut(middle+above, below, middle), b.cut(first, above, middle+below), b.shift(first, -above),
		}
	case top && bottom:
		return []map[string]any{b.shift(middle, below), b.cut(first, above, first+below), b.cut(end, below, first), b.shift(end, -below)}
	case down:
		return []map[string]any{b.shift(end, above), b.cut(first, above, end), b.shift(first, -above)}
	}
	return []map[string]any{b.shift(first, below), b.cut(middle+below, below, first), b.shift(middle+below, -below)}
}

// cut cuts rows and pastes them from another one on.
func (b placedBlock) cut(from, rows, to int) map[string]any {
	return map[string]any{"cutPaste": map[string]any{
		"source":      b.rectangle(from, 0, checksum.Extent{Rows: rows, Columns: b.Wide}),
		"destination": coordinate{SheetID: b.sheet.ID, Row: b.At.Row + to, Column: b.At.Column},
		"pasteType":   "PASTE_NORMAL",
	}}
}

// appendClears empties rectangles, as far as the sheet reaches: beyond its end there is nothing to empty.
func (b placedBlock) appendClears(requests [][]byte) ([][]byte, error) {
	var kinds []map[string]any
	for _, r := range b.Clear {
		rows := min(r.Rows, b.sheet.Grid.Rows-b.At.Row-r.Row)
		columns := min(r.Columns, b.sheet.Grid.Columns-b.At.Column-r.Column)
		if rows <= 0 || columns <= 0 {
			continue
		}
		kinds = append(kinds, map[string]any{"updateCells": map[string]any{
			"range":  b.rectangle(r.Row, r.Column, checksum.Extent{Rows: rows, Columns: columns}),
			"fields": "userEnteredValue",
		}})
	}
	clears, err := marshalEach(kinds)
	return append(requests, clears...), err
}

// appendMarker makes the marker cover the new extent at a cell, unless it does already.
func (b placedBlock) appendMarker(requests [][]byte, at placements.Anchor) ([][]byte, error) {
	if b.marker.covers(b.sheet.ID, b.At, b.Extent) && len(b.Shifts)+len(b.Moves) == 0 {
		return requests, nil
	}
	name := generation(markerName(b.Block.PlacementID), b.generation)
	marker, err := json.Marshal(b.marker.set(name, rectangle(b.sheet.ID, at, b.Extent)))
	return append(requests, marker), err
}
