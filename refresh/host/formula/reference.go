package formula

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/efp"

	"mooring/placements"
)

// Reference is what an operand of a formula refers to: cells of a sheet, or a name. Which sheet, table or name that is, is for the workbook
// to tell.
type Reference struct {
	Sheet string          // empty: that of the formula. Two with a colon between are the sheets from one to the other
	Area  placements.Rect // of cells
	Name  string          // a defined name or a table; empty with cells, and for the table that the formula stands in
	Table string          // what stands in brackets behind a table, brackets included
}

// References returns what a formula refers to, without what lies in other workbooks.
func References(formula string) (list []Reference) {
	parser := efp.ExcelParser()
	operand := "" // pieces of one whose brackets are still open: the tokenizer does not nest them
	for _, token := range parser.Parse(formula) {
		text := token.TValue
		switch {
		case operand != "":
			text = operand + text
		case token.TType == efp.TokenTypeFunction && token.TSubType == efp.TokenSubTypeStart:
			if text = text[:max(strings.LastIndexByte(text, ':'), 0)]; text == "" { // A1:INDEX(…) begins with a reference
				continue
			}
		case token.TSubType != efp.TokenSubTypeRange && token.TType != efp.TokenTypeUnknown:
			continue
		}
		if operand = ""; opened(text) > 0 {
			operand = text
			continue
		}
		if r, ok := parseReference(text); ok {
			list = append(list, r)
		}
	}
	return list
}

// opened returns how many brackets of a text are open at its end. One behind a ' is a character of a heading.
func opened(text string) (n int) {
	for i := range len(text) {
		switch {
		case i > 0 && text[i-1] == '\'':
		case text[i] == '[':
			n++
		case text[i] == ']':
			n--
		}
	}
	return n
}

// cutSheet takes the sheet off an operand. Its name may have a ! itself, and the second corner of a range may repeat it.
func cutSheet(text string) (sheet, rest string) {
	i := strings.LastIndexByte(text, '!')
	sheet, rest = text[:max(i, 0)], text[i+1:]
	if name, corner, ok := strings.Cut(sheet, "!"); ok && strings.HasSuffix(corner, ":"+name) {
		return name, strings.TrimSuffix(corner, name) + rest
	}
	return sheet, rest
}

// parseReference reads an operand, whose sheet the tokenizer has unquoted.
func parseReference(text string) (r Reference, ok bool) {
	text = strings.Trim(text, "@#: \t\r\n")
	if bracket := strings.IndexByte(text, '['); bracket >= 0 { // else of another workbook: [Book]Sheet!A1
		r.Name, r.Table = text[:bracket], text[bracket:]
		_, r.Name = cutSheet(r.Name)
		return r, strings.HasSuffix(text, "]")
	}
	r.Sheet, text = cutSheet(text)
	if r.Area, ok = parseArea(text); !ok {
		r.Name = text
	}
	return r, text != ""
}

// areaForm is a cell, a range, or whole columns or rows.
var areaForm = regexp.MustCompile(`^\$?([A-Za-z]{1,3})?\$?([0-9]{1,7})?(:\$?([A-Za-z]{1,3})?\$?([0-9]{1,7})?)?$`)

// parseArea reads cells, without their sheet.
func parseArea(text string) (placements.Rect, bool) {
	m := areaForm.FindStringSubmatch(text)
	if m == nil || m[3] == "" && (m[1] == "" || m[2] == "") || m[1]+m[4] == "" && m[2]+m[5] == "" {
		return placements.Rect{}, false
	}
	if m[3] == "" {
		m[4], m[5] = m[1], m[2]
	}
	top, left := axis(m[2], 0), axis(m[1], 0)
	bottom, right := axis(m[5], placements.MaxRow), axis(m[4], placements.MaxColumn)
	r := placements.Rect{Top: min(top, bottom), Left: min(left, right), Bottom: max(top, bottom), Right: max(left, right)}
	if r.Top < 0 || r.Left < 0 || r.Bottom > placements.MaxRow || r.Right > placements.MaxColumn {
		return placements.Rect{}, false // such as J0, which is a name
	}
	return r, true
}

// axis is a row or column from zero; open where a range does not name it.
func axis(text string, open int) int {
	if text == "" {
		return open
	}
	if row, err := strconv.Atoi(text); err == nil {
		return row - 1
	}
	return ColumnIndex([]byte(text))
}
