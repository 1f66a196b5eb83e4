package web

import (
	"encoding/json"

	"mooring/placements"
	"mooring/storage"
)

// placementAnswer is the wire form of a placement with what is computed on read (decisions.md §6).
type placementAnswer struct {
	placements.Placement
	SyncStatus placements.Status   `json:"syncStatus"`
	LastRun    *placements.LastRun `json:"lastRun,omitempty"`
}

// appendPlacements appends the placements of r as a JSON array.
func appendPlacements(body []byte, r *storage.Report) ([]byte, error) {
	body = append(body, '[')
	for i, p := range r.Placements {
		if i > 0 {
			body = append(body, ',')
		}
		text, err := json.Marshal(placementAnswer{p.Placement, placements.SyncStatus(p.Placement, r.CurrentChecksum, p.LastRun), p.LastRun})
		if err != nil {
			return nil, err
		}
		body = append(body, text...)
	}
	return append(body, ']'), nil
}
