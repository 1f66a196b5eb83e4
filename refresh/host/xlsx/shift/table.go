package shift

import (
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
)

// tableArea is where a table is, before and afterwards.
type tableArea struct {
	before, after placements.Rect
	head, foot    int // rows of headings and of totals
}

// table moves a table with its filter, its order and the formulas of its columns. A table of which only a part would move is torn, as is
// one that would lose its headings, its totals or all that is between.
func (m *Moves) table(doc []byte, sheet string) ([]byte, error) {
	var t *tableArea
	column := -1
	return m.edit(doc, sheet, func(e *editor) (err error) {
		if t == nil { // at the root; further elements of its name are extensions
			t, err = e.tableArea()
			return err
		}
		switch string(e.Local()) {
		case "autoFilter", "sortState", "sortCondition":
			e.setTablePart(t)
		case "tableColumn":
			column++
		case "calculatedColumnFormula":
			return e.formula(formula.Place{Sheet: sheet, Row: t.before.Top + t.head, Column: t.before.Left + column})
		case "totalsRowFormula":
			return e.formula(formula.Place{Sheet: sheet, Row: t.before.Bottom, Column: t.before.Left + column})
		}
		return nil
	})
}

// tableArea moves the table whose tag e stands at.
func (e *editor) tableArea() (*tableArea, error) {
	t := &tableArea{head: e.count("headerRowCount", 1), foot: e.count("totalsRowCount", 0)}
	var ok bool
	if t.before, ok = cursor.ParseArea(e.Attr("ref")); !ok {
		return t, fmt.Errorf("table %q has no ref", e.Attr("displayName"))
	}
	if t.after, ok = e.whole(e.sheet, t.before, t.head, t.foot); !ok {
		return t, &Torn{What: fmt.Sprintf("the table %q", e.Attr("displayName")), Sheet: e.sheet, Area: t.before}
	}
	e.setArea("ref", t.before, t.after)
	return t, nil
}

// count is an attribute that counts something.
func (e *editor) count(name string, without int) int {
	if n, err := strconv.Atoi(e.Attr(name)); err == nil && n >= 0 {
		return n
	}
	return without
}

// setTablePart moves the cells of a table that its filter or order covers. What reaches to the table's last row of data does so afterwards.
func (e *editor) setTablePart(t *tableArea) {
	before, ok := cursor.ParseArea(e.Attr("ref"))
	if !ok {
		return
	}
	after, ok := e.by().Area(e.sheet, before)
	if !ok {
		after = before
	}
	if before.Bottom == t.before.Bottom-t.foot {
		after.Bottom = t.after.Bottom - t.foot
	}
	e.setArea("ref", before, after)
}
