package googlefake

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mooring/refresh/host/hosttest/book"
)

// maxCells and maxRequests are the API's limits of a document and of a batch.
const (
	maxCells    = 10_000_000
	maxRequests = 100_000
)

// batchUpdate applies all of a batch to a copy, which then takes the document's place.
func (s *Server) batchUpdate(id string, doc *document, r *http.Request, body []byte) (any, error) {
	query := r.URL.Query()
	if fields := query.Get("fields"); len(query) > 1 || len(query) == 1 && fields == "" || r.Header.Get("Content-Type") != "application/json" {
		return nil, invalid("a batch takes no query but a field mask, and a JSON body")
	}
	if edit := s.beforeWrite; edit != nil {
		s.beforeWrite = nil
		edit(doc.Book)
	}
	var batch struct {
		Requests []json.RawMessage `json:"requests"`
		Include  bool              `json:"includeSpreadsheetInResponse"`
		GridData bool              `json:"responseIncludeGridData"`
		Ranges   []string          `json:"responseRanges"`
	}
	if err := decodeStrict(body, &batch); err != nil {
		return nil, err
	}
	if len(batch.Requests) == 0 || len(batch.Requests) > maxRequests {
		return nil, invalid("Must specify between 1 and %d requests.", maxRequests)
	}
	next := doc.Clone()
	replies := make([]any, len(batch.Requests))
	for i, raw := range batch.Requests {
		kind, reply, err := s.apply(next, raw)
		if err != nil {
			return nil, invalid("Invalid requests[%d]%s: %v", i, kind, err)
		}
		replies[i] = reply
	}
	if countCells(next) > maxCells {
		return nil, invalid("This action would increase the number of cells in the workbook above the limit of %d cells.", maxCells)
	}
	next.Revision++
	doc.Book = next
	if batch.Include {
		return s.updated(id, next, batch.Ranges, query.Get("fields"))
	}
	return map[string]any{"spreadsheetId": id, "replies": replies}, nil
}

// updated is the answer to a batch that asks for the document as it is then.
func (s *Server) updated(id string, b *book.Book, ranges []string, fields string) (any, error) {
	m, err := parseMask(fields, mask{"updatedSpreadsheet": schema, "spreadsheetId": nil})
	if err != nil {
		return nil, err
	}
	answer, err := s.spreadsheet(id, b, ranges, m["updatedSpreadsheet"])
	return map[string]any{"updatedSpreadsheet": answer}, err
}

func countCells(b *book.Book) int {
	cells := 0
	for _, s := range b.Sheets {
		cells += s.Rows * s.Columns
	}
	return cells
}

// apply carries out one request, and says its kind as error messages do.
func (s *Server) apply(b *book.Book, raw json.RawMessage) (kind string, reply any, err error) {
	var kinds map[string]json.RawMessage
	var r request
	if err := json.Unmarshal(raw, &kinds); err != nil || len(kinds) != 1 {
		return "", nil, invalid("exactly one kind of request is wanted")
	}
	for name := range kinds {
		kind = "." + name
	}
	if err := decodeStrict(raw, &r); err != nil {
		return kind, nil, err
	}
	reply, err = s.carryOut(b, &r)
	return kind, reply, err
}

