package graph

import (
	"context"
	"net/http"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Write is Session's. The steps run in one session of the service, one batch of 20 requests after the other. Within it the markers, and the
// rows to be written over, are compared with what was read before the first step changes anything. Calls counts the batches of steps, not
// those that open the session and compare.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	w, err := s.writing(patches)
	if err != nil {
		return nil, err
	}
	if err := w.write(ctx); err != nil {
		return nil, s.fault(ctx, s.document, err)
	}
	written := make([]host.Written, len(patches))
	for i := range patches {
		written[i].Count(&patches[i])
	}
	for i, shown := range w.shown {
		written[w.blocks[i].Index].Shown = shown
	}
	if len(written) > 0 {
		written[0].Calls = w.calls
	}
	return written, nil
}

func (w *writing) write(ctx context.Context) error {
	var before []compared
	if w.known { // what needs no request, or is refused without one
		if steps, err := w.plan(); err != nil || len(steps) == 0 {
			return err
		}
		before = w.writtenOver()
	}
	err := w.enter(ctx)
	if err == nil {
		err = w.writeEntered(ctx, before)
	}
	if err != nil {
		w.leave(ctx)
	}
	return err
}

// writeEntered writes within the service's session, once what is to be written over was compared with what was read before.
func (w *writing) writeEntered(ctx context.Context, before []compared) error {
	if err := w.look(ctx, before); err != nil {
		return err
	}
	if err := w.place(); err != nil {
		return err
	}
	if err := w.lookAround(ctx); err != nil {
		return err
	}
	if err := w.lookHidden(ctx); err != nil {
		return err
	}
	steps, err := w.steps()
	if err != nil || len(steps) == 0 {
		return err
	}
	if err := w.compare(ctx, before); err != nil {
		return err
	}
	if steps, err = w.appendBeside(steps); err != nil {
		return err
	}
	// All at once, with the session's end: a write should not have to wait halfway.
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.quotas, len(steps)+1); err != nil {
		return err
	}
	if err := w.run(ctx, steps); err != nil {
		return err
	}
	if w.service.refused {
		if err := w.readBack(ctx); err != nil {
			return err
		}
	}
	w.known = false
	w.read.Wrote(w.blocks)
	w.parameters.Wrote(w.blocks)
	return nil
}

// look finds out which sheets and names there are now, and reads the first of what is to be compared.
func (w *writing) look(ctx context.Context, before []compared) error {
	overview := w.overview()
	parts := w.nextParts(areasCompared(before), batchRequests-len(overview))
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.quotas, len(overview)+len(parts)); err != nil {
		return err
	}
	replies, err := w.send(ctx, append(overview, w.partRequests(parts)...))
	if isTooMuch(err) && len(parts) > 0 && w.halve(parts[0].place.size) {
		return w.look(ctx, before)
	}
	if err != nil {
		return err
	}
	if err := w.learn(ctx, replies); err != nil {
		return err
	}
	err = w.take(parts, replies[len(overview):])
	if rest.IsStatus(err, http.StatusNotFound) && !isGoneSession(err) {
		return w.changed(err)
	}
	return err
}

// place finds where each block stands. One that was found by its marker, or that was not read and has one, must have it there.
func (w *writing) place() error {
	for i := range w.blocks {
		b := &w.blocks[i]
		b.Patch = &w.patches[b.Index]
		sheet, ok := w.sheetOf(b.Block)
		if !ok {
			return w.faults.NoSheet(w.document, b.Block.Sheet)
		}
		b.Sheet, b.Title, b.At = sheet.ID, sheet.Name, b.Block.Anchor
		marker, marked := w.marker(b.Block.PlacementID)
		must := marked && marker.Sheet != ""
		if known := w.read.At(b.Sheet, b.Block.Anchor); known != nil {
			b.At, must = known.Now, known.Marked
		}
		stands := sheet.named(marker.Sheet) && marker.Anchor == b.At
		if must && !stands {
			return w.changed(nil)
		}
		had := b.Extent
		if stands {
			had = checksum.Extent{Rows: marker.Rows, Columns: marker.Columns}
		}
		b.Band(had, placements.MaxColumn+1)
	}
	rest.BottomUp(w.blocks)
	w.read.Follow(w.blocks)
	return w.faults.CheckShifts(w.document, w.blocks, w.marked())
}
