package google

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// lookAround finds out what the patches need to know of the cells around their blocks: in one request, if they were not read already.
func (w *writing) lookAround(ctx context.Context) error {
	w.around = make([]around, len(w.blocks))
	places := make([]surroundings, len(w.blocks))
	var all []place
	for i := range w.blocks {
		places[i] = w.surroundings(&w.blocks[i])
		if below, texts, ok := w.read.Below(&w.blocks[i]); ok {
			w.around[i].below, w.around[i].texts, places[i].below = below, texts, place{}
		}
		for _, p := range places[i].list() {
			if p.size.Rows > 0 && p.size.Columns > 0 {
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	w.calls++
	page, err := w.cellsOf(ctx, all, readFields)
	if err != nil {
		return err
	}
	for i, p := range places {
		if below := page.take(p.below); below != nil {
			w.around[i].below, w.around[i].texts = below.formulas, below.texts
		}
		w.around[i].source = page.take(p.source)
		if beside := page.take(p.beside); beside != nil {
			w.around[i].filled = rest.Filled(beside.grid(0), beside.formulas)
		}
	}
	return nil
}

// cellsOf reads fields of rectangles. One that the sheet no longer has is a change by others.
func (s *session) cellsOf(ctx context.Context, places []place, fields string) (*page, error) {
	var ranges []string
	for _, p := range places {
		ranges = append(ranges, p.String())
	}
	page, err := s.ask(ctx, s.document, url.Values{"ranges": ranges, "fields": {fields}})
	var refused *rest.Refusal
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		s.forget()
		return nil, s.faults.Changed(s.document, refused)
	}
	return page, s.fault(ctx, s.document, err)
}

// surroundings are the places of what around holds, of no size where it is not needed.
type surroundings struct{ below, source, beside place }

func (s surroundings) list() []place { return []place{s.below, s.source, s.beside} }

// surroundings returns what is to be read around a block, as far as its sheet reaches.
func (w *writing) surroundings(p *rest.PlacedPatch) (s surroundings) {
	sheet, _ := w.sheetOf(p.Block)
	at := func(row, column, rows, columns int) place {
		a := placements.Anchor{Row: p.At.Row + row, Column: p.At.Column + column}
		size := checksum.Extent{Rows: min(rows, sheet.Grid.Rows-a.Row), Columns: min(columns, sheet.Grid.Columns-a.Column)}
		return place{sheet: sheet.Title, anchor: a, size: size}
	}
	if p.GrowsAtAnEnd() {
		s.below = at(p.Had.Rows, 0, 1, p.Wide)
	}
	filling, ok := p.Filling()
	if !ok {
		return s
	}
	columns := p.Fills()
	s.source = at(filling.Was, columns.From, 1, columns.To-columns.From)
	if len(p.Shifts) == 0 { // else the rows beside are as new
		s.beside = at(p.Had.Rows, columns.From, p.Extent.Rows-p.Had.Rows, columns.To-columns.From)
	}
	return s
}

// appendFollowers fills formulas down beside the rows that a block gained, and lets those directly below it count the rows gained at
// its end. placed are the blocks written until now, this one last.
func (b placedBlock) appendFollowers(requests [][]byte, a around, placed []rest.PlacedPatch) ([][]byte, error) {
	var kinds []map[string]any
	if filling, ok := b.Filling(); ok && a.source != nil {
		kinds = b.fills(filling, a)
	}
	for _, f := range rest.Grown(placed, a.below, nil) {
		kinds = append(kinds, b.set(f, f.Column < len(a.texts) && a.texts[f.Column]))
	}
	more, err := marshalEach(kinds)
	return append(requests, more...), err
}

// fills copies the formulas of the row that is filled down to those cells that are empty. Values are not copied.
func (b placedBlock) fills(filling host.Filling, a around) (kinds []map[string]any) {
	columns := b.Fills()
	for _, f := range a.source.formulas {
		column := checksum.Span{From: columns.From + f.Column, To: columns.From + f.Column + 1}
		for _, rows := range filling.Gained {
			for _, empty := range b.Empty(rows, f.Column, a.filled) {
				kinds = append(kinds, b.copyDown("PASTE_FORMULA", filling.Is, column, empty))
			}
		}
	}
	return kinds
}

// set writes a formula, into a cell of text format without that: what is written there may become text.
func (b placedBlock) set(f host.Formula, text bool) map[string]any {
	cells := b.rectangle(f.Row, f.Column, checksum.Extent{Rows: 1, Columns: 1})
	cell := map[string]any{"userEnteredValue": map[string]string{"formulaValue": f.Text}}
	fields := "userEnteredValue"
	if text {
		fields += ",userEnteredFormat.numberFormat"
	}
	return map[string]any{"repeatCell": map[string]any{"range": cells, "cell": cell, "fields": fields}}
}