func (s *Server) carryOut(b *book.Book, r *request) (any, error) {
	none := struct{}{}
	switch {
	case r.UpdateCells != nil:
		return none, s.updateCells(b, r.UpdateCells.Start, r.UpdateCells.Range, r.UpdateCells.Rows, r.UpdateCells.Fields)
	case r.RepeatCell != nil:
		return none, repeatCell(b, r.RepeatCell.Range, r.RepeatCell.Cell, r.RepeatCell.Fields)
	case r.InsertRange != nil:
		if err := s.room(b, r.InsertRange.Range); err != nil {
			return nil, err
		}
		return none, shift(b, r.InsertRange.Range, r.InsertRange.ShiftDimension, (*book.Sheet).InsertCells)
	case r.DeleteRange != nil:
		return none, shift(b, r.DeleteRange.Range, r.DeleteRange.ShiftDimension, (*book.Sheet).DeleteCells)
	case r.CutPaste != nil:
		return none, cutPaste(b, r.CutPaste.Source, r.CutPaste.Destination, r.CutPaste.PasteType)
	case r.CopyPaste != nil:
		return none, copyPaste(b, r.CopyPaste.Source, r.CopyPaste.Destination, r.CopyPaste.PasteType)
	case r.UpdateDimensionProperties != nil:
		u := r.UpdateDimensionProperties
		return none, hideRows(b.SheetByID(u.Range.SheetID), u.Range.Dimension, u.Range.StartIndex, u.Range.EndIndex, u.Properties, u.Fields)
	case r.AppendDimension != nil:
		return none, appendDimension(b, r.AppendDimension.SheetID, r.AppendDimension.Dimension, r.AppendDimension.Length)
	case r.AddNamedRange != nil:
		return s.addNamedRange(b, r.AddNamedRange.NamedRange)
	case r.UpdateNamedRange != nil:
		return none, updateNamedRange(b, r.UpdateNamedRange.NamedRange, r.UpdateNamedRange.Fields)
	case r.CreateDeveloperMetadata != nil:
		return createMetadata(b, r.CreateDeveloperMetadata.Metadata)
	case r.UpdateDeveloperMetadata != nil:
		u := r.UpdateDeveloperMetadata
		return none, updateMetadata(b, u.Filters, u.Metadata, u.Fields)
	case r.DeleteNamedRange != nil:
		return none, deleteNamedRange(b, r.DeleteNamedRange.NamedRangeID)
	}
	return nil, invalid("the request is empty")
}

