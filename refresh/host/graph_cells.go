package host

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mooring/checksum"
)

// graphRange is the API's workbookRange, as far as a read asks for it.
type graphRange struct {
	Values     [][]json.RawMessage `json:"values"`
	Formulas   [][]json.RawMessage `json:"formulas"`
	ValueTypes [][]string          `json:"valueTypes"`
}

const graphRangeFields = "?$select=values,formulas,valueTypes"

// add appends a range's rows to a table, and where in it formulas stand.
func (r *graphRange) add(b *checksum.Builder, formulas []Formula) ([]Formula, error) {
	for i, values := range r.Values {
		for j, raw := range values {
			value, err := graphScalar(raw)
			if err != nil {
				return nil, err
			}
			if i < len(r.Formulas) && j < len(r.Formulas[i]) {
				if text, ok := graphFormula(r.Formulas[i][j], value); ok {
					formulas = append(formulas, Formula{Position: Position{Row: b.Rows(), Column: j}, Text: text})
				}
			}
			kind := ""
			if i < len(r.ValueTypes) && j < len(r.ValueTypes[i]) {
				kind = r.ValueTypes[i][j]
			}
			addGraphCell(b, value, kind)
		}
		b.EndRow()
	}
	return formulas, nil
}

// graphScalar decodes a cell's value: nil, a float64, a string or a bool. Numbers, the bulk of most blocks, take no detour.
func graphScalar(raw json.RawMessage) (any, error) {
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return strconv.ParseFloat(string(raw), 64)
	}
	var value any
	err := json.Unmarshal(raw, &value)
	return value, err
}

// graphFormula is the text of a cell's formula; false for text that looks like one: the API shows text as its own formula,
// without the apostrophe that made it text.
func graphFormula(raw json.RawMessage, value any) (text string, ok bool) {
	if !bytes.HasPrefix(raw, []byte(`"=`)) {
		return "", false
	}
	formula, err := graphScalar(raw)
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

// graphErrors are the errors that Excel reads as such; any other is written as text.
var graphErrors = map[string]bool{
	"#NULL!": true, "#DIV/0!": true, "#VALUE!": true, "#REF!": true, "#NAME?": true, checksum.NotANumber: true, "#N/A": true,
}

// appendGraphCell appends a cell as an element of values. The API reads strings as if a person had typed them, so text gets
// the apostrophe that a person would type to keep it text: no formula, number, date or error comes of it.
func appendGraphCell(dst []byte, c *checksum.Cell) []byte {
	switch c.Kind {
	case checksum.Number:
		return appendJSONNumber(dst, c.Number)
	case checksum.True:
		return append(dst, "true"...)
	case checksum.False:
		return append(dst, "false"...)
	case checksum.Empty:
		return append(dst, `""`...)
	case checksum.Error:
		if graphErrors[c.Text] {
			return appendJSONText(dst, c.Text)
		}
	}
	return appendJSONText(dst, "'"+c.Text)
}

// appendGraphRow appends a row of values over a number of columns. A formula is text without an apostrophe; null leaves a cell as it is.
func appendGraphRow(dst []byte, cells []checksum.Cell, formulas []Formula, columns int) []byte {
	dst = append(dst, '[')
	for i := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		for len(formulas) > 0 && formulas[0].Column < i {
			formulas = formulas[1:]
		}
		switch {
		case len(formulas) > 0 && formulas[0].Column == i && formulas[0].Text == "":
			dst = append(dst, "null"...)
		case len(formulas) > 0 && formulas[0].Column == i:
			dst = appendJSONText(dst, formulas[0].Text)
		case i >= len(cells):
			dst = append(dst, `""`...)
		default:
			dst = appendGraphCell(dst, &cells[i])
		}
	}
	return append(dst, ']')
}
