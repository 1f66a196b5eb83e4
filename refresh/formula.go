package refresh

import (
	"regexp"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
)

// Formulas take part in a merge as texts: what a formula shows is no matter, it is a person's. formulaSign begins such a text, behind which the
// formula stands with its =, or what tells apart a cell that the formula of another one fills. A source may have such texts too, so that they
// do not prove a formula.
const formulaSign = "\x00"

// typed is a table with its formulas in the place of what they show.
func typed(shows *checksum.Grid, formulas []host.Formula) *checksum.Grid {
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
			cells[formulas[0].Column] = formulaCell(formulas[0])
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

func formulaCell(f host.Formula) checksum.Cell {
	if f.Text == "" {
		return checksum.Str(formulaSign + strconv.Itoa(f.Row) + ":" + strconv.Itoa(f.Column))
	}
	return checksum.Str(formulaSign + f.Text)
}

// The parts of a formula, by which references to cells of its own sheet are told from texts, quoted names, functions and other sheets.
var (
	formulaToken = regexp.MustCompile(`"(?:[^"]|"")*"|(?:'(?:[^']|'')*'|[\pL\pN_.]+)!\$?[A-Za-z0-9$:]*|\[[^\]]*\]|` +
		`\$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?|[\pL\pN_.\\?]+`)
	cellReference = regexp.MustCompile(`^(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7})(?::(\$?[A-Za-z]{1,3}\$?)([0-9]{1,7}))?$`)
)

// moveFormula is a formula as it reads after its row was cut and pasted with the others of the block: what refers to cells of one moved row goes
// along. to is where a row of the sheet, counted from 1, went; 0 when it did not move or is none of the block's.
func moveFormula(text string, to func(row int) int) string {
	var b strings.Builder
	from := 0
	for _, at := range formulaToken.FindAllStringIndex(text, -1) {
		m := cellReference.FindStringSubmatch(text[at[0]:at[1]])
		if m == nil || m[4] != "" && m[4] != m[2] || strings.HasPrefix(text[at[1]:], "(") {
			continue
		}
		row, err := strconv.Atoi(m[2])
		if err != nil || to(row) == 0 {
			continue
		}
		moved := strconv.Itoa(to(row))
		b.WriteString(text[from:at[0]] + m[1] + moved)
		if m[4] != "" {
			b.WriteString(":" + m[3] + moved)
		}
		from = at[1]
	}
	return b.String() + text[from:]
}
