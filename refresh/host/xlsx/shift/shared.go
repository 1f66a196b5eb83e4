package shift

import (
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// partSize is about what a part of a formula takes in memory, in bytes.
const partSize = 40

// group is a shared formula: cells that one was filled into.
type group struct {
	at      placements.Anchor
	over    placements.Rect
	text    string
	parts   []formula.Part
	whole   bool // all its cells move alike, and so do the cells that they refer to: it stays one
	changed bool
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
	if g == nil && !m.orphans[string(index)] {
		m.orphans[string(index)] = true
		m.shared += len(index)
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
	if g.whole && !g.changed && rewritten == text && m.stays > placements.MaxRow {
		return f.raw, nil // a cell outside the area that the formula is said to fill
	}
	if m.written += len(rewritten); m.written > maxFilled {
		return nil, &TooLarge{"formulas filled from one", m.sheet}
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
	if m.shared += len(g.text) + len(g.parts)*partSize; m.shared > maxHeld {
		return nil, &TooLarge{"shared formulas", m.sheet}
	}
	_, _, g.whole = rigid(m.bands, over)
	if !g.whole {
		return g, nil
	}
	for _, r := range formula.Swept(g.text, g.at, over) {
		if r.Name == "" && r.Table == "" && !m.alike(r) {
			g.whole = false
			return g, nil
		}
	}
	return g, nil
}

// alike reports whether all cells of what a shared formula refers to move as one, and no range of them grows.
func (m *mover) alike(r formula.Reference) bool {
	sheets := []string{r.Sheet}
	switch {
	case r.Sheet == "":
		sheets[0] = m.sheet
	case strings.Contains(r.Sheet, ":"):
		sheets = m.moves.Sheets
	}
	for _, sheet := range sheets {
		if !m.moves.by().Touches(sheet, r.Area) {
			continue
		}
		_, kept, whole := rigid(m.moves.bandsOf(sheet), r.Area)
		if !whole || !kept || len(sheets) > 1 || r.Range && m.moves.by().Grows(sheet, r.Area) {
			return false
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
