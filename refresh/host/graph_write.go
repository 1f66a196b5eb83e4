package host

import (
	"context"
	"fmt"
)

// Write is Session's. The steps run in one session of the service, one batch of 20 requests and 2 MB after the other; opening that
// and seeing whether the document is still the one that was read share a request, which Calls does not count.
func (s *graphSession) Write(ctx context.Context, patches []Patch) ([]Written, error) {
	if err := checkPatches(s.document, patches); err != nil {
		return nil, err
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
	if !w.known {
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	if err := w.place(); err != nil {
		return err
	}
	steps, err := w.steps()
	if err != nil || len(steps) == 0 {
		return err
	}
	// All at once, with the session's own four: a write should not have to wait halfway.
	if err := takeQuota(ctx, w.limiter, w.faults, w.quotas, len(steps)+4); err != nil {
		return err
	}
	if err := w.run(ctx, steps); err != nil {
		return err
	}
	w.known = false
	w.read.wrote(w.blocks)
	return nil
}

// look finds out what is in the document, without reading a cell.
func (w *graphWriting) look(ctx context.Context) error {
	overview := w.overview()
	if err := takeQuota(ctx, w.limiter, w.faults, w.quotas, len(overview)); err != nil {
		return err
	}
	w.calls++
	replies, err := w.batch(ctx, overview)
	if err != nil {
		return err
	}
	return w.learn(ctx, replies)
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
			return w.faults.changed(w.document, nil)
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
func (w *graphWriting) steps() (steps []graphRequest, err error) {
	blocks := make([]graphBlock, len(w.blocks))
	for i := range w.blocks {
		sheet, _ := w.sheetOf(w.blocks[i].Block)
		blocks[i] = graphBlock{placedPatch: &w.blocks[i], session: w.graphSession, name: sheet.Name}
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