// updateCells writes rows from a corner on, or over a range; what the rows leave of the range is cleared.
func (s *Server) updateCells(b *book.Book, start *gridCoordinate, over *gridRange, rows []rowData, fields string) error {
	m, err := parseMask(fields, cellSchema)
	if err != nil {
		return err
	}
	if (start == nil) == (over == nil) {
		return invalid("exactly one of start and range is wanted")
	}
	if over != nil {
		return overRange(b, over, rows, m)
	}
	on := b.SheetByID(start.SheetID)
	if on == nil {
		return invalid("No grid with id: %d", start.SheetID)
	}
	for i, row := range rows {
		if !on.Fits(book.Region{Row: start.RowIndex + i, Column: start.ColumnIndex, Rows: 1, Columns: len(row.Values)}) {
			return invalid("Attempting to write row: %d, beyond the last requested row of: %d", start.RowIndex+i, on.Rows-1)
		}
		for j := range row.Values {
			d := &row.Values[j]
			d = s.quirks.held(d)
			if s.quirks.TextKeepsNumbers && on.Cell(start.RowIndex+i, start.ColumnIndex+j).Format == "@" {
				d = asText(d)
			}
			if err := setCell(on, start.RowIndex+i, start.ColumnIndex+j, d, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// held is a cell's value with the text that is kept of it.
func (q Quirks) held(d *cellData) *cellData {
	if d.UserEnteredValue == nil || d.UserEnteredValue.StringValue == nil {
		return d
	}
	text := *d.UserEnteredValue.StringValue
	if q.TextLosesApostrophe {
		text = strings.TrimPrefix(text, "'")
	}
	if q.TextLosesReturns {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	text = strings.Map(func(r rune) rune {
		if q.TextLosesControls && unicode.IsControl(r) && r != '\n' && r != '\r' || q.TextLosesZeroWidth && r == '\u200b' {
			return -1
		}
		return r
	}, text)
	kept, value := *d, *d.UserEnteredValue // all that was sent is still to be judged
	value.StringValue, kept.UserEnteredValue = &text, &value
	return &kept
}

// asText is what becomes of a cell's value where all is text.
func asText(d *cellData) *cellData {
	v := d.UserEnteredValue
	var text string
	switch {
	case v == nil:
		return d
	case v.NumberValue != nil:
		text = strconv.FormatFloat(*v.NumberValue, 'g', -1, 64)
	case v.BoolValue != nil:
		text = strings.ToUpper(strconv.FormatBool(*v.BoolValue))
	case v.FormulaValue != nil:
		text = *v.FormulaValue
	default:
		return d
	}
	return &cellData{UserEnteredValue: &extendedValue{StringValue: &text}}
}

// room refuses to insert cells where the sheet would have to grow for what is below them.
func (s *Server) room(b *book.Book, over *gridRange) error {
	on, rect, err := over.rect(b)
	if err == nil && s.quirks.InsertNeedsRoom && on.Used()+rect.Rows > on.Rows {
		return invalid("Attempting to write row: %d, beyond the last requested row of: %d", on.Rows, on.Rows-1)
	}
	return err
}

func overRange(b *book.Book, over *gridRange, rows []rowData, m mask) error {
	s, rect, err := over.rect(b)
	if err != nil {
		return err
	}
	for i := range rect.Rows {
		for j := range rect.Columns {
			d := &cellData{}
			if i < len(rows) && j < len(rows[i].Values) {
				d = &rows[i].Values[j]
			}
			if err := setCell(s, rect.Row+i, rect.Column+j, d, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func repeatCell(b *book.Book, over *gridRange, cell *cellData, fields string) error {
	m, err := parseMask(fields, cellSchema)
	if err != nil {
		return err
	}
	s, rect, err := over.rect(b)
	if err != nil || cell == nil {
		return err
	}
	for i := range rect.Rows {
		for j := range rect.Columns {
			if err := setCell(s, rect.Row+i, rect.Column+j, cell, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// hideRows hides or shows rows. What a filter hides is read-only.
func hideRows(on *book.Sheet, dimension string, from, to int, p dimensionProperties, fields string) error {
	switch {
	case on == nil || from < 0 || to <= from || to > on.Rows || dimension != "ROWS":
		return invalid("Invalid range of a dimension")
	case fields != "hiddenByUser" || p.HiddenByFilter != nil:
		return invalid("the fake lets only hiddenByUser be set")
	}
	for row := from; row < to; row++ {
		switch hide := p.HiddenByUser != nil && *p.HiddenByUser; {
		case on.Hidden(row) == book.ByFilter:
		case hide:
			on.Hide(row, book.ByHand)
		default:
			on.Hide(row, book.Shown)
		}
	}
	return nil
}

var formatTypes = []string{"TEXT", "NUMBER", "PERCENT", "CURRENCY", "DATE", "TIME", "DATE_TIME", "SCIENTIFIC"}

// setCell sets what the mask names; what the cell does not have of it is cleared.
func setCell(s *book.Sheet, row, column int, d *cellData, m mask) error {
	if d.EffectiveValue != nil || m["effectiveValue"] != nil {
		return invalid("effectiveValue is read-only")
	}
	if d.EffectiveFormat != nil || m["effectiveFormat"] != nil {
		return invalid("effectiveFormat is read-only")
	}
	if m.has("userEnteredFormat") {
		format := ""
		if d.UserEnteredFormat != nil && d.UserEnteredFormat.NumberFormat != nil {
			if !slices.Contains(formatTypes, d.UserEnteredFormat.NumberFormat.Type) {
				return invalid("Invalid value at 'number_format.type'")
			}
			format = d.UserEnteredFormat.NumberFormat.Pattern
		}
		s.SetFormat(row, column, format)
	}
	if m.has("userEnteredValue") {
		return setValue(s, row, column, d.UserEnteredValue)
	}
	return nil
}

func setValue(s *book.Sheet, row, column int, v *extendedValue) error {
	if v == nil {
		s.Set(row, column, nil)
		return nil
	}
	kinds := 0
	for _, set := range []bool{v.NumberValue != nil, v.StringValue != nil, v.BoolValue != nil, v.FormulaValue != nil, v.ErrorValue != nil} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return invalid("exactly one kind of value is wanted")
	case v.ErrorValue != nil:
		return invalid("errorValue is read-only")
	case v.FormulaValue != nil:
		s.SetFormula(row, column, *v.FormulaValue, 0.)
	case v.NumberValue != nil:
		s.Set(row, column, *v.NumberValue)
	case v.BoolValue != nil:
		s.Set(row, column, *v.BoolValue)
	case len(*v.StringValue) == 0:
		s.Set(row, column, nil)
	case len([]rune(*v.StringValue)) > 50_000:
		return invalid("Your input contains more than the maximum of 50000 characters in a single cell.")
	default:
		s.Set(row, column, *v.StringValue)
	}
	return nil
}

func appendDimension(b *book.Book, id int64, dimension string, length int) error {
	s := b.SheetByID(id)
	switch {
	case s == nil:
		return invalid("No grid with id: %d", id)
	case length <= 0:
		return invalid("length must be positive")
	case dimension == "ROWS":
		s.Rows += length
	case dimension == "COLUMNS":
		s.Columns += length
	default:
		return invalid("Invalid value at 'dimension'")
	}
	return nil
}
