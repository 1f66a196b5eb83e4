package checksum

import (
	"cmp"
	"math/bits"
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

// maxKeyColumn bounds the columns that are looked at for distinct values. What names a row stands at the front of a table, and each
// further column of the widest ones would cost a walk through all rows.
const maxKeyColumn = 64

// pairByColumns pairs rows by the first column whose values are distinct in ours and in theirs, and then by the others.
func (m *merge) pairByColumns() {
	free, unknown := m.free()
	columns := m.ours.Columns()
	from := make([]int, columns)
	for i := range from {
		from[i] = i
	}
	if m.toOurs != nil {
		from = inverse(m.toOurs, columns)
	}
	for column := 0; column < min(columns, maxKeyColumn) && len(free) > 0; column++ {
		open := m.looking()
		if len(open) == 0 {
			return
		}
		if from[column] == none {
			continue
		}
		pairs := m.sharing(open, free, from[column], column)
		if len(pairs) == 0 || !m.distinct(from[column], column) {
			continue
		}
		for _, p := range pairs {
			m.claim(p.theirs, p.ours, &unknown)
		}
	}
}

// twin is a row of theirs that may be a row of ours.
type twin struct{ theirs, ours, equal int }

// sharing lists rows of theirs and ours that have the same value in a column.
func (m *merge) sharing(open, free []int, ofTheirs, ofOurs int) []twin {
	rows := make(map[uint64]int, len(free))
	for _, o := range free {
		if value := valueAt(m.ours.Row(o), ofOurs); value != 0 {
			rows[value] = o
		}
	}
	var pairs []twin
	for _, t := range open {
		if o, ok := rows[valueAt(m.standing.Row(t), ofTheirs)]; ok && t > 0 {
			pairs = append(pairs, twin{theirs: t, ours: o})
		}
	}
	return pairs
}

// column is the value of each cell in a column. It hashes on all processors.
func (g *Grid) column(column int) []uint64 {
	cells := make([]uint64, g.rows)
	parallel(len(g.pages), func(from, to int) {
		for at := from; at < to; at++ {
			p := &g.pages[at]
			for i := range p.ends {
				cells[p.first+i] = valueAt(p.row(i), column)
			}
		}
	})
	return cells
}

// distinct reports whether no value stands twice in a column of ours, nor in that of theirs.
func (m *merge) distinct(ofTheirs, ofOurs int) bool {
	ours, ok := newValueIndex(m.ours.column(ofOurs))
	if !ok {
		return false
	}
	seen := map[uint64]bool{}
	for t := 1; t < min(len(m.theirs), m.standing.Rows()); t++ {
		if m.asBefore(t) {
			continue // it has the value of its row in ours
		}
		value := valueAt(m.standing.Row(t), ofTheirs)
		if value == 0 {
			continue
		}
		if seen[value] || m.stoodFor(ours.find(value)) {
			return false
		}
		seen[value] = true
	}
	return true
}

// stoodFor reports whether a row as it was before stands for row o of ours.
func (m *merge) stoodFor(o int) bool {
	return o != none && m.taken[o] && m.next.toA[o] != none && m.asBefore(int(m.rows.toB[m.next.toA[o]]))
}

// asBefore reports whether row t of theirs is one of base that neither a person nor the source has changed.
func (m *merge) asBefore(t int) bool {
	return t != none && m.state[t] == untouched && m.rows.toA[t] != none && m.same(int(m.rows.toA[t]))
}

// valueIndex finds the row of a column by its value. Values are hashes: their top bits choose a slot, and the next free one is taken.
type valueIndex struct {
	column []uint64
	rows   []int32 // by slot: 1 + the row
	shift  int
}

// newValueIndex holds the values of a column below its header; ok is false when one stands there twice.
func newValueIndex(column []uint64) (x valueIndex, ok bool) {
	size := bits.Len(uint(2 * len(column)))
	x = valueIndex{column: column, rows: make([]int32, 1<<size), shift: 64 - size}
	for row := 1; row < len(column); row++ {
		if column[row] == 0 {
			continue // empty
		}
		slot := x.slot(column[row])
		if x.rows[slot] != 0 {
			return valueIndex{}, false
		}
		x.rows[slot] = int32(row + 1)
	}
	return x, true
}

// slot is where a value is, or would be.
func (x valueIndex) slot(value uint64) uint64 {
	slot := value >> x.shift
	for x.rows[slot] != 0 && x.column[x.rows[slot]-1] != value {
		slot = (slot + 1) & uint64(len(x.rows)-1)
	}
	return slot
}

// find is the row that has a value, none without one.
func (x valueIndex) find(value uint64) int { return int(x.rows[x.slot(value)]) - 1 }

// mostAlike bounds how many rows may have a value by which pairByCells looks for them.
const mostAlike = 32

// pairByCells pairs rows that have at least half of their cells in common, those with the most first.
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

// alike lists rows of theirs and ours with at least half of their filled cells in common.
func (m *merge) alike(open, free []int) (pairs []twin) {
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
			if 2*n >= max(filled, ours[o]) {
				pairs = append(pairs, twin{t, o, n})
			}
		}
	}
	return pairs
}
