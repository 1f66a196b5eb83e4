package graphfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

// The service's limits are the time and the size of an answer, not the size of a request. How many cells take too long varies.
const (
	maxAnswer     = 5 << 20
	maxTimedCells = 72_000
)

// onRange reads, writes, inserts, deletes or clears a rectangle.
func onRange(doc *document, s *book.Sheet, address, verb string, x exchange) (int, any, error) {
	l, err := placements.ParseLocation(address)
	if err != nil || l.Sheet != "" {
		return 0, nil, invalid("The address %q is not valid.", address)
	}
	r := book.Region{Row: l.Anchor.Row, Column: l.Anchor.Column, Rows: l.Rows, Columns: l.Columns}
	switch {
	case verb == "" && x.method == http.MethodGet && x.query.Get("$select") == "rowHidden":
		return http.StatusOK, map[string]any{"rowHidden": rowsHidden(s, r)}, nil
	case verb == "" && x.method == http.MethodGet:
		return bounded(s, r, address, x)
	case verb == "/format/protection":
		return answer(x, map[string]any{"locked": doc.lockedIn(s, r), "formulaHidden": false})
	case x.method != http.MethodGet && doc.lockedIn(s, r) != false:
		return 0, nil, &apiError{http.StatusForbidden, "AccessDenied", "You cannot perform the requested operation."}
	case verb == "" && x.method == http.MethodPatch && string(x.body) == `{"rowHidden":false}`:
		for row := range r.Rows {
			s.Hide(r.Row+row, book.Shown)
		}
		return http.StatusOK, map[string]any{"address": address}, nil
	case verb == "" && x.method == http.MethodPatch:
		if err := patch(s, r, x.body); err != nil {
			return 0, nil, err
		}
		return bounded(s, r, address, x) // what was written stays, even if the answer is too large
	case x.method != http.MethodPost:
		return 0, nil, &apiError{http.StatusMethodNotAllowed, "methodNotAllowedUncategorized", "The method is not allowed."}
	case verb == "/insert":
		err = shift(x.body, "Down", func() { insert(s, r) })
	case verb == "/delete":
		err = shift(x.body, "Up", func() { s.DeleteCells(r) })
	case verb == "/clear":
		err = clearCells(s, r, x.body)
	default:
		err = invalid("Resource not found for the segment %q.", verb)
	}
	return http.StatusOK, map[string]any{"address": address}, err
}

// rowsHidden is true where all rows are hidden, false where none is, and null where some are.
func rowsHidden(s *book.Sheet, r book.Region) any {
	hidden := 0
	for row := range r.Rows {
		if s.Hidden(r.Row+row) != book.Shown {
			hidden++
		}
	}
	switch hidden {
	case 0:
		return false
	case r.Rows:
		return true
	}
	return nil
}

// bounded answers a rectangle, within the limits.
func bounded(s *book.Sheet, r book.Region, address string, x exchange) (int, any, error) {
	if r.Rows*r.Columns > maxTimedCells {
		return 0, nil, &apiError{http.StatusGatewayTimeout, "gatewayTimeoutUncategorized", "The request took too long."}
	}
	_, object, err := selected(http.StatusOK, x, rangeObject(s, r, address))
	if err != nil {
		return 0, nil, err
	}
	whole, err := json.Marshal(object)
	if err == nil && len(whole) > maxAnswer {
		err = &apiError{http.StatusBadRequest, "ResponsePayloadSizeLimitExceeded", "The response payload size has exceeded the limit."}
	}
	return http.StatusOK, json.RawMessage(whole), err
}

// rangeObject is a rectangle with its seven arrays.
func rangeObject(s *book.Sheet, r book.Region, address string) map[string]any {
	var values, formulas, types, formats, texts [][]any
	for row := range r.Rows {
		var v, f, t, n, shown []any
		for column := range r.Columns {
			c := s.Cell(r.Row+row, r.Column+column)
			value, kind := show(c.Value)
			formula := value
			if c.Formula != "" {
				formula = c.Formula
			}
			format := c.Format
			if format == "" {
				format = "General"
			}
			v, f, t, n = append(v, value), append(f, formula), append(t, kind), append(n, format)
			shown = append(shown, fmt.Sprint(value))
		}
		values, formulas, types, formats = append(values, v), append(formulas, f), append(types, t), append(formats, n)
		texts = append(texts, shown)
	}
	return map[string]any{
		"address": s.Title + "!" + address, "rowIndex": r.Row, "columnIndex": r.Column, "rowCount": r.Rows, "columnCount": r.Columns,
		"values": values, "formulas": formulas, "formulasLocal": formulas, "formulasR1C1": formulas,
		"text": texts, "valueTypes": types, "numberFormat": formats,
	}
}

