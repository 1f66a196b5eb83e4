package google

import (
	"context"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// maxCells is the most cells that a spreadsheet may have, empty ones included.
const maxCells = 10_000_000

// Write is Session's. Everything goes in one atomic request; only patches over 2 MB take more, each atomic, the markers being
// set with the last, so that a half-written block is still found as the old one; with the first where cells shift.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	w, err := s.writing(patches)
	if err != nil {
		return nil, err
	}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	if err := w.lookAround(ctx); err != nil {
		return nil, err
	}
	if err := w.lookHidden(ctx); err != nil {
		return nil, err
	}
	requests, err := w.requests()
	if err != nil {
		return nil, err
	}
	markers, err := w.markers()
	if err != nil {
		return nil, err
	}
	if markers, err = w.appendBeside(requests, markers); err != nil {
		return nil, err
	}
	if err := w.send(ctx, append(requests, markers...), len(markers)); err != nil {
		return nil, err
	}
	return w.written(), nil
}

// written returns what was done, in the order of the caller's patches.
func (w *writing) written() []host.Written {
	written := make([]host.Written, len(w.blocks))
	for i, b := range w.blocks {
		written[b.Index].Count(b.Patch)
		written[b.Index].Held = b.Found
		written[b.Index].Shown, written[b.Index].Vanished = w.hiding[i].ByHand, w.hiding[i].ByFilter
	}
	if len(written) > 0 {
		written[0].Calls = w.calls
	}
	return written
}

// prepare learns what the patches need of the document, and refuses what the document cannot hold. A document that must grow
// is looked at again, since all sheets' cells count, and so is one in which cells shift, since all blocks there count.
func (w *writing) prepare(ctx context.Context) error {
	if !w.knows() {
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	if err := w.place(); err != nil {
		return err
	}
	if (len(w.grow) > 0 || w.shifts()) && !w.complete {
		if err := w.look(ctx); err != nil {
			return err
		}
		if err := w.place(); err != nil {
			return err
		}
	}
	if len(w.grow) > 0 {
		return w.checkCells()
	}
	return nil
}

// shifts reports whether one of the patches shifts cells.
func (w *writing) shifts() bool {
	return slices.ContainsFunc(w.blocks, func(b rest.PlacedPatch) bool { return len(b.Shifts) > 0 })
}

// knows reports whether the session has all that it needs to know of the patches' blocks.
func (w *writing) knows() bool {
	for _, b := range w.blocks {
		if _, ok := w.sheetOf(b.Block); !ok {
			return false
		}
	}
	return w.known
}

// look reads the document's names and sheets.
func (w *writing) look(ctx context.Context) error {
	w.calls++
	page, err := w.overview(ctx, w.document)
	if err != nil {
		return err
	}
	w.learn(page, true)
	return nil
}

// place finds where each block stands, and takes note of how much the sheets must grow. One that was found by its marker, or that was
// not read and has one, must have it there; else the document changed, a Transient fault.
func (w *writing) place() error {
	clear(w.grow)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.Patch = &w.patches[b.Index]
		sheet, ok := w.sheetOf(b.Block)
		if !ok {
			return w.faults.NoSheet(w.document, b.Block.Sheet)
		}
		if !sheet.isGrid() {
			return w.faults.NoCells(w.document, sheet.Title)
		}
		b.Sheet, b.Title, b.At = strconv.FormatInt(sheet.ID, 10), sheet.Title, b.Block.Anchor
		marker := w.marker(b.Block.PlacementID)
		must := marker.id != "" // a block that was not read may be anywhere, unless it has a marker
		if known := w.read.At(b.Sheet, b.Block.Anchor); known != nil {
			b.At, must = known.Now, known.Marked
		}
		if must && !marker.stands(sheet.ID, b.At) {
			return w.faults.Changed(w.document, nil)
		}
		had := b.Extent
		if marker.stands(sheet.ID, b.At) {
			had = marker.extent
		}
		b.Band(had, sheet.Grid.Columns)
		w.fit(b, sheet)
	}
	rest.BottomUp(w.blocks)
	w.read.Follow(w.blocks)
	return w.faults.CheckShifts(w.document, w.blocks, w.marked())
}

// fit takes note of how much a sheet must grow for a block.
func (w *writing) fit(b *rest.PlacedPatch, sheet sheet) {
	rows, columns := b.Reach()
	grow := w.grow[sheet.ID]
	grow.rows = max(grow.rows, b.At.Row+rows-sheet.Grid.Rows)
	if w.roomy {
		grow.rows += b.Inserted()
	}
	grow.columns = max(grow.columns, b.At.Column+columns-sheet.Grid.Columns)
	if grow != (growth{}) {
		w.grow[sheet.ID] = grow
	}
}

// checkCells refuses patches that would make the document grow beyond what the service takes.
func (w *writing) checkCells() error {
	cells := 0
	for id, s := range w.sheets {
		grow := w.grow[id]
		cells += (s.Grid.Rows + grow.rows) * (s.Grid.Columns + grow.columns)
	}
	if cells > maxCells {
		return w.faults.Say(placements.Permanent, nil, "The spreadsheet %q would grow to %d cells, empty ones included; %s takes %d. "+
			"Remove unused rows, columns or sheets, or let the report return less.", w.document, cells, w.faults.Service, maxCells)
	}
	return nil
}
