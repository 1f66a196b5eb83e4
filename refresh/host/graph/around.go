package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/rest"
)

// filledCells bounds the cells of a request that fills formulas or formats down.
const filledCells = 2_000

// areas are those that are to be read.
func (a around) areas() []*cellArea {
	return slices.DeleteFunc([]*cellArea{a.row, a.first, a.source, a.beside}, func(a *cellArea) bool { return a == nil })
}

// lookAround finds out what the patches need to know of the cells around their blocks, as far as they were not read already.
func (w *writing) lookAround(ctx context.Context) error {
	w.around = make([]around, len(w.blocks))
	var areas []*cellArea
	for i := range w.blocks {
		a := &w.around[i]
		*a = w.block(&w.blocks[i]).surroundings()
		if below, texts, ok := w.read.Below(&w.blocks[i]); ok && a.row != nil {
			a.below, a.texts, a.row = below, texts, nil
		}
		areas = append(areas, a.areas()...)
	}
	if err := w.readAreas(ctx, areas); err != nil {
		return err
	}
	for i := range w.around {
		a := &w.around[i]
		if a.beside != nil {
			a.filled = rest.Filled(a.beside.cells.Grid(), a.beside.formulas)
		}
		if a.row != nil {
			a.below, a.texts = a.row.formulas, a.row.texts
		}
	}
	return nil
}

// surroundings are the areas to read around a block.
func (b *block) surroundings() (a around) {
	area := func(row, column, rows, columns int) *cellArea {
		return newArea(b.place(row, column, checksum.Extent{Rows: rows, Columns: columns}))
	}
	if b.GrowsAtAnEnd() && b.At.Row+b.Had.Rows <= placements.MaxRow {
		a.row = area(b.Had.Rows, 0, 1, b.Wide)
	}
	if slices.ContainsFunc(b.Shifts, underHeader) {
		if first, ok := b.FirstRow(); ok {
			a.first = area(first, 0, 1, b.Wide)
		}
	}
	filling, ok := b.Filling()
	if !ok {
		return a
	}
	columns := b.Fills()
	a.source = area(filling.Was, columns.From, 1, columns.To-columns.From)
	if len(b.Shifts) == 0 { // else the rows beside are as new
		a.beside = area(b.Had.Rows, columns.From, b.Extent.Rows-b.Had.Rows, columns.To-columns.From)
	}
	return a
}

// underHeader reports whether a shift inserts rows that would have the formats of the header.
func underHeader(s checksum.Shift) bool { return s.Rows > 0 && s.At <= 1 }

// appendFollowers fills formulas down beside the rows that the block gained, and lets those directly below it count the rows gained at
// its end. placed are the blocks written until now, this one last; sheets are the document's.
func (b *block) appendFollowers(steps []step, placed []rest.PlacedPatch, sheets []string) []step {
	if filling, ok := b.Filling(); ok && b.around.source != nil {
		for _, f := range b.around.source.formulas {
			steps = b.appendFills(steps, filling, f, placed, sheets)
		}
	}
	for _, f := range rest.Grown(placed, b.around.below, sheets) {
		steps = append(steps, b.setFormulas(f.Position, []string{f.Text}, b.around.texts[f.Column]))
	}
	return steps
}

// appendFills fills one of the formulas beside the row that is filled down into the cells that are empty. Values are not copied.
func (b *block) appendFills(steps []step, filling host.Filling, f host.Formula, placed []rest.PlacedPatch, sheets []string) []step {
	text := b.around.source.texts[f.Column] || b.around.beside != nil && b.around.beside.texts[f.Column]
	at := host.Position{Row: filling.Was, Column: b.Fills().From + f.Column}
	left, ok := rest.Left(placed, host.Formula{Position: at, Text: f.Text}, sheets)
	if !ok {
		return steps
	}
	parts := formula.Cut(left)
	for _, gained := range filling.Gained {
		for _, empty := range b.Empty(gained, f.Column, b.around.filled) {
			var texts []string
			for row := empty.From; row < empty.To; row++ {
				if moved, ok := formula.Move(parts, row-filling.Is, 0); ok {
					texts = append(texts, moved)
				}
			}
			if len(texts) != empty.To-empty.From {
				continue // one would refer to cells beyond the sheet
			}
			at.Row = empty.From
			for part := range slices.Chunk(texts, filledCells) {
				steps = append(steps, b.setFormulas(at, part, text))
				at.Row += len(part)
			}
		}
	}
	return steps
}

// setFormulas writes formulas one below the other, into cells of the format @ without that: all that is written there becomes text.
func (b *block) setFormulas(at host.Position, texts []string, text bool) step {
	var values, formats [][]string
	for _, t := range texts {
		values, formats = append(values, []string{t}), append(formats, []string{general})
	}
	body := map[string]any{"values": values}
	if text {
		body["numberFormat"] = formats
	}
	encoded, _ := json.Marshal(body) // texts always have a JSON form
	return b.other(http.MethodPatch, b.place(at.Row, at.Column, checksum.Extent{Rows: len(texts), Columns: 1}), "", string(encoded))
}
