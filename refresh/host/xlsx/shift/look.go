package shift

import (
	"bytes"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// looks are the styles that cells have which a part does not list: those of their rows, or else of their columns. They do not move with
// cells; where a cell moves between rows that differ it is listed from then on.
type looks struct {
	columns []columnLook
	rows    map[int]string // by the rows that have a style of their own
	pruned  int            // how many rows there were after those no longer needed were dropped
	scanner *xml.Scanner
}

// columnLook is the style of columns.
type columnLook struct {
	from, to int
	style    string
}

// column notes the columns whose tag s stands at.
func (l *looks) column(s *xml.Scanner) {
	from, err1 := strconv.Atoi(s.Attr("min"))
	to, err2 := strconv.Atoi(s.Attr("max"))
	style, ok := styleOf(s.Attrs, "style")
	if err1 == nil && err2 == nil && ok && len(l.columns) <= placements.MaxColumn {
		l.columns = append(l.columns, columnLook{from - 1, to - 1, style})
	}
}

// row notes a row's tag.
func (l *looks) row(row int, attrs []byte) {
	custom, _ := xml.Attr(attrs, "customFormat")
	style, ok := styleOf(attrs, "s")
	if !ok || string(custom) != "1" && string(custom) != "true" {
		return
	}
	if l.rows == nil {
		l.rows = map[int]string{}
	}
	l.rows[row] = style
}

// styleOf is the style that an attribute names; false for none, and for what is too long for a number.
func styleOf(attrs []byte, name string) (string, bool) {
	style, ok := xml.Attr(attrs, name)
	if !ok || len(style) == 0 || len(style) > len("2147483647") {
		return "", false
	}
	return string(style), true
}

// any reports whether a cell that is not listed may have a style.
func (l *looks) any() bool { return len(l.rows)+len(l.columns) > 0 }

// of is the style of a cell that is not listed, in a row of a style or of none.
func (l *looks) of(row string, column int) string {
	if row != "" {
		return row
	}
	for _, c := range l.columns {
		if column >= c.from && column <= c.to {
			return c.style
		}
	}
	return "0"
}

// pruneLooks drops the styles of rows that none to be written, from row on, has its cells or styles from.
func (m *mover) pruneLooks(row int) {
	l := &m.looks
	if len(l.rows) < 2*l.pruned+1024 {
		return
	}
	oldest := row
	for i := range m.moves.bands {
		oldest = min(oldest, m.moves.bands[i].oldest(row))
	}
	for r := range l.rows {
		if r < oldest {
			delete(l.rows, r)
		}
	}
	l.pruned = len(l.rows)
}

// source is the row before the shifts that a row's cells in the band have their styles from, -1 for none.
func (b *band) source(row int) int {
	for _, p := range b.pieces {
		switch {
		case row >= p.out+p.rows:
		case p.fresh:
			return p.style
		default:
			return p.from + row - p.out
		}
	}
	return -1
}

// oldest is the first row before the shifts that rows from row on have cells or styles from.
func (b *band) oldest(row int) int {
	for _, p := range b.pieces {
		switch {
		case row >= p.out+p.rows:
		case p.fresh && p.style >= 0:
			return p.style
		case !p.fresh:
			return p.from + max(0, row-p.out)
		}
	}
	return row
}

// scan returns a scanner of cells.
func (l *looks) scan(cells []byte, prefix string) *xml.Scanner {
	if l.scanner == nil {
		l.scanner = xml.NewScanner(nil)
	}
	l.scanner.Reset(bytes.NewReader(cells))
	l.scanner.NS = prefix
	return l.scanner
}
