package host

import (
	"encoding/json"

	"mooring/checksum"
	"mooring/placements"
)

// The service recommends 2 MB a request and refuses more than 100,000 sub-requests.
const (
	googlePartBytes    = 2_000_000
	googlePartRequests = 100_000
	// googleChunkBytes bounds one updateCells, so that parts fill well.
	googleChunkBytes = 200_000
	googleMaxText    = 50_000
)

// parts turns the patch into batches of sub-requests in the order in which they must be applied.
func (w *googleWriting) parts() ([][][]byte, error) {
	if err := w.faults.checkText(w.patch.Grid, w.patch.Rows, googleMaxText); err != nil {
		return nil, err
	}
	requests, err := w.structure()
	if err != nil {
		return nil, err
	}
	for _, s := range w.patch.Rows {
		requests = w.appendRows(requests, s)
		if requests, err = w.appendFormats(requests, s); err != nil {
			return nil, err
		}
	}
	if requests, err = w.appendClears(requests); err != nil {
		return nil, err
	}
	if !w.facts.covers(w.patch.Block.Anchor, w.patch.Extent) || len(w.patch.Shifts) > 0 {
		marker, err := w.marker()
		if err != nil {
			return nil, err
		}
		requests = append(requests, marker)
	}
	return pack(requests, googlePartBytes, googlePartRequests), nil
}

// pack fills batches up to a size and a number; a sub-request that is larger gets a batch of its own.
func pack(requests [][]byte, size, number int) [][][]byte {
	var parts [][][]byte
	room := 0
	for _, r := range requests {
		last := len(parts) - 1
		if last < 0 || len(r)+1 > room || len(parts[last]) == number {
			parts = append(parts, nil)
			last++
			room = size
		}
		parts[last] = append(parts[last], r)
		room -= len(r) + 1
	}
	return parts
}

// structure is what must come first: room in the sheet, then the shifts.
func (w *googleWriting) structure() ([][]byte, error) {
	var kinds []map[string]any
	id := w.facts.sheet.ID
	if w.addRows > 0 {
		kinds = append(kinds, googleAppend(id, "ROWS", w.addRows))
	}
	if w.addColumns > 0 {
		kinds = append(kinds, googleAppend(id, "COLUMNS", w.addColumns))
	}
	wide := max(w.patch.Extent.Columns, w.facts.extent.Columns)
	for _, s := range w.patch.Shifts {
		kind, rows := "insertRange", s.Rows
		if rows < 0 {
			kind, rows = "deleteRange", -rows
		}
		at := placements.Anchor{Row: w.patch.Block.Anchor.Row + s.At, Column: w.patch.Block.Anchor.Column}
		cells := googleRectangle(id, at, checksum.Extent{Rows: rows, Columns: wide})
		kinds = append(kinds, map[string]any{kind: map[string]any{"range": cells, "shiftDimension": "ROWS"}})
	}
	return marshalEach(kinds)
}

func googleAppend(sheet int64, dimension string, length int) map[string]any {
	return map[string]any{"appendDimension": map[string]any{"sheetId": sheet, "dimension": dimension, "length": length}}
}

func marshalEach(kinds []map[string]any) ([][]byte, error) {
	requests := make([][]byte, len(kinds))
	for i, kind := range kinds {
		var err error
		if requests[i], err = json.Marshal(kind); err != nil {
			return nil, err
		}
	}
	return requests, nil
}

// appendRows writes rows of the grid, over the extent's columns.
func (w *googleWriting) appendRows(requests [][]byte, s checksum.Span) [][]byte {
	var cells []checksum.Cell
	for row := s.From; row < s.To; {
		body := w.openRows(row)
		for ; row < s.To && len(body) < googleChunkBytes; row++ {
			cells = w.patch.Grid.Cells(row, cells[:0])
			body = appendGoogleRow(body, cells, w.patch.Extent.Columns)
		}
		body[len(body)-1] = ']'
		requests = append(requests, append(body, `,"fields":"userEnteredValue"}}`...))
	}
	return requests
}

func (w *googleWriting) openRows(row int) []byte {
	start, _ := json.Marshal(googleCoordinate{ // three integers always have a JSON form
		SheetID: w.facts.sheet.ID, Row: w.patch.Block.Anchor.Row + row, Column: w.patch.Block.Anchor.Column,
	})
	body := append([]byte(`{"updateCells":{"start":`), start...)
	return append(body, `,"rows":[`...)
}

