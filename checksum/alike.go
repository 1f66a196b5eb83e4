package checksum

import (
	"cmp"
	"slices"
)

// looking lists the rows of theirs that may stand for a row of ours yet.
func (m *merge) looking() (rows []int) {
	for _, t := range m.loose.theirs {
		if m.left(t) || m.adrift(t) {
			rows = append(rows, t)
		}
	}
	return rows
}

// pairByColumns pairs rows by the first column of texts that are distinct in base, ours and theirs, which names them, and then by the
// others; a row that is new in the source never with one of another name. Numbers pair nothing: two rows that have nothing to do with each
// other may both have 18.
func (m *merge) pairByColumns() {
	free, unknown := m.free()
	named := naming{merge: m}
	from := m.columnsFrom()
	for column := 0; column < min(len(from), maxKeyColumn) && len(free) > 0; column++ {
		open := m.looking()
		if len(open) == 0 {
			return
		}
		if from[column] == none {
			continue
		}
		pairs := m.sharing(open, free, from[column], column)
		if len(pairs) == 0 || !named.distinct(from[column], column) {
			continue
		}
		for _, p := range pairs {
			if m.next.toA[p.ours] != none || !named.apart(p.theirs, p.ours) {
				m.claim(p.theirs, p.ours, &unknown)
			}
		}
	}
}

// twin is a row of theirs that may be a row of ours.
type twin struct{ theirs, ours, equal int }

// sharing lists rows of theirs and ours that have the same text in a column.
func (m *tables) sharing(open, free []int, ofTheirs, ofOurs int) []twin {
	rows := make(map[uint64]int, len(free))
	for _, o := range free {
		if text := textAt(m.ours.Row(o), ofOurs); text != 0 {
			rows[text] = o
		}
	}
	var pairs []twin
	for _, t := range open {
		if o, ok := rows[textAt(m.standing.Row(t), ofTheirs)]; ok && t > 0 {
			pairs = append(pairs, twin{theirs: t, ours: o})
		}
	}
	return pairs
}

// unedited reports whether row t of theirs is a row of base as the last write left it.
func (m *merge) unedited(t int) bool {
	return m.state[t] == untouched && m.rows.toA[t] != none && t < m.standing.Rows()
}

// asBefore reports whether row t of theirs is one of base that neither a person nor the source has changed.
func (m *merge) asBefore(t int) bool {
	return t != none && m.state[t] == untouched && m.rows.toA[t] != none && m.same(int(m.rows.toA[t]))
}

// mostAlike bounds how many rows may have a value by which pairByCells looks for them.
const mostAlike = 32

// pairByCells pairs rows that have enough cells in common, those with the most first.
func (m *merge) pairByCells() {
	free, unknown := m.free()
	open := m.looking()
	if len(free) == 0 || len(open) == 0 {
		return
	}
	alike := m.alike(open, free)
	slices.SortFunc(alike, func(a, b twin) int {
		return cmp.Or(-cmp.Compare(a.equal, b.equal), cmp.Compare(a.theirs, b.theirs), cmp.Compare(a.ours, b.ours))
	})
	for _, p := range alike {
		m.claim(p.theirs, p.ours, &unknown)
	}
}

// place is a value in a column of ours.
type place struct {
	column int
	value  Cell
}

// alike lists rows of theirs and ours with at least half of their filled cells in common, with three quarters where the row of ours is new
// in the source and the column that names rows says that they are two.
func (m *merge) alike(open, free []int) (pairs []twin) {
	named := naming{merge: m}
	places := map[place][]int{}
	ours := make(map[int]int, len(free)) // filled cells
	var cells []Cell
	for _, o := range free {
		cells = m.ours.Cells(o, cells[:0])
		for column, c := range cells {
			if c.Kind != Empty {
				at := place{column, c.rounded()}
				places[at] = append(places[at], o)
				ours[o]++
			}
		}
	}
	for _, t := range open {
		if t == 0 {
			continue
		}
		filled, equal := 0, map[int]int{}
		cells = m.standing.Cells(t, cells[:0])
		for column, c := range cells {
			if c.Kind == Empty {
				continue
			}
			filled++
			if rows := places[place{m.column(column), c.rounded()}]; len(rows) <= mostAlike {
				for _, o := range rows {
					equal[o]++
				}
			}
		}
		for o, n := range equal {
			most := max(filled, ours[o])
			if 2*n < most || 4*n < 3*most && m.next.toA[o] == none && named.apart(t, o) {
				continue
			}
			pairs = append(pairs, twin{t, o, n})
		}
	}
	return pairs
}
