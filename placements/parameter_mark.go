package placements

import (
	"maps"
	"strings"
)

// ParameterMark is what is kept of a parameter that a placement takes from a cell, or once took. Its hidden name in the document has a number.
type ParameterMark struct {
	Number int    `json:"n"`           // given once for each parameter
	Said   string `json:"s,omitempty"` // the cell as it was last set: the parameter's Cell follows where people move it
	// Named says whether the name is of that cell.
	Named NameState `json:"m,omitempty"`
}

// NameState says whether a document has a name for the cell of a parameter.
type NameState int

// The states.
const (
	NameNone  NameState = iota // not of that cell: what is read is what stands at the address
	NameGiven                  // an add-in was to give it
	NameStood                  // it stood there at the last run
	NameLost                   // it does no more: the last run found the cell deleted
)

// normal is s with its cells as they are stored: upper case, no $.
func (s ParameterSettings) normal() ParameterSettings {
	var list ParameterSettings
	for name, one := range s {
		if list == nil {
			list = make(ParameterSettings, len(s))
		}
		if l, err := ParseLocation(one.Cell); one.Cell != "" && err == nil {
			one.Cell = l.String()
		}
		list[name] = one
	}
	return list
}

// following is s, which is to replace was, with each cell that is named where it was last set: it stays where it has been followed to.
func (s ParameterSettings) following(was ParameterSettings, marks map[string]ParameterMark) ParameterSettings {
	for name, one := range s {
		if m, marked := marks[name]; marked && one.Cell != "" && one.Cell == m.Said && was[name].Cell != "" {
			one.Cell = was[name].Cell
			s[name] = one
		}
	}
	return s
}

// marks are those of a placement that says s from now on, and was and old before; here says that it stays in its document, anew that s was said
// just now by a person, for whom the address of a cell that was deleted is that of another.
func (s ParameterSettings) marks(was ParameterSettings, old map[string]ParameterMark, here, anew bool) map[string]ParameterMark {
	var marks map[string]ParameterMark
	last := 0
	put := func(name string, m ParameterMark) {
		if marks == nil {
			marks = make(map[string]ParameterMark, len(old)+len(s))
		}
		marks[name] = m
	}
	for name, m := range old {
		last = max(last, m.Number)
		if one := s[name]; one.Cell == "" || one.Cell != was[name].Cell || !here || anew && m.Named == NameLost {
			m.Said, m.Named = one.Cell, NameNone
		}
		put(name, m)
	}
	for _, name := range s.names() {
		if _, known := old[name]; !known && s[name].Cell != "" {
			last++
			put(name, ParameterMark{Number: last, Said: s[name].Cell})
		}
	}
	return marks
}

// checkParameterCells returns the *Error that refuses a cell inside the block of p itself: refreshes write there.
func checkParameterCells(p Placement) error {
	at, r, ok := p.Standing()
	var wrong []Detail
	for _, name := range p.Parameters.names() {
		l, err := ParseLocation(p.Parameters[name].Cell)
		if !ok || err != nil || !strings.EqualFold(l.Sheet, at.Sheet) || !r.Intersects(l.rect()) {
			continue
		}
		wrong = append(wrong, Detail{
			Pointer: "/parameters/" + pointerName(name) + "/cell", Code: CodeParameterCell,
			Message: "lies inside the block of the report itself, where refreshes write: choose a cell outside",
		})
	}
	if len(wrong) == 0 {
		return nil
	}
	return Faulty(wrong...)
}

// rect is the rectangle.
func (l Location) rect() Rect {
	end := l.End()
	return Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}
}

// Follow notes where the cell of a parameter stands, and whether its name does. The maps of p are not changed.
func (p *Placement) Follow(name string, at Location, named NameState) {
	p.Parameters, p.Marks = maps.Clone(p.Parameters), maps.Clone(p.Marks)
	one, m := p.Parameters[name], p.Marks[name]
	if one.Cell = at.String(); m.Named == NameLost {
		m.Named = NameNone
	}
	m.Named = max(m.Named, named)
	p.Parameters[name], p.Marks[name] = one, m
}

// Lose notes that the cell of a parameter was deleted. The maps of p are not changed.
func (p *Placement) Lose(name string) {
	if m, marked := p.Marks[name]; marked && m.Named != NameNone {
		p.Marks = maps.Clone(p.Marks)
		m.Named = NameLost
		p.Marks[name] = m
	}
}
