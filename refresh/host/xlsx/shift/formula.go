package shift

import (
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// cellFormula is a formula element as it was read.
type cellFormula struct {
	attrs, raw, text []byte
}

// group is a shared formula: cells that one was filled into.
type group struct {
	at      placements.Anchor
	over    placements.Rect
	text    string
	parts   []formula.Part
	whole   bool // all its cells move alike, and so do the cells that they refer to: it stays one
	changed bool
}

// cellFormula returns the formula element whose tag the scanner stands at as it reads after the shifts, and leaves the scanner at its end.
// stays is false for a formula whose cell is deleted.
func (m *mover) cellFormula(stays bool) ([]byte, error) {
	f := &m.formula
	if err := f.read(m.Scanner); err != nil {
		return nil, err
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
	for depth := s.Depth(); s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return unexpectedEnd(err)
		}
		f.raw = append(f.raw, s.Raw...)
		f.text = appendContent(f.text, s)
	}
	return nil
}

// appendContent appends the text of a token.
func appendContent(dst []byte, s *xml.Scanner) []byte {
	switch s.Kind {
	case xml.Text:
		return xml.Unescape(dst, s.Raw)
	case xml.CDATA:
		return append(dst, s.Raw[len("<![CDATA["):len(s.Raw)-len("]]>")]...)
	}
	return dst
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

// sharedFormula returns the element of a cell of a shared formula.
func (m *mover) sharedFormula(stays bool) ([]byte, error) {
	f := &m.formula
	index, _ := xml.Attr(f.attrs, "si")
	over, master := area(f.attrs, "ref")
	if master && len(f.text) > 0 {
		g, err := m.newGroup(over)
		if err != nil {
			return nil, err
		}
		m.groups[string(index)] = g
		if !g.whole && m.orphans[string(index)] {
			return nil, &Torn{What: "the formulas that were filled up from the last of them", Sheet: m.sheet, Area: over}
		}
		if g.whole {
			return m.keptMaster(g)
		}
	}
	g := m.groups[string(index)]
	if g == nil {
		m.orphans[string(index)] = true
	}
	if g == nil || !stays {
		return f.raw, nil
	}
	return m.sharedCell(g)
}

// sharedCell returns the element of a cell that a formula was filled into.
func (m *mover) sharedCell(g *group) ([]byte, error) {
	f := &m.formula
	inside := g.over.Intersects(placements.Rect{Top: m.Row, Bottom: m.Row, Left: m.Column, Right: m.Column})
	if g.whole && inside && len(f.text) == 0 {
		if g.changed {
			m.followed()
		}
		return f.raw, nil
	}
	text := string(f.text)
	if text == "" {
		var ok bool
		if text, ok = formula.Move(g.parts, m.Row-g.at.Row, m.Column-g.at.Column); !ok {
			return nil, &Torn{What: "the formulas that were filled from one", Sheet: m.sheet, Area: g.over}
		}
	}
	rewritten, err := m.rewrite(text, m.place())
	if err != nil {
		return nil, err
	}
	if rewritten != text {
		m.done.Formulas++
	}
	m.done.Changed = true
	return m.formulaElement(without(f.attrs, "t", "ref", "si"), rewritten), nil
}

// newGroup takes up the shared formula that was read, filled over an area.
func (m *mover) newGroup(over placements.Rect) (*group, error) {
	g := &group{at: placements.Anchor{Row: m.Row, Column: m.Column}, over: over, text: string(m.formula.text)}
	g.parts = formula.Cut(g.text)
	_, _, g.whole = rigid(m.bands, over)
	if !g.whole {
		return g, nil
	}
	for _, r := range formula.Swept(g.text, g.at, over) {
		if r.Name == "" && r.Table == "" && !m.alike(r, over) {
			g.whole = false
			return g, nil
		}
	}
	return g, nil
}

// alike reports whether all cells of a reference of formulas over an area move as one.
func (m *mover) alike(r formula.Reference, over placements.Rect) bool {
	sheets := []string{r.Sheet}
	switch {
	case r.Sheet == "":
		sheets[0] = m.sheet
	case strings.Contains(r.Sheet, ":"):
		sheets = m.moves.Sheets
	}
	for _, sheet := range sheets {
		if !m.moves.By.Touches(sheet, r.Area) {
			continue
		}
		moved, kept, whole := rigid(m.of(sheet), r.Area)
		if !whole || !kept || len(sheets) > 1 {
			return false
		}
		for _, row := range []int{over.Top, over.Bottom} {
			area, ok := m.moves.By.Range(r.Area, sheet, formula.Place{Sheet: m.sheet, Row: row, Column: over.Left})
			if !ok || area != moved {
				return false
			}
		}
	}
	return true
}

// keptMaster returns the element of the cell that a shared formula was filled from, which stays one.
func (m *mover) keptMaster(g *group) ([]byte, error) {
	rewritten, err := m.rewrite(g.text, m.place())
	if err != nil {
		return nil, err
	}
	over, kept, _ := rigid(m.bands, g.over)
	g.changed = rewritten != g.text
	if !kept || !g.changed && over == g.over {
		return m.formula.raw, nil
	}
	m.done.Changed = true
	if g.changed {
		m.done.Formulas++
	}
	return m.formulaElement(xml.SetAttr(m.formula.attrs, "ref", rangeName(over)), rewritten), nil
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
	attrs := xml.SetAttr(m.formula.attrs, "ref", rangeName(over))
	for _, input := range []struct{ cell, deleted string }{{"r1", "del1"}, {"r2", "del2"}} {
		at, ok := area(attrs, input.cell)
		if !ok {
			continue
		}
		row, ok := m.moves.By.Cell(m.sheet, at.Top, at.Left)
		if !ok {
			attrs = xml.SetAttr(attrs, input.deleted, "1")
			continue
		}
		attrs = xml.SetAttr(attrs, input.cell, placements.Anchor{Row: row, Column: at.Left}.String())
	}
	if string(attrs) == string(m.formula.attrs) {
		return m.formula.raw, nil
	}
	m.followed()
	return m.formulaElement(attrs, string(m.formula.text)), nil
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
