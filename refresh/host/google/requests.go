package google

import "mooring/refresh/host/rest"

// requests turns the patches into sub-requests in the order in which they must be applied: room in the sheets, then the blocks from the
// bottom up. Markers that are not set with shifts come behind them.
func (w *writing) requests() ([][]byte, error) {
	requests, err := w.growth()
	if err != nil {
		return nil, err
	}
	for i := range w.blocks {
		b := w.block(&w.blocks[i])
		if requests, err = b.appendRequests(requests, w.around[i], w.blocks[:i+1]); err != nil {
			return nil, err
		}
	}
	shows, err := w.shows()
	return append(requests, shows...), err
}

// appendRequests appends what changes the block's cells, the last of placed, and those around it. The marker and what is around follow the
// shifts at once: if a later batch fails, the next write must not make them again.
func (b placedBlock) appendRequests(requests [][]byte, a around, placed []rest.PlacedPatch) ([][]byte, error) {
	if err := b.faults.CheckText(b.Grid, b.Rows, maxText); err != nil {
		return nil, err
	}
	requests, err := b.appendStructure(requests)
	if err != nil {
		return nil, err
	}
	if len(b.Shifts) == 0 {
		if requests, err = b.appendCells(requests); err != nil {
			return nil, err
		}
		return b.appendFollowers(requests, a, placed)
	}
	if b.marksAtOnce() {
		if requests, err = b.appendMarker(requests, b.At); err != nil {
			return nil, err
		}
	}
	if requests, err = b.appendFollowers(requests, a, placed); err != nil {
		return nil, err
	}
	return b.appendCells(requests)
}
