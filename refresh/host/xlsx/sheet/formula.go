package sheet

import (
	"fmt"
	"regexp"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// cellFormula is what a cell's formula element says.
type cellFormula struct {
	kind   string // "shared", "array", "dataTable"; otherwise the cell's own
	text   []byte // without its =, which only some programs write
	index  string // of a shared formula: which one
	master bool   // the cell that a shared formula was filled from
}

// start takes up the formula whose tag s stands at.
func (f *cellFormula) start(s *xml.Scanner) {
	t, _ := xml.Attr(s.Attrs, "t")
	*f = cellFormula{kind: string(t), text: f.text[:0]}
	switch f.kind {
	case "shared":
		f.index = s.Attr("si")
		_, f.master = xml.Attr(s.Attrs, "ref")
	case "dataTable":
		f.text = append(f.text, dataTable(s)...)
	}
}

// typed is the formula as a person types it.
func (f *cellFormula) typed() string { return "=" + strings.TrimPrefix(string(f.text), "=") }

// fixed reports whether the formula is an array's or a data table's.
func (f *cellFormula) fixed() bool { return f.kind == "array" || f.kind == "dataTable" }

// truth reports whether the formula is but a truth value, which LibreOffice saves as one.
func (f *cellFormula) truth() bool {
	text := f.typed()
	return f.kind == "" && (strings.EqualFold(text, "=TRUE()") || strings.EqualFold(text, "=FALSE()"))
}

// dataTable is the text that a spreadsheet shows for a data table: TABLE of the row's and the column's input cell.
func dataTable(s *xml.Scanner) string {
	row, column := "", s.Attr("r1")
	switch {
	case xml.True(s.Attr("dt2D")):
		row, column = column, s.Attr("r2")
	case xml.True(s.Attr("dtr")):
		row, column = column, ""
	}
	return "TABLE(" + row + "," + column + ")"
}

// maxExpanded bounds the texts, in bytes, that are worked out for cells of shared formulas: a file of a few kilobytes may
// have a million of them.
const maxExpanded = 32 << 20

// elsewhere is the text of a formula that cannot be told for its own cell, as note makes it.
var elsewhere = regexp.MustCompile(`\(filled from [A-Z]+[0-9]+\)$`)

// shared are the shared formulas of a sheet, so far as its cells were read.
type shared struct {
	masters  map[string]master
	expanded int
}

// master is a shared formula as the cell has it that it was filled from.
type master struct {
	at    placements.Anchor
	parts []formula.Part
	plain string // stands for the text of a cell that it cannot be told for
}

// note keeps the text of a shared formula for the cells to come.
func (t *shared) note(f *cellFormula, at placements.Anchor) {
	if !f.master || len(f.text) == 0 {
		return
	}
	if t.masters == nil {
		t.masters = map[string]master{}
	}
	text := f.typed()
	t.masters[f.index] = master{at: at, parts: formula.Cut(text), plain: fmt.Sprintf("%s (filled from %s)", text, at)}
}

// text is the formula of the cell at a place, empty where no text is known.
func (t *shared) text(f *cellFormula, at placements.Anchor) string {
	if len(f.text) > 0 {
		return f.typed()
	}
	m, ok := t.masters[f.index]
	if f.kind != "shared" || !ok {
		return ""
	}
	if t.expanded < maxExpanded {
		if text, ok := formula.Move(m.parts, at.Row-m.at.Row, at.Column-m.at.Column); ok {
			t.expanded += len(text)
			return text
		}
	}
	return m.plain
}

// moved is text for a caller that does not keep it, so that nothing bounds how many are worked out. It is empty for a cell that the formula
// cannot be told for.
func (t *shared) moved(f *cellFormula, at placements.Anchor) string {
	if len(f.text) > 0 {
		return f.typed()
	}
	m, ok := t.masters[f.index]
	if f.kind != "shared" || !ok {
		return ""
	}
	text, _ := formula.Move(m.parts, at.Row-m.at.Row, at.Column-m.at.Column)
	return text
}

// IsElsewhere reports whether a text is that of a formula which cannot be told for its own cell.
func IsElsewhere(text string) bool { return elsewhere.MatchString(text) }
