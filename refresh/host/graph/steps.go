package graph

import "mooring/refresh/host/rest"

// plan finds where the blocks stand and what is to be sent.
func (w *writing) plan() ([]step, error) {
	if err := w.place(); err != nil {
		return nil, err
	}
	return w.steps()
}

// steps are the requests that apply the patches, in order: the blocks from the bottom up, then the markers of those without shifts, and names.
func (w *writing) steps() (steps []step, err error) {
	blocks := make([]*block, len(w.blocks))
	for i := range w.blocks {
		blocks[i] = w.block(&w.blocks[i])
		if err := blocks[i].checkSize(); err != nil {
			return nil, err
		}
		if i < len(w.around) {
			blocks[i].around = w.around[i]
		}
		if steps, err = blocks[i].appendSteps(steps, w.blocks[:i+1], w.sheetNames()); err != nil {
			return nil, err
		}
	}
	for i, shown := range w.shown {
		steps = blocks[i].appendShows(steps, shown)
	}
	for _, b := range blocks {
		if len(b.Shifts) > 0 {
			continue
		}
		if steps, err = b.appendMarker(steps, b.After); err != nil {
			return nil, err
		}
	}
	if len(steps) == 0 {
		return nil, nil
	}
	return w.parameterSteps(steps)
}

// appendSteps appends the requests that change the block's cells, the last of placed, and those around it. The marker and what is around
// follow the shifts at once: the next write must not make them again if this one breaks off later.
func (b *block) appendSteps(steps []step, placed []rest.PlacedPatch, sheets []string) ([]step, error) {
	steps, err := b.appendShifts(steps)
	if err != nil {
		return nil, err
	}
	if len(b.Shifts) > 0 {
		if steps, err = b.appendMarker(steps, b.At); err != nil {
			return nil, err
		}
		return b.appendRowsAndClears(b.appendFollowers(steps, placed, sheets)), nil
	}
	return b.appendFollowers(b.appendRowsAndClears(steps), placed, sheets), nil
}
