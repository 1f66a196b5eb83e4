package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/formula"
)

// typed is a table that stands at a cell, with its formulas in the place of what they show.
func typed(shows *checksum.Grid, formulas []Formula, at placements.Location) *checksum.Grid {
	if len(formulas) == 0 {
		return shows
	}
	var b checksum.Builder
	var cells []checksum.Cell
	rows := max(shows.Rows(), formulas[len(formulas)-1].Row+1)
	for row := range rows {
		cells = cells[:0]
		if row < shows.Rows() {
			cells = shows.Cells(row, cells)
		}
		for ; len(formulas) > 0 && formulas[0].Row == row; formulas = formulas[1:] {
			cells = atLeast(cells, formulas[0].Column+1)
			cells[formulas[0].Column] = formulaCell(formulas[0], at)
		}
		b.Append(cells...)
	}
	return b.Grid()
}

// atLeast is cells with empty ones up to that number.
func atLeast(cells []checksum.Cell, n int) []checksum.Cell {
	for len(cells) < n {
		cells = append(cells, checksum.Cell{})
	}
	return cells
}

// rowSign stands around a row that a formula refers to without a $, which counts in a typed cell from the formula's own row: sorting rows
// changes the text of such formulas, but not what they mean.
const rowSign = "\x01"

// formulaCell is a typed cell of a block that stands at a cell.
func formulaCell(f Formula, at placements.Location) checksum.Cell {
	if f.Text == "" {
		return checksum.Str(formulaSign + strconv.Itoa(f.Row) + ":" + strconv.Itoa(f.Column))
	}
	return checksum.Str(formulaSign + formula.Relative(f.Text, formula.Place{Sheet: at.Sheet, Row: at.Anchor.Row + f.Row}, rowSign))
}

// loosely are the fingerprints of the rows with formulas without what these say: they read otherwise once rows that they refer to are
// inserted, deleted or moved.
func (p *comparison) loosely() map[int]uint64 {
	rows := map[int]uint64{}
	for at := range p.formulas {
		if _, done := rows[at.Row]; !done && at.Row < p.stands.Rows() {
			rows[at.Row], _ = withoutFormulas(p.stands.Cells(at.Row, nil))
		}
	}
	return rows
}

// withoutFormulas is the fingerprint of a row of which only is told where it has formulas; ok is false when it has none.
func withoutFormulas(cells []checksum.Cell) (row uint64, ok bool) {
	cells = slices.Clone(cells)
	for i, c := range cells {
		if strings.HasPrefix(c.Text, formulaSign) {
			cells[i], ok = checksum.Str(formulaSign), true
		}
	}
	return checksum.RowFingerprint(cells), ok
}

// fixed reports whether the formula in a cell of the block holds for that place only.
func (p *comparison) fixed(row, column int) bool {
	i, ok := slices.BinarySearchFunc(p.View.Formulas, Position{Row: row, Column: column}, func(f Formula, at Position) int {
		return cmp.Or(cmp.Compare(f.Row, at.Row), cmp.Compare(f.Column, at.Column))
	})
	return ok && p.View.Formulas[i].Fixed
}

// withRow is spans, apart from each other, with a row.
func withRow(spans []checksum.Span, row int) []checksum.Span {
	i, is := slices.BinarySearchFunc(spans, row, func(s checksum.Span, row int) int { return cmp.Compare(s.To, row) })
	switch {
	case writes(spans, row):
	case is: // right behind one
		spans[i].To++
		if i+1 < len(spans) && spans[i+1].From == spans[i].To {
			spans[i].To = spans[i+1].To
			spans = slices.Delete(spans, i+1, i+2)
		}
	case i < len(spans) && spans[i].From == row+1:
		spans[i].From--
	default:
		spans = slices.Insert(spans, i, checksum.Span{From: row, To: row + 1})
	}
	return spans
}

// writes reports whether a row is in one of the spans.
func writes(spans []checksum.Span, row int) bool {
	i, _ := slices.BinarySearchFunc(spans, row, func(s checksum.Span, row int) int {
		if s.To <= row {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].From <= row
}
