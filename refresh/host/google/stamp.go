package google

import (
	"slices"

	"mooring/refresh/host"
)

// A stamp is developer metadata of the spreadsheet, under a key like the name of the placement's marker: a named range keeps no text.

// maxStamps is how many characters of developer metadata a spreadsheet may have for one more to be added. The service takes 30,000, and
// refuses a whole batch that goes beyond. What says which document it is may take reserved more.
const (
	maxStamps = 25_000
	reserved  = 1_000
)

func stampKey(placementID string) string { return markerName(host.StampID(placementID)) }

// stamp returns what the document is known to keep beside a placement's marker.
func (s *session) stamp(placementID string) (metadata, bool) {
	key := stampKey(placementID)
	for _, m := range s.stamps {
		if m.Key == key {
			return m, true
		}
	}
	return metadata{}, false
}

// stampRequests are those that make the document keep the blocks' stamps, as far as it has room for them.
func (w *writing) stampRequests() ([][]byte, error) {
	room := maxStamps
	for _, m := range w.stamps {
		room -= len(m.Key) + len(m.Value)
	}
	var kinds []map[string]any
	if identity := w.identityRequest(room + reserved); identity != nil {
		kinds = append(kinds, identity)
	}
	for _, b := range w.blocks {
		if b.Stamp == "" {
			continue
		}
		key := stampKey(b.Block.PlacementID)
		if old, ok := w.stamp(b.Block.PlacementID); ok {
			kinds = append(kinds, updateMetadata(old.ID, b.Stamp))
		} else if room -= len(key) + host.MaxStamp; room >= 0 {
			kinds = append(kinds, createMetadata(key, b.Stamp))
		}
	}
	return marshalEach(kinds)
}

func createMetadata(key, value string) map[string]any {
	return map[string]any{"createDeveloperMetadata": map[string]any{"developerMetadata": map[string]any{
		"metadataKey": key, "metadataValue": value, "visibility": "DOCUMENT", "location": map[string]any{"spreadsheet": true},
	}}}
}

func updateMetadata(id int64, value string) map[string]any {
	return map[string]any{"updateDeveloperMetadata": map[string]any{
		"dataFilters":       []any{map[string]any{"developerMetadataLookup": map[string]any{"metadataId": id}}},
		"developerMetadata": map[string]any{"metadataValue": value}, "fields": "metadataValue",
	}}
}

// appendBeside appends the names of parameters' cells and the stamps to what is sent last, if anything is sent.
func (w *writing) appendBeside(requests, markers [][]byte) ([][]byte, error) {
	if len(requests)+len(markers) == 0 {
		return markers, nil
	}
	names, err := w.parameterRequests()
	if err != nil {
		return nil, err
	}
	stamps, err := w.stampRequests()
	return slices.Concat(markers, names, stamps), err
}
