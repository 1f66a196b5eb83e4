package google

import (
	"encoding/json"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// parameterRequests give the cells of parameters their names, where these do not stand there. The service lets those follow that do.
func (w *writing) parameterRequests() (requests [][]byte, err error) {
	for _, cells := range w.parameters.Names(w.blocks) {
		sheet, ok := w.sheetOf(host.Block{Sheet: cells.After.Sheet})
		if !ok {
			continue // it was not read, or is not there any more
		}
		before, marker := cells.Before, w.marker(cells.ID)
		if marker.covers(sheet.ID, before.Anchor, rest.Size(before)) {
			continue
		}
		to := rectangle(sheet.ID, cells.After.Anchor, rest.Size(cells.After))
		request, err := json.Marshal(marker.set(generation(markerName(cells.ID), w.generation), to))
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}
