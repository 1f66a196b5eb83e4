package formula

import (
	"regexp"
	"strconv"
	"strings"

	"mooring/placements"
)

// Part is a piece of a formula: text that stays, or the column or row of a relative reference.
type Part struct {
	kind kind
	text string
	at   int // of a column or row, from zero
}

type kind uint8

const (
	plainPart kind = iota
	columnPart
	rowPart
)

// The expressions that a formula is cut by. A sheet whose name looks like a cell is quoted, so what looks like a cell is one, unless
// it is the name of a function, a table or a sheet.
const (
	word     = `[\pL\pM\pN_.?\\$]+`
	brackets = `\[(?:'.|[^\[\]']|\[(?:'.|[^\[\]'])*\])*\]`
)

var (
	token = regexp.MustCompile(`(?s)"[^"]*"|'[^']*'|` + brackets +
		`|` + word + `(?:!|\(|` + brackets + `)` +
		`|\pL+:` + word + `!` + // sheets from one to another
		`|(\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}\b|\$?[0-9]{1,7}:\$?[0-9]{1,7}\b)` + // whole columns or rows
		`|(` + word + `)`)
	cellPattern = regexp.MustCompile(`^\$?[A-Za-z]{1,3}\$?[0-9]{1,7}$`)
	axisPattern = regexp.MustCompile(`\$?(?:[A-Za-z]+|[0-9]+)|:`)
)

// Cut takes a formula apart where it has relative references.
func Cut(text string) (parts []Part) {
	from := 0
	keep := func(to int) {
		if from < to {
			parts = append(parts, Part{text: text[from:to]})
		}
		from = to
	}
	for _, m := range token.FindAllStringSubmatchIndex(text, -1) {
		lines := m[2] >= 0
		if !lines && (m[4] < 0 || !cellPattern.MatchString(text[m[4]:m[5]])) {
			continue
		}
		reference, ok := cutReference(text[m[0]:m[1]])
		if !ok {
			continue
		}
		keep(m[0])
		parts, from = append(parts, reference...), m[1]
	}
	keep(len(text))
	return parts
}

// cutReference takes a reference apart; false for a name that only looks like one, as it is no place of a sheet.
func cutReference(text string) (parts []Part, ok bool) {
	for _, word := range axisPattern.FindAllString(text, -1) {
		p := Part{text: word}
		name, fixed := strings.CutPrefix(word, "$")
		if row, err := strconv.Atoi(name); err == nil {
			p.kind, p.at = rowPart, row-1
		} else if name != ":" {
			p.kind, p.at = columnPart, ColumnIndex([]byte(strings.ToUpper(name)))
		}
		if !p.exists() {
			return nil, false
		}
		if fixed {
			p.kind = plainPart
		}
		parts = append(parts, p)
	}
	return parts, true
}

// exists reports whether a sheet has the column or row.
func (p Part) exists() bool {
	switch p.kind {
	case columnPart:
		return p.at >= 0 && p.at <= placements.MaxColumn
	case rowPart:
		return p.at >= 0 && p.at <= placements.MaxRow
	}
	return true
}

// Move is a formula as it reads when it is filled into the cell so many rows and columns away: relative references move
// along. It declines when one would leave the sheet.
func Move(parts []Part, rows, columns int) (string, bool) {
	var b []byte
	for _, p := range parts {
		switch p.kind {
		case plainPart:
			b = append(b, p.text...)
			continue
		case columnPart:
			p.at += columns
		case rowPart:
			p.at += rows
		}
		if !p.exists() {
			return "", false
		}
		b = p.append(b)
	}
	return string(b), true
}

// append appends the column's letters or the row's number.
func (p Part) append(dst []byte) []byte {
	if p.kind == columnPart {
		return AppendColumnName(dst, p.at)
	}
	return strconv.AppendInt(dst, int64(p.at+1), 10)
}
