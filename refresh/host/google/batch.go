package google

import (
	"encoding/json"
	"maps"
	"slices"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// The service recommends 2 MB a request and refuses more than 100,000 sub-requests.
const (
	partBytes    = 2_000_000
	partRequests = 100_000
	// chunkBytes bounds one updateCells, so that parts fill well.
	chunkBytes = 200_000
	maxText    = 50_000
)

// markers are the requests for those that are not set with the shifts of their blocks.
func (w *writing) markers() (requests [][]byte, err error) {
	for i := range w.blocks {
		b := w.block(&w.blocks[i])
		if b.marksAtOnce() {
			continue
		}
		if requests, err = b.appendMarker(requests, b.After); err != nil {
			return nil, err
		}
	}
	return requests, nil
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

// growth makes room in the sheets.
func (w *writing) growth() ([][]byte, error) {
	var kinds []map[string]any
	for _, id := range slices.Sorted(maps.Keys(w.grow)) {
		if n := w.grow[id].rows; n > 0 {
			kinds = append(kinds, appendDimension(id, "ROWS", n))
		}
		if n := w.grow[id].columns; n > 0 {
			kinds = append(kinds, appendDimension(id, "COLUMNS", n))
		}
	}
	return marshalEach(kinds)
}

func appendDimension(sheet int64, dimension string, length int) map[string]any {
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
func (b placedBlock) appendRows(requests [][]byte, s checksum.Span) [][]byte {
	var cells []checksum.Cell
	for row := s.From; row < s.To; {
		if formulas := b.FormulasIn(row); host.AnyStays(formulas) {
			cells = b.Grid.Cells(row, cells[:0])
			requests = b.appendPieces(requests, row, cells, formulas)
			row++
			continue
		}
		body := b.openRows(row, 0)
		for ; row < s.To && len(body) < chunkBytes; row++ {
			formulas := b.FormulasIn(row)
			if host.AnyStays(formulas) {
				break
			}
			cells = b.Grid.Cells(row, cells[:0])
			body = appendGoogleRow(body, cells, formulas, checksum.Span{To: b.Extent.Columns})
		}
		requests = append(requests, closeRows(body))
	}
	return requests
}

// appendPieces writes a row without the cells that stay: the API can leave out no cell within a row.
func (b placedBlock) appendPieces(requests [][]byte, row int, cells []checksum.Cell, formulas []host.Formula) [][]byte {
	piece := checksum.Span{}
	write := func() {
		if piece.To > piece.From {
			body := appendGoogleRow(b.openRows(row, piece.From), cells, formulas, piece)
			requests = append(requests, closeRows(body))
		}
	}
	for _, f := range formulas {
		if f.Text == "" {
			piece.To = f.Column
			write()
			piece.From = f.Column + 1
		}
	}
	piece.To = b.Extent.Columns
	write()
	return requests
}

func (b placedBlock) openRows(row, column int) []byte {
	start, _ := json.Marshal(coordinate{ // three integers always have a JSON form
		SheetID: b.sheet.ID, Row: b.At.Row + row, Column: b.At.Column + column,
	})
	body := append([]byte(`{"updateCells":{"start":`), start...)
	return append(body, `,"rows":[`...)
}

// closeRows ends what openRows began, in place of the last row's comma.
func closeRows(body []byte) []byte {
	body[len(body)-1] = ']'
	return append(body, `,"fields":"userEnteredValue"}}`...)
}

// appendGoogleRow appends a RowData of some columns and a comma. A cell without a value is emptied.
func appendGoogleRow(body []byte, cells []checksum.Cell, formulas []host.Formula, columns checksum.Span) []byte {
	body = append(body, `{"values":[`...)
	for i := columns.From; i < columns.To; i++ {
		if i > columns.From {
			body = append(body, ',')
		}
		for len(formulas) > 0 && formulas[0].Column < i {
			formulas = formulas[1:]
		}
		switch {
		case len(formulas) > 0 && formulas[0].Column == i:
			body = rest.AppendJSONText(append(body, `{"userEnteredValue":{"formulaValue":`...), formulas[0].Text)
			body = append(body, "}}"...)
		case i >= len(cells):
			body = append(body, "{}"...)
		default:
			body = appendGoogleCell(body, &cells[i])
		}
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
		body = rest.AppendJSONNumber(append(body, `"numberValue":`...), c.Number)
	case checksum.True:
		body = append(body, `"boolValue":true`...)
	case checksum.False:
		body = append(body, `"boolValue":false`...)
	case checksum.Error:
		body = rest.AppendJSONText(append(body, `"stringValue":`...), c.Text+errorMark)
	default:
		body = rest.AppendJSONText(append(body, `"stringValue":`...), c.Text)
	}
	return append(body, "}}"...)
}

// appendFormats sets the number format of the columns that have one, below the header, and takes it from those that had one.
func (b placedBlock) appendFormats(requests [][]byte, s checksum.Span) ([][]byte, error) {
	var kinds []map[string]any
	for column := range b.Extent.Columns {
		pattern, ok := b.NumberFormat(column)
		if !ok {
			continue
		}
		cell := map[string]any{}
		if pattern != "" {
			format := map[string]string{"type": formatType(pattern), "pattern": pattern}
			cell["userEnteredFormat"] = map[string]any{"numberFormat": format}
		}
		for _, part := range b.without(column, checksum.Span{From: max(s.From, 1), To: s.To}) {
			kinds = append(kinds, map[string]any{"repeatCell": map[string]any{
				"range":  b.rectangle(part.From, column, checksum.Extent{Rows: part.To - part.From, Columns: 1}),
				"cell":   cell,
				"fields": "userEnteredFormat.numberFormat",
			}})
		}
	}
	for column, text := range b.texts {
		if text && column < b.Extent.Columns && (column >= len(b.Formats) || b.Formats[column] == "") {
			kinds = append(kinds, b.withoutText(column, s)...)
		}
	}
	formats, err := marshalEach(kinds)
	return append(requests, formats...), err
}

// withoutText takes the format of a column's cells away that are to hold something else than text.
func (b placedBlock) withoutText(column int, s checksum.Span) (kinds []map[string]any) {
	var cells []checksum.Cell
	from := s.From
	for row := s.From; row <= s.To; row++ {
		if row < s.To {
			cells = b.Grid.Cells(row, cells[:0])
			if otherThanText(cells, b.FormulasIn(row), column) {
				continue
			}
		}
		if row > from {
			kinds = append(kinds, map[string]any{"repeatCell": map[string]any{
				"range": b.rectangle(from, column, checksum.Extent{Rows: row - from, Columns: 1}),
				"cell":  struct{}{}, "fields": "userEnteredFormat.numberFormat",
			}})
		}
		from = row + 1
	}
	return kinds
}

// otherThanText reports whether a row's cell in a column is to hold a number, a truth value or a formula.
func otherThanText(cells []checksum.Cell, formulas []host.Formula, column int) bool {
	for _, f := range formulas {
		if f.Column == column {
			return f.Text != ""
		}
	}
	if column >= len(cells) {
		return false
	}
	kind := cells[column].Kind
	return kind == checksum.Number || kind == checksum.True || kind == checksum.False
}

// without is rows of a column without the cells that stay.
func (b placedBlock) without(column int, rows checksum.Span) []checksum.Span {
	var parts []checksum.Span
	for _, f := range b.Formulas {
		if f.Text == "" && f.Column == column && f.Row >= rows.From && f.Row < rows.To {
			parts = append(parts, checksum.Span{From: rows.From, To: f.Row})
			rows.From = f.Row + 1
		}
	}
	parts = append(parts, rows)
	return slices.DeleteFunc(parts, func(s checksum.Span) bool { return s.To <= s.From })
}
