package placements

import (
	"maps"
	"slices"
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

// maxWas bounds ParameterMark.Was.
const maxWas = 16

// names reports whether the cell was last set there, or has been followed there since.
func (m ParameterMark) names(cell string) bool {
	return cell != "" && (cell == m.Said || slices.Contains(m.Was, cell))
}

// Declared is s, which a file says of old, as it is stored: cells of old stay where they have been followed to.
func (s ParameterSettings) Declared(old *Placement) ParameterSettings {
	return s.normal().following(old.Parameters, old.Marks)
}

// following is s, which is to replace was, with each cell that is named where it was last set or has stood since: it stays where it has been
// followed to.
func (s ParameterSettings) following(was ParameterSettings, marks map[string]ParameterMark) ParameterSettings {
	for name, one := range s {
		if m, marked := marks[name]; marked && m.names(one.Cell) && was[name].Cell != "" {
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
			m.Said, m.Was, m.Named = one.Cell, nil, NameNone
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

// EqualMarks reports whether two placements keep the same of their parameters.
func EqualMarks(a, b map[string]ParameterMark) bool {
	return maps.EqualFunc(a, b, func(a, b ParameterMark) bool {
		return a.Number == b.Number && a.Said == b.Said && slices.Equal(a.Was, b.Was) && a.Named == b.Named
	})
}

// Follow notes where the cell of a parameter stands, and whether its name does. The maps of p are not changed.
func (p *Placement) Follow(name string, at Location, named NameState) {
	p.Parameters, p.Marks = maps.Clone(p.Parameters), maps.Clone(p.Marks)
	one, m := p.Parameters[name], p.Marks[name]
	if one.Cell != at.String() && !m.names(one.Cell) {
		m.Was = append(slices.Clip(m.Was[max(0, len(m.Was)-maxWas+1):]), one.Cell)
	}
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
