package host

import (
	"context"
	"fmt"
	"net/http"
)

// Write is Session's. The steps run in one session of the service, one batch of 20 requests after the other. Within it the markers, and the
// rows to be written over, are compared with what was read before the first step changes anything. Calls counts the batches of steps, not
// those that open the session and compare.
func (s *graphSession) Write(ctx context.Context, patches []Patch) ([]Written, error) {
	if err := checkPatches(s.document, patches); err != nil {
		return nil, err
	}
	if s.stale {
		return nil, s.changed(nil)
	}
	w := graphWriting{graphSession: s}
	for i := range patches {
		if len(patches[i].Moves) > 0 {
			return nil, fmt.Errorf("spreadsheet %q: Microsoft Graph moves no cells", s.document)
		}
		w.blocks = append(w.blocks, placedPatch{Patch: &patches[i], index: i})
	}
	if err := w.write(ctx); err != nil {
		return nil, s.fault(ctx, s.document, err)
	}
	written := make([]Written, len(patches))
	for i := range patches {
		written[i].count(&patches[i])
	}
	if len(written) > 0 {
		written[0].Calls = w.calls
	}
	return written, nil
}

// graphWriting is one Write in progress.
type graphWriting struct {
	*graphSession
	blocks []placedPatch // in the order in which they are written, once placed
	calls  int
}

func (w *graphWriting) write(ctx context.Context) error {
	var before []graphCompared
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
func (w *graphWriting) writeEntered(ctx context.Context, before []graphCompared) error {
	if err := w.look(ctx, before); err != nil {
		return err
	}
	steps, err := w.plan()
	if err != nil || len(steps) == 0 {
		return err
	}
	if err := w.compare(ctx, before); err != nil {
		return err
	}
	// All at once, with the session's end: a write should not have to wait halfway.
	if err := takeQuota(ctx, w.limiter, w.faults, w.quotas, len(steps)+1); err != nil {
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
	w.read.wrote(w.blocks)
	return nil
}

// look finds out which sheets and names there are now, and reads the first of what is to be compared.
func (w *graphWriting) look(ctx context.Context, before []graphCompared) error {
	overview := w.overview()
	parts := w.nextParts(areasCompared(before), graphBatchRequests-len(overview))
	if err := takeQuota(ctx, w.limiter, w.faults, w.quotas, len(overview)+len(parts)); err != nil {
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
	if isStatus(err, http.StatusNotFound) && !isGoneSession(err) {
		return w.changed(err)
	}
	return err
}

// plan finds where the blocks stand and what is to be sent.
func (w *graphWriting) plan() ([]graphStep, error) {
	if err := w.place(); err != nil {
		return nil, err
	}
	return w.steps()
}

// place finds where each block stands. One that was found by its marker, or that was not read and has one, must have it there.
func (w *graphWriting) place() error {
	for i := range w.blocks {
		b := &w.blocks[i]
		sheet, ok := w.sheetOf(b.Block)
		if !ok {
			return w.faults.noSheet(w.document, b.Block.Sheet)
		}
		b.sheet, b.at = sheet.ID, b.Block.Anchor
		marker, marked := w.marker(b.Block.PlacementID)
		must := marked && marker.Sheet != ""
		if known := w.read.at(b.sheet, b.Block.Anchor); known != nil {
			b.at, must = known.now, known.marked
		}
		stands := sheet.named(marker.Sheet) && marker.Anchor == b.at
		if must && !stands {
			return w.changed(nil)
		}
		b.wide = b.Extent.Columns
		if stands {
			b.wide = max(b.wide, marker.Columns)
		}
	}
	bottomUp(w.blocks)
	return w.faults.checkShifts(w.document, w.blocks, w.read)
}

// steps are the requests that apply the patches, in order: the blocks from the bottom up, then the markers.
func (w *graphWriting) steps() (steps []graphStep, err error) {
	blocks := make([]*graphBlock, len(w.blocks))
	for i := range w.blocks {
		blocks[i] = w.block(&w.blocks[i])
		if err := blocks[i].checkSize(); err != nil {
			return nil, err
		}
		if steps, err = blocks[i].appendSteps(steps); err != nil {
			return nil, err
		}
	}
	for _, b := range blocks {
		if steps, err = b.appendMarker(steps); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func (w *graphWriting) block(p *placedPatch) *graphBlock {
	sheet, _ := w.sheetOf(p.Block)
	b := &graphBlock{placedPatch: p, session: w.graphSession, name: sheet.Name}
	if read := w.read.at(p.sheet, p.Block.Anchor); read != nil {
		b.texts = read.texts
	}
	return b
}
