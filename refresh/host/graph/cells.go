package graph

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// rangeData is the API's workbookRange, as far as a read asks for it.
type rangeData struct {
	Values     [][]json.RawMessage `json:"values"`
	Formulas   [][]json.RawMessage `json:"formulas"`
	ValueTypes [][]string          `json:"valueTypes"`
	Formats    [][]string          `json:"numberFormat"`
}

const rangeFields = "?$select=values,formulas,valueTypes,numberFormat"

// add appends a range's rows to an area.
func (r *rangeData) add(a *cellArea) error {
	if a.cells.Rows() == 0 && len(r.Formats) > 0 {
		a.formats = r.Formats[0]
	}
	for i, values := range r.Values {
		for j, raw := range values {
			value, err := scalar(raw)
			if err != nil {
				return err
			}
			if text, ok := formulaIn(at(r.Formulas, i, j), value); ok {
				a.formulas = append(a.formulas, host.Formula{Position: host.Position{Row: a.cells.Rows(), Column: j}, Text: text})
			}
			if at(r.Formats, i, j) == textFormat {
				a.texts[j] = true
			}
			if a.noted != nil {
				a.noted[host.Position{Row: a.cells.Rows(), Column: j}] = note{
					date: host.IsDateFormat(at(r.Formats, i, j)), blank: value == "" && at(r.ValueTypes, i, j) == "String",
				}
			}
			addGraphCell(&a.cells, value, at(r.ValueTypes, i, j))
		}
		a.cells.EndRow()
	}
	return nil
}

// at is an element of an array of rows, zero where an answer has none.
func at[T any](rows [][]T, i, j int) (v T) {
	if i < len(rows) && j < len(rows[i]) {
		return rows[i][j]
	}
	return v
}

// scalar decodes a cell's value: nil, a float64, a string or a bool. Numbers, the bulk of most blocks, take no detour.
func scalar(raw json.RawMessage) (any, error) {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return strconv.ParseFloat(string(raw), 64)
	}
	var value any
	err := json.Unmarshal(raw, &value)
	return value, err
}

// formulaIn is the text of a cell's formula; false for text that looks like one: the API shows text as its own formula,
// without the apostrophe that made it text.
func formulaIn(raw json.RawMessage, value any) (text string, ok bool) {
	if !bytes.HasPrefix(raw, []byte(`"=`)) {
		return "", false
	}
	formula, err := scalar(raw)
	text, _ = formula.(string)
	return text, err == nil && formula != value
}

func addGraphCell(b *checksum.Builder, value any, kind string) {
	switch v := value.(type) {
	case float64:
		b.Number(v)
	case bool:
		b.Bool(v)
	case string:
		if kind == "Error" {
			b.Error(v)
			return
		}
		b.Text(v)
	default:
		b.Empty()
	}
}

// errorTexts are the errors that Excel reads as such; any other is written as text.
var errorTexts = map[string]bool{
	"#NULL!": true, "#DIV/0!": true, "#VALUE!": true, "#REF!": true, "#NAME?": true, checksum.NotANumber: true, "#N/A": true,
}

// appendGraphCell appends a cell as an element of values. The API reads strings as if a person had typed them, so text gets
// the apostrophe that a person would type to keep it text: no formula, number, date or error comes of it.
func appendGraphCell(dst []byte, c *checksum.Cell) []byte {
	switch c.Kind {
	case checksum.Number:
		return rest.AppendJSONNumber(dst, c.Number)
	case checksum.True:
		return append(dst, "true"...)
	case checksum.False:
		return append(dst, "false"...)
	case checksum.Empty:
		return append(dst, `""`...)
	case checksum.Error:
		if errorTexts[c.Text] {
			return rest.AppendJSONText(dst, c.Text)
		}
	}
	return rest.AppendJSONText(dst, "'"+c.Text)
}

// appendGraphRow appends a row of values over some columns. A formula is text without an apostrophe; null leaves a cell as it is.
func appendGraphRow(dst []byte, cells []checksum.Cell, formulas []host.Formula, columns checksum.Span) []byte {
	dst = append(dst, '[')
	for i := columns.From; i < columns.To; i++ {
		if i > columns.From {
			dst = append(dst, ',')
		}
		for len(formulas) > 0 && formulas[0].Column < i {
			formulas = formulas[1:]
		}
		switch {
		case len(formulas) > 0 && formulas[0].Column == i && formulas[0].Text == "":
			dst = append(dst, "null"...)
		case len(formulas) > 0 && formulas[0].Column == i:
			dst = rest.AppendJSONText(dst, formulas[0].Text)
		case i >= len(cells):
			dst = append(dst, `""`...)
		default:
			dst = appendGraphCell(dst, &cells[i])
		}
	}
	return append(dst, ']')
}
