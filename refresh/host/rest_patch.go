package host

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
)

// reach is how many rows and columns from the anchor on a patch needs, at any of its steps.
func (p Patch) reach() (rows, columns int) {
	rows, columns = max(p.Extent.Rows, 1), max(p.Extent.Columns, 1)
	for _, m := range p.Moves {
		// Cut and pasted, the rows, or those that they change places with, stand twice for a while.
		top, bottom := min(m.From, m.To), max(m.From+m.Rows, m.To)
		rows = max(rows, bottom+max(m.Rows, bottom-top-m.Rows))
	}
	for _, s := range p.Shifts {
		rows = max(rows, s.At+s.Rows)
	}
	for _, s := range p.Rows {
		rows = max(rows, s.To)
	}
	return rows, columns
}

// inserted is how many rows of cells the patch inserts, all its steps together.
func (p Patch) inserted() int {
	rows := 0
	for _, m := range p.Moves {
		rows += max(m.Rows, max(m.From+m.Rows, m.To)-min(m.From, m.To)-m.Rows)
	}
	for _, s := range p.Shifts {
		rows += max(s.Rows, 0)
	}
	return rows
}

// atLeastOne is an extent that has a cell, as ranges of the services must.
func atLeastOne(e checksum.Extent) checksum.Extent {
	return checksum.Extent{Rows: max(e.Rows, 1), Columns: max(e.Columns, 1)}
}

// larger covers two extents.
func larger(a, b checksum.Extent) checksum.Extent {
	return checksum.Extent{Rows: max(a.Rows, b.Rows), Columns: max(a.Columns, b.Columns)}
}

// count adds what a patch writes or clears: each row once, however many rectangles touch it.
func (w *Written) count(p *Patch) {
	w.Cells -= p.kept()
	for _, s := range p.Rows {
		w.Rows += s.To - s.From
		w.Cells += (s.To - s.From) * p.Extent.Columns
	}
	for _, r := range p.Clear {
		w.Rows += r.Rows
		w.Cells += r.Rows * r.Columns
		for _, s := range p.Rows {
			w.Rows -= max(0, min(s.To, r.Row+r.Rows)-max(s.From, r.Row))
		}
	}
}

// checkText refuses text longer than a cell of the service holds, in UTF-16 units, before anything is written.
func (f restFaults) checkText(g *checksum.Grid, spans []checksum.Span, most int) error {
	var cells []checksum.Cell
	for _, s := range spans {
		for row := s.From; row < s.To; row++ {
			if len(g.Row(row)) <= most {
				continue // no cell is longer than its row
			}
			cells = g.Cells(row, cells[:0])
			for column, c := range cells {
				if length(c.Text) > most {
					return f.say(placements.Permanent, nil, "The text in row %d, column %d of the result has more than %d characters, "+
						"the most that a cell in %s holds: shorten it in the query.", row+1, column+1, most, f.service)
				}
			}
		}
	}
	return nil
}

// length counts UTF-16 units, as spreadsheets do.
func length(s string) int {
	if len(s) < 1<<14 {
		return len(s) // an upper bound will do for short text
	}
	return len(utf16.Encode([]rune(s)))
}

// appendJSONText appends s as a JSON string.
func appendJSONText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string always has a JSON form
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendJSONNumber appends a finite number in the shortest form that reads back as the same double.
func appendJSONNumber(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
