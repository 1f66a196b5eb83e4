package shift

import (
	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// formulas rewrites the formulas of a sheet's cells one after the other.
type formulas struct {
	*xml.Scanner
	moves    *sheetMoves
	formula  cellFormula // the one being read
	groups   map[string]*group
	orphans  map[string]bool // shared formulas that a cell stood for before the one that they were filled from
	shared   int             // bytes of groups and orphans
	written  int             // bytes of formulas that are no longer shared
	followed int             // formulas that read otherwise now
	changed  bool            // an element did
	scratch  []byte
}

// cellFormula is a formula element as it was read.
type cellFormula struct {
	at               placements.Anchor
	attrs, raw, text []byte
}

// element returns the formula element whose tag the scanner stands at as it reads after the shifts, and leaves the scanner at its end.
// It stands in the cell at a place; stays is false for a formula whose cell is deleted.
func (x *formulas) element(at placements.Anchor, stays bool) ([]byte, error) {
	f := &x.formula
	f.at = at
	if err := f.read(x.Scanner); err != nil {
		return nil, err
	}
	if len(f.raw) > maxElement {
		return nil, &TooLarge{"characters in a formula", x.moves.sheet}
	}
	t, _ := xml.Attr(f.attrs, "t")
	switch string(t) {
	case "shared":
		return x.sharedFormula(stays)
	case "array":
		return x.arrayFormula()
	case "dataTable":
		return x.dataTable()
	}
	if !stays {
		return nil, nil
	}
	return x.ownFormula(string(f.text), f.attrs)
}

// read reads the formula whose tag s stands at, up to its end.
func (f *cellFormula) read(s *xml.Scanner) error {
	f.attrs, f.raw, f.text = append(f.attrs[:0], s.Attrs...), append(f.raw[:0], s.Raw...), f.text[:0]
	if s.Kind == xml.Empty {
		return nil
	}
	for depth := s.Depth(); s.Depth() >= depth && len(f.raw) <= maxElement; {
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		f.raw = append(f.raw, s.Raw...)
		f.text = s.AppendContent(f.text)
	}
	return nil
}

// place is the cell being read.
func (x *formulas) place() formula.Place {
	return formula.Place{Sheet: x.moves.sheet, Row: x.formula.at.Row, Column: x.formula.at.Column}
}

// ownFormula returns the element of a formula with the attributes of the one that was read.
func (x *formulas) ownFormula(text string, attrs []byte) ([]byte, error) {
	rewritten, err := x.moves.rewrite(text, x.place())
	if err != nil {
		return nil, err
	}
	if rewritten == text {
		return x.formula.raw, nil
	}
	x.follow()
	return x.formulaElement(attrs, rewritten), nil
}

func (x *formulas) follow() {
	x.followed++
	x.changed = true
}

func (x *formulas) formulaElement(attrs []byte, text string) []byte {
	b := append(append(append(x.scratch[:0], '<'), x.NS...), 'f')
	b = append(b, attrs...)
	if text == "" {
		b = append(b, "/>"...)
	} else {
		b = xml.AppendText(append(b, '>'), text, false)
		b = append(append(append(b, "</"...), x.NS...), "f>"...)
	}
	x.scratch = b
	return b
}

// arrayFormula returns the element of a formula that fills several cells.
func (x *formulas) arrayFormula() ([]byte, error) {
	over, kept, err := x.filled("the array formula")
	if err != nil || !kept {
		return x.formula.raw, err
	}
	text := string(x.formula.text)
	rewritten, err := x.moves.rewrite(text, x.place())
	if err != nil {
		return nil, err
	}
	if rewritten != text {
		x.follow()
	} else if old, ok := area(x.formula.attrs, "ref"); !ok || old == over {
		return x.formula.raw, nil
	}
	return x.formulaElement(xml.SetAttr(x.formula.attrs, "ref", rangeName(over)), rewritten), nil
}

// filled returns the area that the formula which was read fills, as it is after the shifts.
func (x *formulas) filled(what string) (over placements.Rect, kept bool, err error) {
	old, ok := area(x.formula.attrs, "ref")
	if !ok {
		old = areaOf(x.formula.at)
	}
	over, kept, whole := rigid(x.moves.bands, old)
	if !whole {
		return over, kept, &Torn{What: what, Sheet: x.moves.sheet, Area: old}
	}
	return over, kept, nil
}

// dataTable returns the element of a data table.
func (x *formulas) dataTable() ([]byte, error) {
	over, kept, err := x.filled("the data table")
	if err != nil || !kept {
		return x.formula.raw, err
	}
	attrs := x.formula.attrs
	if err := x.headed(attrs); err != nil {
		return nil, err
	}
	if old, ok := area(attrs, "ref"); ok && old != over {
		attrs = xml.SetAttr(attrs, "ref", rangeName(over))
	}
	for _, input := range []struct{ cell, deleted string }{{"r1", "del1"}, {"r2", "del2"}} {
		at, ok := area(attrs, input.cell)
		if !ok {
			continue
		}
		switch row, ok := x.moves.all.by().Cell(x.moves.sheet, at.Top, at.Left); {
		case !ok:
			attrs = xml.SetAttr(attrs, input.deleted, "1")
		case row != at.Top:
			attrs = xml.SetAttr(attrs, input.cell, placements.Anchor{Row: row, Column: at.Left}.String())
		}
	}
	if string(attrs) == string(x.formula.attrs) {
		return x.formula.raw, nil
	}
	x.follow()
	return x.formulaElement(attrs, string(x.formula.text)), nil
}

// headed refuses to part a data table from the row above it and the column to its left, which have its formulas and the values put in.
func (x *formulas) headed(attrs []byte) error {
	all, ok := area(attrs, "ref")
	if !ok {
		return nil
	}
	all.Top, all.Left = max(all.Top-1, 0), max(all.Left-1, 0)
	if _, kept, whole := rigid(x.moves.bands, all); !kept || !whole {
		return &Torn{What: "the data table", Sheet: x.moves.sheet, Area: all}
	}
	return nil
}

// area reads an attribute that holds a range.
func area(attrs []byte, name string) (placements.Rect, bool) {
	v, ok := xml.Attr(attrs, name)
	if !ok {
		return placements.Rect{}, false
	}
	return cursor.ParseArea(string(v))
}

// without returns attributes but those named.
func without(attrs []byte, names ...string) []byte {
	var left []byte
next:
	for rest := attrs; ; {
		begin := len(attrs) - len(rest)
		name, _, after := xml.NextAttr(rest)
		if len(name) == 0 {
			return left
		}
		rest = after
		for _, n := range names {
			if string(name) == n {
				continue next
			}
		}
		left = append(left, attrs[begin:len(attrs)-len(after)]...)
	}
}
