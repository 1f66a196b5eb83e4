package graph

import (
	"context"
	"net/http"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// maxHiddenLooks bounds the batches that look for hidden rows: the service tells of rows together whether all are hidden, none or some, and
// those of which some are hidden are asked for in parts.
const maxHiddenLooks = 12

// lookHidden finds out which hidden rows the blocks come to stand in, or what stands below them.
func (w *writing) lookHidden(ctx context.Context) error {
	w.shown = make([][]checksum.Span, len(w.blocks))
	for i := range w.blocks {
		b := &w.blocks[i]
		if len(b.Shifts) == 0 && b.Extent.Rows <= b.Had.Rows {
			continue
		}
		rows := checksum.Span{From: b.At.Row, To: b.At.Row + max(b.Extent.Rows, b.Had.Rows)}
		if len(b.Shifts) > 0 {
			used, err := w.usedRows(ctx, b)
			if err != nil {
				return err
			}
			rows.To = min(max(rows.To, used+w.inserted(b.Sheet)), placements.MaxRow+1)
		}
		hidden, err := w.hiddenIn(ctx, w.block(b), rows)
		if err != nil {
			return err
		}
		if w.shown[i], err = w.uncover(ctx, i, hidden, rows.To); err != nil {
			return err
		}
	}
	return nil
}

// inserted is by how many rows the patches move what stands on a sheet down at most.
func (w *writing) inserted(sheet string) (rows int) {
	for _, b := range w.blocks {
		if b.Sheet == sheet {
			rows += b.Inserted()
		}
	}
	return rows
}

// usedRows is how many rows a sheet has down to the last that holds something.
func (w *writing) usedRows(ctx context.Context, b *rest.PlacedPatch) (int, error) {
	var used struct {
		Row  int `json:"rowIndex"`
		Rows int `json:"rowCount"`
	}
	replies, err := w.ask(ctx, []request{newGet(w.sheetPath(w.document, b.Title) + "/usedRange(valuesOnly=true)?$select=rowIndex,rowCount")})
	if err == nil {
		err = w.decode(replies[0], &used)
	}
	return used.Row + used.Rows, err
}

// ask sends requests of which none writes, once the quota has room.
func (w *writing) ask(ctx context.Context, requests []request) ([]reply, error) {
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.quotas, len(requests)); err != nil {
		return nil, err
	}
	return w.send(ctx, requests)
}

// hiddenIn returns the hidden ones of some rows of a block's sheet. Those that are not known after maxHiddenLooks, where hidden and other
// rows alternate often, are taken for shown.
func (w *writing) hiddenIn(ctx context.Context, b *block, rows checksum.Span) (hidden []checksum.Span, err error) {
	pending := []checksum.Span{rows}
	for range maxHiddenLooks {
		now := pending[:min(len(pending), batchRequests)]
		if len(now) == 0 {
			break
		}
		pending = slices.Clone(pending[len(now):])
		requests := make([]request, len(now))
		for i, s := range now {
			requests[i] = newGet(w.rangePath(w.document, b.wholeRows(s)) + "?$select=rowHidden")
		}
		replies, err := w.ask(ctx, requests)
		if err != nil {
			return nil, err
		}
		for i, s := range now {
			var cells struct {
				Hidden *bool `json:"rowHidden"`
			}
			if err := w.decode(replies[i], &cells); err != nil {
				return nil, err
			}
			switch {
			case cells.Hidden == nil && s.To-s.From > 1:
				pending = append(pending, parts(s, batchRequests)...)
			case cells.Hidden != nil && *cells.Hidden:
				hidden = append(hidden, s)
			}
		}
	}
	return host.MergeSpans(hidden), nil
}

// wholeRows is a place that stands for whole rows of the block's sheet: their cells in the block's first column.
func (b *block) wholeRows(s checksum.Span) place {
	return b.place(s.From-b.At.Row, 0, checksum.Extent{Rows: s.To - s.From, Columns: 1})
}

// parts divides rows into so many parts, or one a row.
func parts(s checksum.Span, n int) (list []checksum.Span) {
	for size := (s.To - s.From + n - 1) / n; s.From < s.To; s.From += size {
		list = append(list, checksum.Span{From: s.From, To: min(s.From+size, s.To)})
	}
	return list
}

// uncover returns the hidden rows in which a row of a block comes to stand, or one below it that holds something.
func (w *writing) uncover(ctx context.Context, i int, hidden []checksum.Span, rows int) (shown []checksum.Span, err error) {
	u := rest.Uncovers(w.blocks, i, hidden, rows)
	for _, row := range u.Block {
		shown = append(shown, checksum.Span{From: row, To: row + 1})
	}
	if len(u.Below) > 0 {
		b := w.block(&w.blocks[i])
		first, last := u.Span()
		area := newArea(b.place(first-b.At.Row, 0, checksum.Extent{Rows: last - first, Columns: b.Wide}))
		if err := w.readAreas(ctx, []*cellArea{area}); err != nil {
			return nil, err
		}
		for _, row := range u.Filled(first, rest.Filled(area.cells.Grid(), area.formulas)) {
			shown = append(shown, checksum.Span{From: row, To: row + 1})
		}
	}
	return host.MergeSpans(shown), nil
}

// appendShows appends the steps that show hidden rows.
func (b *block) appendShows(steps []step, rows []checksum.Span) []step {
	for _, s := range rows {
		steps = append(steps, b.other(http.MethodPatch, b.wholeRows(s), "", `{"rowHidden":false}`))
	}
	return steps
}
