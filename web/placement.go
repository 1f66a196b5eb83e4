package web

import "mooring/storage"

// appendPlacements appends the placements of a report as a JSON array.
func appendPlacements(body []byte, shown []storage.Shown, currentQueryChecksum string) ([]byte, error) {
	var err error
	body = append(body, '[')
	for i, p := range shown {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = appendPlacement(body, p, currentQueryChecksum); err != nil {
			return nil, err
		}
	}
	return append(body, ']'), nil
}

// appendPlacement appends the wire form of a placement: what is stored, and what is computed on read (decisions.md §6).
func appendPlacement(body []byte, p storage.Shown, currentQueryChecksum string) ([]byte, error) {
	own := p.JSON[:len(p.JSON)-1] // without its closing brace
	body = append(append(body, own...), `,"syncStatus":"`...)
	body = append(append(body, p.Status(currentQueryChecksum)...), '"')
	if p.LastRun != nil {
		run, err := encode(p.LastRun)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"lastRun":`...), run...)
	}
	return append(body, '}'), nil
}
