package host

import (
	"fmt"
	"regexp"
	"strings"

	"mooring/placements"
)

// xlsxFormula is what a cell's formula element says.
type xlsxFormula struct {
	kind   string // "shared", "array", "dataTable"; otherwise the cell's own
	text   []byte // without its =, which only some programs write
	index  string // of a shared formula: which one
	master bool   // the cell that a shared formula was filled from
}

// start takes up the formula whose tag s stands at.
func (f *xlsxFormula) start(s *xmlScanner) {
	t, _ := xmlAttr(s.attrs, "t")
	*f = xlsxFormula{kind: string(t), text: f.text[:0]}
	switch f.kind {
	case "shared":
		f.index = s.attr("si")
		_, f.master = xmlAttr(s.attrs, "ref")
	case "dataTable":
		f.text = append(f.text, dataTable(s)...)
	}
}

// typed is the formula as a person types it.
func (f *xlsxFormula) typed() string { return "=" + strings.TrimPrefix(string(f.text), "=") }

// fixed reports whether the formula is an array's or a data table's.
func (f *xlsxFormula) fixed() bool { return f.kind == "array" || f.kind == "dataTable" }

// truth reports whether the formula is but a truth value, which LibreOffice saves as one.
func (f *xlsxFormula) truth() bool {
	text := f.typed()
	return f.kind == "" && (strings.EqualFold(text, "=TRUE()") || strings.EqualFold(text, "=FALSE()"))
}

// dataTable is the text that a spreadsheet shows for a data table: TABLE of the row's and the column's input cell.
func dataTable(s *xmlScanner) string {
	row, column := "", s.attr("r1")
	switch {
	case xmlTrue(s.attr("dt2D")):
		row, column = column, s.attr("r2")
	case xmlTrue(s.attr("dtr")):
		row, column = column, ""
	}
	return "TABLE(" + row + "," + column + ")"
}

// xlsxMaxExpanded bounds the texts, in bytes, that are worked out for cells of shared formulas: a file of a few kilobytes may
// have a million of them.
const xlsxMaxExpanded = 32 << 20

// formulaElsewhere is the text of a formula that cannot be told for its own cell, as note makes it.
var formulaElsewhere = regexp.MustCompile(`\(filled from [A-Z]+[0-9]+\)$`)

// xlsxShared are the shared formulas of a sheet, so far as its cells were read.
type xlsxShared struct {
	masters  map[string]xlsxMaster
	expanded int
}

// xlsxMaster is a shared formula as the cell has it that it was filled from.
type xlsxMaster struct {
	at    placements.Anchor
	parts []formulaPart
	plain string // stands for the text of a cell that it cannot be told for
}

// note keeps the text of a shared formula for the cells to come.
func (t *xlsxShared) note(f *xlsxFormula, at placements.Anchor) {
	if !f.master || len(f.text) == 0 {
		return
	}
	if t.masters == nil {
		t.masters = map[string]xlsxMaster{}
	}
	text := f.typed()
	t.masters[f.index] = xlsxMaster{at: at, parts: cutFormula(text), plain: fmt.Sprintf("%s (filled from %s)", text, at)}
}

// text is the formula of the cell at a place, empty where no text is known.
func (t *xlsxShared) text(f *xlsxFormula, at placements.Anchor) string {
	if len(f.text) > 0 {
		return f.typed()
	}
	m, ok := t.masters[f.index]
	if f.kind != "shared" || !ok {
		return ""
	}
	if t.expanded < xlsxMaxExpanded {
		if text, ok := moveFormula(m.parts, at.Row-m.at.Row, at.Column-m.at.Column); ok {
			t.expanded += len(text)
			return text
		}
	}
	return m.plain
}
