package plan

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// Formulas take part in a merge as texts: what a formula shows is no matter, it is a person's. formulaSign begins such a text, behind
// which a relativeFormula stands with its =, or what tells apart a cell that the formula of another one fills. A source may have such
// texts too, so that they do not prove a formula.
const formulaSign = "\x00"

// typed is a table with its formulas in the place of what they show. first is its first row in the sheet, counted from 1.
func typed(shows *checksum.Grid, formulas []Formula, first int) *checksum.Grid {
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
			cells[formulas[0].Column] = formulaCell(formulas[0], first)
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

func formulaCell(f Formula, first int) checksum.Cell {
	if f.Text == "" {
		return checksum.Str(formulaSign + strconv.Itoa(f.Row) + ":" + strconv.Itoa(f.Column))
	}
	return checksum.Str(formulaSign + relativeFormula(f.Text, first+f.Row))
}

// The parts of a formula, by which references to cells of its own sheet are told from texts, quoted names, functions and other sheets.
var (
	formulaToken = regexp.MustCompile(`"(?:[^"]|"")*"|(?:'(?:[^']|'')*'|[\pL\pN_.]+)!\$?[A-Za-z0-9$:]*|\[[^\]]*\]|` +
		`\$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?|[\pL\pN_.\\?]+`)
	cellReference = regexp.MustCompile(`^(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7})(?::(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7}))?$`)
)

// moveFormula is a formula as it reads after its row was cut and pasted with the others of the block: what refers to cells that moved
// goes along, if they moved together. to is where a row of the sheet, counted from 1, went; 0 when it did not move or is none of the
// block's.
func moveFormula(text string, to func(row int) int) string {
	return mapReferences(text, func(r reference) reference {
		first, err := strconv.Atoi(r.row)
		last := first
		if r.end != "" && err == nil {
			last, err = strconv.Atoi(r.endRow)
		}
		if err != nil || to(first) == 0 || to(first)-first != to(last)-last {
			return r
		}
		return reference{r.column, strconv.Itoa(to(first)), r.end, strconv.Itoa(to(last))}
	})
}

// reference is one to a cell, or to a range of cells, of the formula's own sheet.
type reference struct{ column, row, end, endRow string }

// mapReferences replaces the references of a formula.
func mapReferences(text string, by func(reference) reference) string {
	var b strings.Builder
	from := 0
	for _, at := range formulaToken.FindAllStringIndex(text, -1) {
		m := cellReference.FindStringSubmatch(text[at[0]:at[1]])
		if m == nil || strings.HasPrefix(text[at[1]:], "(") {
			continue
		}
		r := by(reference{m[1], m[2], m[3], m[4]})
		b.WriteString(text[from:at[0]] + r.column + r.row)
		if r.end != "" {
			b.WriteString(":" + r.end + r.endRow)
		}
		from = at[1]
	}
	return b.String() + text[from:]
}

// A row that a formula refers to without a $ counts in a typed cell from the formula's own row: sorting rows changes the text of such
// formulas, but not what they mean. rowSign stands around that number.
const rowSign = "\x01"

// relativeFormula is the text of a formula in a row of the sheet, counted from 1, as a typed cell has it.
func relativeFormula(text string, row int) string {
	relative := func(column, of string) string {
		n, err := strconv.Atoi(of)
		if err != nil || strings.HasSuffix(column, "$") {
			return of
		}
		return rowSign + strconv.Itoa(n-row) + rowSign
	}
	return mapReferences(text, func(r reference) reference {
		return reference{r.column, relative(r.column, r.row), r.end, relative(r.end, r.endRow)}
	})
}

// placeFormulas says of the formulas in rows that are written where they stand now, puts what they show into the plan's grid, and leaves
// in m.Kept how they read there.
func (p *decider) placeFormulas(plan *Changes, m *checksum.Merged) *placements.Fault {
	to := p.moves(m)
	var rows []int
	var kept, shown checksum.Builder
	for _, row := range m.People {
		cells := m.Kept.Cells(row.Row, nil)
		formulas, fault := p.formulasOf(row, to)
		if fault != nil {
			return fault
		}
		if len(formulas) == 0 {
			continue
		}
		rows = append(rows, row.Row)
		shows, before := slices.Clone(cells), p.shows(row.Theirs, nil)
		for _, f := range formulas {
			shows[f.Column] = checksum.CellAt(before, p.columnBefore(f.Column))
			if f.Text != "" {
				cells[f.Column] = formulaCell(f, p.sheetRow(0))
			}
		}
		kept.Append(cells...)
		shown.Append(shows...)
		if writes(plan.Rows, row.Row) {
			plan.Formulas = append(plan.Formulas, formulas...)
		}
	}
	plan.Grid = m.Kept.Replace(rows, shown.Grid())
	m.Kept = m.Kept.Replace(rows, kept.Grid())
	return nil
}

// formulasOf are the formulas in a row of Kept; those that move with it have a text, by to as moveFormula takes it.
func (p *decider) formulasOf(row checksum.PersonRow, to func(row int) int) (list []Formula, fault *placements.Fault) {
	for _, column := range row.Columns {
		from := p.columnBefore(column)
		text, ok := p.formulas[Position{Row: row.Theirs, Column: from}]
		if !ok {
			continue
		}
		f := Formula{Position: Position{Row: row.Row, Column: column}}
		if row.Row != row.Theirs || column != from {
			if text == "" || p.fixed(row.Theirs, from) {
				return nil, Conflict("the formula that fills %s cannot move with its row: "+
					"move it out of the block, or refresh with onEdit \"overwrite\"", spot(p.View, row.Theirs, from))
			}
			f.Text = moveFormula(text, to)
		}
		list = append(list, f)
	}
	return list, nil
}

// fixed reports whether the formula in a cell of the block holds for that place only.
func (p *decider) fixed(row, column int) bool {
	i, ok := slices.BinarySearchFunc(p.View.Formulas, Position{Row: row, Column: column}, func(f Formula, at Position) int {
		return cmp.Or(cmp.Compare(f.Row, at.Row), cmp.Compare(f.Column, at.Column))
	})
	return ok && p.View.Formulas[i].Fixed
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

// moves is where each row of the block went, as rows of the sheet from 1, 0 for others and those that stay.
func (p *decider) moves(m *checksum.Merged) func(row int) int {
	inserted := map[int]int{}
	for _, row := range m.People {
		if row.Ours < 0 {
			inserted[row.Theirs] = row.Row
		}
	}
	return func(row int) int {
		from := row - p.sheetRow(0)
		to, ok := inserted[from]
		if !ok {
			to = m.Place(from)
		}
		if to < 0 || to == from {
			return 0
		}
		return p.sheetRow(to)
	}
}
