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
func (x *formulas) sharedFormula(stays bool) ([]byte, error) {
	f := &x.formula
	index, _ := xml.Attr(f.attrs, "si")
	over, master := area(f.attrs, "ref")
	if master && len(f.text) > 0 {
		g, err := x.newGroup(over)
		if err != nil {
			return nil, err
		}
		x.groups[string(index)] = g
		if !g.whole && x.orphans[string(index)] {
			return nil, &Torn{What: "the formulas that were filled up from the last of them", Sheet: x.moves.sheet, Area: over}
		}
		if g.whole {
			return x.keptMaster(g)
		}
	}
	g := x.groups[string(index)]
	if g == nil && !x.orphans[string(index)] {
		x.orphans[string(index)] = true
		x.shared += len(index)
	}
	if g == nil || !stays {
		return f.raw, nil
	}
	return x.sharedCell(g)
}

// sharedCell returns the element of a cell that a formula was filled into.
func (x *formulas) sharedCell(g *group) ([]byte, error) {
	f := &x.formula
	inside := g.over.Intersects(areaOf(x.formula.at))
	if g.whole && inside && len(f.text) == 0 {
		if g.changed {
			x.follow()
		}
		return f.raw, nil
	}
	text := string(f.text)
	if text == "" {
		var ok bool
		if text, ok = formula.Move(g.parts, x.formula.at.Row-g.at.Row, x.formula.at.Column-g.at.Column); !ok {
			return nil, &Torn{What: "the formulas that were filled from one", Sheet: x.moves.sheet, Area: g.over}
		}
	}
	rewritten, err := x.moves.rewrite(text, x.place())
	if err != nil {
		return nil, err
	}
	if g.whole && !g.changed && rewritten == text && x.moves.none() {
		return f.raw, nil // a cell outside the area that the formula is said to fill
	}
	if x.written += len(rewritten); x.written > maxFilled {
		return nil, &TooLarge{"formulas filled from one", x.moves.sheet}
	}
	if rewritten != text {
		x.followed++
	}
	x.changed = true
	return x.formulaElement(without(f.attrs, "t", "ref", "si"), rewritten), nil
}

// newGroup takes up the shared formula that was read, filled over an area.
func (x *formulas) newGroup(over placements.Rect) (*group, error) {
	g := &group{at: x.formula.at, over: over, text: string(x.formula.text)}
	g.parts = formula.Cut(g.text)
	if x.shared += len(g.text) + len(g.parts)*partSize; x.shared > maxHeld {
		return nil, &TooLarge{"shared formulas", x.moves.sheet}
	}
	_, _, g.whole = rigid(x.moves.bands, over)
	if !g.whole {
		return g, nil
	}
	for _, r := range formula.Swept(g.text, g.at, over) {
		if r.Name == "" && r.Table == "" && !x.alike(r) {
			g.whole = false
			return g, nil
		}
	}
	return g, nil
}

// alike reports whether all cells of what a shared formula refers to move as one, and no range of them grows.
func (x *formulas) alike(r formula.Reference) bool {
	sheets := []string{r.Sheet}
	switch {
	case r.Sheet == "":
		sheets[0] = x.moves.sheet
	case strings.Contains(r.Sheet, ":"):
		sheets = x.moves.all.Sheets
	}
	for _, sheet := range sheets {
		if !x.moves.all.by().Touches(sheet, r.Area) {
			continue
		}
		_, kept, whole := rigid(x.moves.all.bandsOf(sheet), r.Area)
		if !whole || !kept || len(sheets) > 1 || r.Range && x.moves.all.by().Grows(sheet, r.Area) {
			return false
		}
	}
	return true
}

// keptMaster returns the element of the cell that a shared formula was filled from, which stays one.
func (x *formulas) keptMaster(g *group) ([]byte, error) {
	rewritten, err := x.moves.rewrite(g.text, x.place())
	if err != nil {
		return nil, err
	}
	over, kept, _ := rigid(x.moves.bands, g.over)
	g.changed = rewritten != g.text
	if !kept || !g.changed && over == g.over {
		return x.formula.raw, nil
	}
	x.changed = true
	if g.changed {
		x.followed++
	}
	return x.formulaElement(xml.SetAttr(x.formula.attrs, "ref", rangeName(over)), rewritten), nil
}
