package shift

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// cellFormula is a formula element as it was read.
type cellFormula struct {
	attrs, raw, text []byte
}

// cellFormula returns the formula element whose tag the scanner stands at as it reads after the shifts, and leaves the scanner at its end.
// stays is false for a formula whose cell is deleted.
func (m *mover) cellFormula(stays bool) ([]byte, error) {
	f := &m.formula
	if err := f.read(m.Scanner); err != nil {
		return nil, err
	}
	if len(f.raw) > maxElement {
		return nil, &TooLarge{"characters in a formula", m.sheet}
	}
	t, _ := xml.Attr(f.attrs, "t")
	switch string(t) {
	case "shared":
		return m.sharedFormula(stays)
	case "array":
		return m.arrayFormula()
	case "dataTable":
		return m.dataTable()
	}
	if !stays {
		return nil, nil
	}
	return m.ownFormula(string(f.text), f.attrs)
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
func (m *mover) place() formula.Place {
	return formula.Place{Sheet: m.sheet, Row: m.Row, Column: m.Column}
}

// ownFormula returns the element of a formula with the attributes of the one that was read.
func (m *mover) ownFormula(text string, attrs []byte) ([]byte, error) {
	rewritten, err := m.rewrite(text, m.place())
	if err != nil {
		return nil, err
	}
	if rewritten == text {
		return m.formula.raw, nil
	}
	m.followed()
	return m.formulaElement(attrs, rewritten), nil
}

func (m *mover) followed() {
	m.done.Formulas++
	m.done.Changed = true
}

func (m *mover) formulaElement(attrs []byte, text string) []byte {
	b := append(append(append(m.scratch[:0], '<'), m.NS...), 'f')
	b = append(b, attrs...)
	if text == "" {
		b = append(b, "/>"...)
	} else {
		b = xml.AppendText(append(b, '>'), text, false)
		b = append(append(append(b, "</"...), m.NS...), "f>"...)
	}
	m.scratch = b
	return b
}

// arrayFormula returns the element of a formula that fills several cells.
func (m *mover) arrayFormula() ([]byte, error) {
	over, kept, err := m.filled("the array formula")
	if err != nil || !kept {
		return m.formula.raw, err
	}
	text := string(m.formula.text)
	rewritten, err := m.rewrite(text, m.place())
	if err != nil {
		return nil, err
	}
	if rewritten != text {
		m.followed()
	} else if old, ok := area(m.formula.attrs, "ref"); !ok || old == over {
		return m.formula.raw, nil
	}
	return m.formulaElement(xml.SetAttr(m.formula.attrs, "ref", rangeName(over)), rewritten), nil
}

// filled returns the area that the formula which was read fills, as it is after the shifts.
func (m *mover) filled(what string) (over placements.Rect, kept bool, err error) {
	old, ok := area(m.formula.attrs, "ref")
	if !ok {
		old = placements.Rect{Top: m.Row, Bottom: m.Row, Left: m.Column, Right: m.Column}
	}
	over, kept, whole := rigid(m.bands, old)
	if !whole {
		return over, kept, &Torn{What: what, Sheet: m.sheet, Area: old}
	}
	return over, kept, nil
}

// dataTable returns the element of a data table.
func (m *mover) dataTable() ([]byte, error) {
	over, kept, err := m.filled("the data table")
	if err != nil || !kept {
		return m.formula.raw, err
	}
	attrs := m.formula.attrs
	if err := m.headed(attrs); err != nil {
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
		switch row, ok := m.moves.by().Cell(m.sheet, at.Top, at.Left); {
		case !ok:
			attrs = xml.SetAttr(attrs, input.deleted, "1")
		case row != at.Top:
			attrs = xml.SetAttr(attrs, input.cell, placements.Anchor{Row: row, Column: at.Left}.String())
		}
	}
	if string(attrs) == string(m.formula.attrs) {
		return m.formula.raw, nil
	}
	m.followed()
	return m.formulaElement(attrs, string(m.formula.text)), nil
}

// headed refuses to part a data table from the row above it and the column to its left, which have its formulas and the values put in.
func (m *mover) headed(attrs []byte) error {
	all, ok := area(attrs, "ref")
	if !ok {
		return nil
	}
	all.Top, all.Left = max(all.Top-1, 0), max(all.Left-1, 0)
	if _, kept, whole := rigid(m.bands, all); !kept || !whole {
		return &Torn{What: "the data table", Sheet: m.sheet, Area: all}
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

// rangeName is an area as attributes name it.
func rangeName(area placements.Rect) string {
	from := placements.Anchor{Row: area.Top, Column: area.Left}.String()
	if area.Top == area.Bottom && area.Left == area.Right {
		return from
	}
	return from + ":" + placements.Anchor{Row: area.Bottom, Column: area.Right}.String()
}

// rewrite returns a formula as it reads after the shifts.
func (m *mover) rewrite(text string, at formula.Place) (string, error) {
	text, err := m.moves.rewrites().Rewrite(text, at)
	if at.Row < 0 || err == nil {
		return text, err
	}
	return "", fmt.Errorf("%s of sheet %q: %w", placements.Anchor{Row: at.Row, Column: at.Column}, at.Sheet, err)
}
