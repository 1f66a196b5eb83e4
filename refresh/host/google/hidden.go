package google

import (
	"context"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

const hiddenFields = "sheets(properties(sheetId,title,gridProperties(rowCount,columnCount))," +
	"data(startRow,startColumn,rowMetadata(hiddenByUser,hiddenByFilter)))"

// lookHidden finds out which hidden rows the blocks come to stand in, or what stands below them. Of blocks whose cells do not shift, the
// read has told it.
func (w *writing) lookHidden(ctx context.Context) error {
	w.hiding = make([]rest.Hiding, len(w.blocks))
	columns := make([]place, len(w.blocks))
	var all []place
	for i := range w.blocks {
		b := &w.blocks[i]
		if len(b.Shifts)+len(b.Moves) == 0 {
			continue
		}
		sheet, _ := w.sheetOf(b.Block)
		size := checksum.Extent{Rows: sheet.Grid.Rows - b.At.Row, Columns: min(sheet.Grid.Columns-b.At.Column, 1)}
		if columns[i] = (place{sheet: sheet.Title, anchor: b.At, size: size}); size.Rows > 0 && size.Columns > 0 {
			all = append(all, columns[i])
		}
	}
	var page *page
	if len(all) > 0 {
		w.calls++
		var err error
		if page, err = w.cellsOf(ctx, all, hiddenFields); err != nil {
			return err
		}
	}
	for i := range w.blocks {
		b, hidden := &w.blocks[i], rest.Hiding{}
		if read := w.read.At(b.Sheet, b.Block.Anchor); read != nil {
			hidden = read.Hiding
		}
		if len(b.Shifts)+len(b.Moves) > 0 {
			if hidden = (rest.Hiding{}); page != nil {
				if data := page.take(columns[i]); data != nil {
					hidden.Add(data.hiding, b.At.Row)
				}
			}
		}
		if err := w.uncover(ctx, i, hidden); err != nil {
			return err
		}
	}
	return nil
}

// uncover notes the hidden rows in which a row of a block comes to stand, or one below it that holds something.
func (w *writing) uncover(ctx context.Context, i int, hidden rest.Hiding) error {
	b := &w.blocks[i]
	sheet, _ := w.sheetOf(b.Block)
	u := rest.Uncovers(w.blocks, i, hidden.All(), sheet.Grid.Rows+w.grow[sheet.ID].rows)
	rows := u.Block
	if len(u.Below) > 0 {
		filled, err := w.filledBelow(ctx, b, sheet, u)
		if err != nil {
			return err
		}
		rows = append(rows, filled...)
	}
	slices.Sort(rows)
	for _, row := range rows {
		one := []checksum.Span{{From: row, To: row + 1}}
		if host.Holds(hidden.ByFilter, row) {
			w.hiding[i].Add(rest.Hiding{ByFilter: one}, 0)
		} else {
			w.hiding[i].Add(rest.Hiding{ByHand: one}, 0)
		}
	}
	return nil
}

// filledBelow returns the rows that something moves to, of those that may move below a block.
func (w *writing) filledBelow(ctx context.Context, b *rest.PlacedPatch, sheet sheet, u rest.Uncovered) (rows []int, err error) {
	first, end := u.Span()
	size := checksum.Extent{Rows: min(end, sheet.Grid.Rows) - first, Columns: min(b.Wide, sheet.Grid.Columns-b.At.Column)}
	if size.Rows <= 0 || size.Columns <= 0 {
		return nil, nil
	}
	cells := place{sheet: sheet.Title, anchor: placements.Anchor{Row: first, Column: b.At.Column}, size: size}
	w.calls++
	page, err := w.cellsOf(ctx, []place{cells}, readFields)
	if err != nil {
		return nil, err
	}
	data := page.take(cells)
	if data == nil {
		return nil, nil
	}
	return u.Filled(first, rest.Filled(data.grid(0), data.formulas)), nil
}

// shows are the requests that show hidden rows. The service shows none that a filter hides.
func (w *writing) shows() ([][]byte, error) {
	var kinds []map[string]any
	for i, h := range w.hiding {
		sheet, _ := w.sheetOf(w.blocks[i].Block)
		for _, s := range h.ByHand {
			kinds = append(kinds, map[string]any{"updateDimensionProperties": map[string]any{
				"range":      map[string]any{"sheetId": sheet.ID, "dimension": "ROWS", "startIndex": s.From, "endIndex": s.To},
				"properties": map[string]any{"hiddenByUser": false},
				"fields":     "hiddenByUser",
			}})
		}
	}
	return marshalEach(kinds)
}
