package book

import (
	"regexp"
	"strings"

	"mooring/placements"
)

// What a formula is cut by: texts, which hold no reference, and references to a cell or a rectangle, on a sheet of their own or on the
// formula's.
const (
	cellName  = `(\$?[A-Z]{1,3}\$?[0-9]+)`
	sheetName = `((?:'(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_.]*)!)`
)

var reference = regexp.MustCompile(`"[^"]*"|` + sheetName + `?` + cellName + `(?::` + cellName + `)?\b`)

// follow lets the formulas of all sheets refer to where cells went: to returns the new place of a rectangle of s, false when it is gone.
func (b *Book) follow(s *Sheet, to func(Region) (Region, bool)) {
	for _, on := range b.Sheets {
		for i := range on.cells {
			for j := range on.cells[i] {
				if c := &on.cells[i][j]; c.Formula != "" {
					c.Formula = moved(c.Formula, on == s, s.Title, to)
				}
			}
		}
	}
}

// moved is a formula with its references to a sheet moved.
func moved(formula string, same bool, title string, to func(Region) (Region, bool)) string {
	var out strings.Builder
	at := 0
	for _, m := range reference.FindAllStringSubmatchIndex(formula, -1) {
		if m[4] < 0 {
			continue // a text
		}
		sheet := ""
		if m[2] >= 0 {
			sheet = strings.ReplaceAll(strings.Trim(formula[m[2]:m[3]-1], "'"), "''", "'")
		}
		if sheet == "" && !same || sheet != "" && !strings.EqualFold(sheet, title) {
			continue
		}
		first, last := formula[m[4]:m[5]], ""
		if m[6] >= 0 {
			last = formula[m[6]:m[7]]
		}
		out.WriteString(formula[at:m[4]])
		out.WriteString(movedReference(first, last, to))
		at = m[1]
	}
	return out.String() + formula[at:]
}

func movedReference(first, last string, to func(Region) (Region, bool)) string {
	end := last
	if end == "" {
		end = first
	}
	a, err := placements.ParseAnchor(first)
	z, err2 := placements.ParseAnchor(end)
	if err != nil || err2 != nil {
		return first + ":" + last
	}
	r, ok := to(Region{Row: a.Row, Column: a.Column, Rows: z.Row - a.Row + 1, Columns: z.Column - a.Column + 1})
	if !ok {
		return "#REF!"
	}
	out := like(first, r.Row, r.Column)
	if last != "" {
		out += ":" + like(last, r.Row+r.Rows-1, r.Column+r.Columns-1)
	}
	return out
}

// like writes a cell with the dollar signs that another has.
func like(cell string, row, column int) string {
	name := placements.Anchor{Row: row, Column: column}.String()
	digits := strings.IndexAny(name, "0123456789")
	letters, number := name[:digits], name[digits:]
	if strings.HasPrefix(cell, "$") {
		letters = "$" + letters
	}
	if strings.Contains(cell[1:], "$") {
		number = "$" + number
	}
	return letters + number
}
