package googlefake

import (
	"net/url"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

// get is spreadsheets.get. Without ranges it returns every sheet, and no cell unless the mask asks for data.
func (s *Server) get(id string, b *book.Book, query url.Values) (any, error) {
	for name := range query {
		if !slices.Contains([]string{"ranges", "fields", "includeGridData", "alt", "prettyPrint"}, name) {
			return nil, invalid("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter.", name)
		}
	}
	if query.Get("fields") == "" {
		return nil, invalid("the fake wants a field mask, for without one the answer holds everything")
	}
	m, err := parseMask(query.Get("fields"), schema)
	if err != nil {
		return nil, err
	}
	return s.spreadsheet(id, b, query["ranges"], m)
}

// spreadsheet is what a mask asks for of a document, and of its cells what lies in the ranges.
func (s *Server) spreadsheet(id string, b *book.Book, ranges []string, m mask) (answer spreadsheet, err error) {
	if m.has("spreadsheetId") {
		answer.SpreadsheetID = id
	}
	if m.has("namedRanges") {
		if answer.NamedRanges, err = s.namedRanges(b, ranges); err != nil {
			return answer, err
		}
	}
	if m.has("developerMetadata") {
		for _, one := range b.Metadata {
			answer.Metadata = append(answer.Metadata, keptMetadata(one))
		}
	}
	if m.has("sheets") {
		answer.Sheets, err = sheets(b, ranges, m["sheets"])
	}
	return answer, err
}

// namedRanges lists the names that mark something. One whose cells were deleted is not listed, though its name stays taken.
func (s *Server) namedRanges(b *book.Book, ranges []string) ([]namedRange, error) {
	var all []namedRange
	for _, n := range b.Names {
		met := len(ranges) == 0 || !s.quirks.RangesFilterNames
		for _, text := range ranges {
			on, rect, err := parseRange(b, text)
			if err != nil {
				return nil, err
			}
			met = met || on == n.Sheet && rect.Meets(n.Rect)
		}
		if n.Sheet != nil && met {
			name := n.Name
			if n.Local {
				name = "'" + n.Sheet.Title + "'!" + name
			}
			all = append(all, namedRange{NamedRangeID: n.ID, Name: name, Range: rangeOf(n.Sheet, n.Rect)})
		}
	}
	return all, nil
}

// sheets returns the sheets that the ranges are on, with the ranges' cells.
func sheets(b *book.Book, ranges []string, m mask) ([]sheet, error) {
	data := map[*book.Sheet][]gridData{}
	for _, text := range ranges {
		s, rect, err := parseRange(b, text)
		if err != nil {
			return nil, err
		}
		data[s] = append(data[s], cells(s, rect, m["data"]))
	}
	var all []sheet
	for i, s := range b.Sheets {
		if _, asked := data[s]; len(ranges) > 0 && !asked {
			continue
		}
		one := sheet{}
		if m.has("properties") {
			one.Properties = propertiesOf(s, i)
		}
		if m.has("data") {
			one.Data = data[s]
		}
		if m.has("merges") {
			for _, merged := range s.Merges() {
				one.Merges = append(one.Merges, rangeOf(s, merged))
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// propertiesOf returns the properties of a sheet. One without rows is a chart or a data source, which is no grid.
func propertiesOf(s *book.Sheet, index int) *sheetProperties {
	p := &sheetProperties{SheetID: s.ID, Title: s.Title, Index: index, SheetType: "OBJECT"}
	if s.Rows > 0 {
		p.SheetType, p.GridProperties = "GRID", map[string]int{"rowCount": s.Rows, "columnCount": s.Columns}
	}
	return p
}

// parseRange reads A1 notation or the name of a range.
func parseRange(b *book.Book, text string) (*book.Sheet, book.Region, error) {
	if n := b.Name(text); n != nil && n.Sheet != nil {
		return n.Sheet, n.Rect, nil
	}
	l, err := placements.ParseLocation(text)
	s := b.Sheet(l.Sheet)
	if err != nil || s == nil {
		return nil, book.Region{}, invalid("Unable to parse range: %s", text)
	}
	rect := book.Region{Row: l.Anchor.Row, Column: l.Anchor.Column, Rows: l.Rows, Columns: l.Columns}
	if !s.Fits(rect) {
		return nil, rect, invalid("Range (%s) exceeds grid limits. Max rows: %d, max columns: %d", text, s.Rows, s.Columns)
	}
	return s, rect, nil
}

// cells leaves out what is empty at the end of a row and at the end of all, as the API does.
func cells(s *book.Sheet, r book.Region, m mask) gridData {
	data := gridData{StartRow: r.Row, StartColumn: r.Column}
	filled := 0
	for row := range r.Rows {
		if by := s.Hidden(r.Row + row); m.has("rowMetadata") {
			data.RowMetadata = append(data.RowMetadata, metadataOf(by))
		}
	}
	if m.has("columnMetadata") {
		data.ColumnMetadata = make([]dimensionProperties, r.Columns)
	}
	for row := range r.Rows {
		var values []cellData
		last := 0
		for column := range r.Columns {
			c := s.Cell(r.Row+row, r.Column+column)
			values = append(values, cellOf(c, m["rowData"]["values"]))
			if c != (book.Content{}) {
				last = column + 1
			}
		}
		data.RowData = append(data.RowData, rowData{Values: values[:last]})
		if last > 0 {
			filled = row + 1
		}
	}
	if data.RowData = data.RowData[:filled]; !m.has("rowData") {
		data.RowData = nil
	}
	return data
}

// metadataOf is what is told of a row: what is not so is left out.
func metadataOf(by book.Hiding) (d dimensionProperties) {
	yes := true
	switch by {
	case book.ByHand:
		d.HiddenByUser = &yes
	case book.ByFilter:
		d.HiddenByFilter = &yes
	}
	return d
}

func cellOf(c book.Content, m mask) cellData {
	var d cellData
	if c.Value != nil && m.has("effectiveValue") {
		d.EffectiveValue = valueOf(c.Value)
	}
	switch {
	case c.Formula != "" && m.has("userEnteredValue", "formulaValue"):
		d.UserEnteredValue = &extendedValue{FormulaValue: &c.Formula}
	case c.Formula == "" && c.Value != nil && m.has("userEnteredValue", "stringValue"):
		d.UserEnteredValue = valueOf(c.Value)
	}
	if c.Format != "" && m.has("userEnteredFormat") {
		d.UserEnteredFormat = &cellFormat{NumberFormat: &numberFormat{Type: formatTypeOf(c.Format), Pattern: c.Format}}
	}
	if format := c.Format; format != "" && m.has("effectiveFormat") {
		d.EffectiveFormat = &cellFormat{NumberFormat: &numberFormat{Type: formatTypeOf(format), Pattern: format}}
	}
	return d
}

// formatTypeOf is the type of a number format, as far as the fake's documents have such.
func formatTypeOf(pattern string) string {
	switch {
	case pattern == "@":
		return "TEXT"
	case strings.ContainsAny(pattern, "yd") && strings.ContainsAny(pattern, "hs"):
		return "DATE_TIME"
	case strings.ContainsAny(pattern, "yd"):
		return "DATE"
	case strings.ContainsAny(pattern, "hs"):
		return "TIME"
	}
	return "NUMBER"
}

var errorTypes = map[book.ErrorValue]string{
	"#NULL!": "NULL_VALUE", "#DIV/0!": "DIVIDE_BY_ZERO", "#VALUE!": "VALUE", "#REF!": "REF",
	"#NAME?": "NAME", "#NUM!": "NUM", "#N/A": "N_A", "#ERROR!": "ERROR",
}

func valueOf(v any) *extendedValue {
	switch v := v.(type) {
	case float64:
		return &extendedValue{NumberValue: &v}
	case bool:
		return &extendedValue{BoolValue: &v}
	case book.ErrorValue:
		return &extendedValue{ErrorValue: &errorValue{Type: errorTypes[v], Message: strings.Trim(string(v), "#")}}
	}
	text := v.(string)
	return &extendedValue{StringValue: &text}
}