// show returns a value as the service answers it, with its type.
func show(v any) (value any, kind string) {
	switch v := v.(type) {
	case nil:
		return "", "Empty"
	case float64:
		return v, "Double"
	case bool:
		return v, "Boolean"
	case book.ErrorValue:
		return string(v), "Error"
	}
	return v, "String"
}

// patch sets values and number formats; null leaves a cell as it is.
func patch(s *book.Sheet, r book.Region, body []byte) error {
	var p struct {
		Values       [][]any     `json:"values"`
		NumberFormat [][]*string `json:"numberFormat"`
	}
	if err := decodeStrict(body, &p); err != nil {
		return err
	}
	if p.Values == nil && p.NumberFormat == nil || !fits(p.Values, r) || !fits(p.NumberFormat, r) {
		return invalid("The number of rows or columns in the input array doesn't match the size or dimensions of the range.")
	}
	for i, row := range p.NumberFormat {
		for j, format := range row {
			if format != nil {
				s.SetFormat(r.Row+i, r.Column+j, strings.TrimPrefix(*format, "General"))
			}
		}
	}
	for i, row := range p.Values {
		for j, v := range row {
			if v == nil {
				continue
			}
			if err := enter(s, r.Row+i, r.Column+j, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func fits[T any](rows [][]T, r book.Region) bool {
	if rows == nil {
		return true
	}
	for _, row := range rows {
		if len(row) != r.Columns {
			return false
		}
	}
	return len(rows) == r.Rows
}

var (
	dateForm = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?$|^\d{1,2}:\d{2}`)
	errors   = regexp.MustCompile(`^#(NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)$`)
)

// enter does what Excel does when a value is typed into a cell.
func enter(s *book.Sheet, row, column int, v any) error {
	text, typed := v.(string)
	if s.Cell(row, column).Format == "@" && (!typed || text != "" && text[0] != '\'') {
		s.Set(row, column, strings.ToUpper(fmt.Sprint(v))) // whatever is typed is text
		return nil
	}
	if !typed {
		s.Set(row, column, v) // a number or a truth value
		return nil
	}
	number, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(text, ",", ""), "%"), 64)
	switch {
	case text == "":
		s.Set(row, column, nil)
	case text[0] == '\'' && len(text) > 32_768:
		return invalid("The text is too long for a cell.")
	case text[0] == '\'':
		s.Set(row, column, text[1:])
	case err == nil:
		s.Set(row, column, number)
	case strings.ContainsRune("=+-@", rune(text[0])):
		s.SetFormula(row, column, "="+strings.TrimPrefix(text, "="), 0.)
	case strings.EqualFold(text, "true") || strings.EqualFold(text, "false"):
		s.Set(row, column, strings.EqualFold(text, "true"))
	case errors.MatchString(text):
		s.Set(row, column, book.ErrorValue(text))
	case dateForm.MatchString(text):
		s.Set(row, column, 45000.)
	default:
		s.Set(row, column, text)
	}
	return nil
}

func shift(body []byte, direction string, move func()) error {
	var b struct {
		Shift string `json:"shift"`
	}
	if err := decodeStrict(body, &b); err != nil {
		return err
	}
	if b.Shift != direction {
		return invalid("the fake shifts %s only, not %q", direction, b.Shift)
	}
	move()
	return nil
}

// insert inserts cells, which have the formats of those above, as Excel lets them unless it is told otherwise.
func insert(s *book.Sheet, r book.Region) {
	s.InsertCells(r)
	for i := range r.Rows * r.Columns {
		if column := r.Column + i%r.Columns; r.Row > 0 {
			if above := s.Cell(r.Row-1, column).Format; above != "" {
				s.SetFormat(r.Row+i/r.Columns, column, above)
			}
		}
	}
}

func clearCells(s *book.Sheet, r book.Region, body []byte) error {
	var b struct {
		ApplyTo string `json:"applyTo"`
	}
	if err := decodeStrict(body, &b); err != nil {
		return err
	}
	if b.ApplyTo != "Contents" && b.ApplyTo != "Formats" {
		return invalid("the fake clears Contents or Formats only, not %q", b.ApplyTo)
	}
	for row := r.Row; row < r.Row+r.Rows; row++ {
		for column := r.Column; column < r.Column+r.Columns; column++ {
			switch c := s.Cell(row, column); {
			case c == book.Content{}:
			case b.ApplyTo == "Formats":
				s.SetFormat(row, column, "")
			default:
				s.Set(row, column, nil)
			}
		}
	}
	return nil
}

// usedObject is the smallest rectangle that holds all cells with a value; the first cell of a sheet without any.
func usedObject(s *book.Sheet) map[string]any {
	r := s.Filled()
	return map[string]any{"rowIndex": r.Row, "columnIndex": r.Column, "rowCount": r.Rows, "columnCount": r.Columns}
}
