package formula

import (
	"slices"

	"mooring/placements"
)

// pasted is a sheet before and after the rows of a block in columns B to D were cut and pasted elsewhere, and cells shifted then, one by one.
type pasted struct {
	before, after model
	by            Shifts
}

func newPasted(rows []int, by Shifts) *pasted {
	p := &pasted{newModel(), newModel(), by}
	for c := blockLeft; c <= blockRight; c++ {
		clear(p.after[c][:len(rows)])
		for row, to := range rows {
			p.after[c][to] = p.before[c][row]
		}
	}
	for _, s := range by {
		s.Right = min(s.Right, modelColumns-1)
		p.after.shift(s)
	}
	return p
}

// reads is how a formula reads afterwards by the rule of Rearrangement.Rewrite, which is tried here cell by cell.
func (p *pasted) reads(text string) string {
	var b []byte
	done := 0
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		if !ok {
			return string(append(b, text[done:]...))
		}
		if o.corners > 0 && o.on("Data", "Data") {
			area, kept := p.area(o.area())
			b, done = o.spell(b, text, done, area, kept)
		}
	}
}

// area are the cells that a reference names afterwards.
func (p *pasted) area(a placements.Rect) (placements.Rect, bool) {
	shifted, kept := p.by.Area("Data", a)
	if a.Left < blockLeft || a.Right > blockRight || a.Top >= len(p.before[a.Left]) {
		return shifted, kept
	}
	left := p.after.after(p.before.sorted(p.before.within(a)))
	if len(left) == 0 {
		return placements.Rect{}, false
	}
	if kept && slices.Equal(p.after.sorted(p.after.within(shifted)), left) {
		return shifted, true
	}
	hull := placements.Rect{Top: placements.MaxRow, Left: a.Left, Right: a.Right}
	for row := range p.after[a.Left] {
		if slices.ContainsFunc(left, func(n int) bool { return p.after[a.Left][row] == n }) {
			hull.Top, hull.Bottom = min(hull.Top, row), row
		}
	}
	if !slices.Equal(p.after.sorted(hull), left) {
		return shifted, kept
	}
	if a.Bottom == placements.MaxRow && a.Top < a.Bottom {
		hull.Bottom = placements.MaxRow
	}
	return hull, true
}

// within is an area as far as the model reaches.
func (m model) within(a placements.Rect) placements.Rect {
	a.Bottom = min(a.Bottom, len(m[a.Left])-1)
	a.Top = min(a.Top, a.Bottom+1)
	return a
}