// appendGoogleRow appends a RowData and a comma. A cell without a value is emptied.
func appendGoogleRow(body []byte, cells []checksum.Cell, columns int) []byte {
	body = append(body, `{"values":[`...)
	for i := range columns {
		if i > 0 {
			body = append(body, ',')
		}
		if i >= len(cells) {
			body = append(body, "{}"...)
			continue
		}
		body = appendGoogleCell(body, &cells[i])
	}
	return append(body, "]},"...)
}

// appendGoogleCell appends a CellData. A stringValue is text, whatever it looks like; the API takes no error value.
func appendGoogleCell(body []byte, c *checksum.Cell) []byte {
	if c.Kind == checksum.Empty {
		return append(body, "{}"...)
	}
	body = append(body, `{"userEnteredValue":{`...)
	switch c.Kind {
	case checksum.Number:
		body = appendJSONNumber(append(body, `"numberValue":`...), c.Number)
	case checksum.True:
		body = append(body, `"boolValue":true`...)
	case checksum.False:
		body = append(body, `"boolValue":false`...)
	case checksum.Error:
		body = appendJSONText(append(body, `"stringValue":`...), c.Text+googleErrorMark)
	default:
		body = appendJSONText(append(body, `"stringValue":`...), c.Text)
	}
	return append(body, "}}"...)
}

// appendFormats sets the number format of the columns that have one, below the header.
func (w *googleWriting) appendFormats(requests [][]byte, s checksum.Span) ([][]byte, error) {
	from := max(s.From, 1)
	if from >= s.To {
		return requests, nil
	}
	var kinds []map[string]any
	for column, pattern := range w.patch.Formats {
		if pattern == "" || column >= w.patch.Extent.Columns {
			continue
		}
		at := placements.Anchor{Row: w.patch.Block.Anchor.Row + from, Column: w.patch.Block.Anchor.Column + column}
		format := map[string]string{"type": googleFormatType(pattern), "pattern": pattern}
		kinds = append(kinds, map[string]any{"repeatCell": map[string]any{
			"range":  googleRectangle(w.facts.sheet.ID, at, checksum.Extent{Rows: s.To - from, Columns: 1}),
			"cell":   map[string]any{"userEnteredFormat": map[string]any{"numberFormat": format}},
			"fields": "userEnteredFormat.numberFormat",
		}})
	}
	formats, err := marshalEach(kinds)
	return append(requests, formats...), err
}

// appendClears empties rectangles, as far as the sheet reaches: beyond its end there is nothing to empty.
func (w *googleWriting) appendClears(requests [][]byte) ([][]byte, error) {
	var kinds []map[string]any
	for _, r := range w.patch.Clear {
		at := placements.Anchor{Row: w.patch.Block.Anchor.Row + r.Row, Column: w.patch.Block.Anchor.Column + r.Column}
		rows := min(r.Rows, w.facts.sheet.Grid.Rows+w.addRows-at.Row)
		columns := min(r.Columns, w.facts.sheet.Grid.Columns+w.addColumns-at.Column)
		if rows <= 0 || columns <= 0 {
			continue
		}
		kinds = append(kinds, map[string]any{"updateCells": map[string]any{
			"range":  googleRectangle(w.facts.sheet.ID, at, checksum.Extent{Rows: rows, Columns: columns}),
			"fields": "userEnteredValue",
		}})
	}
	clears, err := marshalEach(kinds)
	return append(requests, clears...), err
}

// marker makes the marker cover the new extent, which it may do already.
func (w *googleWriting) marker() ([]byte, error) {
	cells := googleRectangle(w.facts.sheet.ID, w.patch.Block.Anchor, w.patch.Extent)
	name := googleName{ID: w.facts.markerID, Name: googleMarkerName(w.patch.Block.PlacementID), Range: &cells}
	if w.facts.markerID == "" {
		return json.Marshal(map[string]any{"addNamedRange": map[string]any{"namedRange": name}})
	}
	return json.Marshal(map[string]any{"updateNamedRange": map[string]any{"namedRange": name, "fields": "range"}})
}
