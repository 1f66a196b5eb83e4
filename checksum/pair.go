package checksum

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"
)

// pairRows finds which row each edited row of theirs continues (decisions.md §7a, "Edited rows"). What stays unpaired was inserted.
func (m *merge) pairRows() {
	m.pairHistory()
	m.continueByKey()
	m.pairByKey()
	m.knownInserted()
	m.pairByPlace()
	m.pairByColumns()
	m.pairByCells()
	m.pairLast()
	for _, t := range m.loose.theirs {
		if m.left(t) || m.state[t] == inserted {
			m.state[t] = edited
		}
	}
}

// open lists the rows of theirs that are not decided yet.
func (m *merge) open() (rows []int) {
	for _, t := range m.loose.theirs {
		if m.left(t) {
			rows = append(rows, t)
		}
	}
	return rows
}

// asLeftover passes over rows that a write which was not completed left: they are Mooring's and go.
func (m *merge) asLeftover() {
	theirs, rows := m.leftTheirs()
	if len(m.last.Others) == 0 || len(theirs) == 0 {
		return
	}
	for i, other := range matchEqual(m.last.Others, theirs, 0).toA {
		if other != none {
			m.state[rows[i]] = leftover
		}
	}
}

// pairHistory pairs the rows that still are as the last write left a person's cells in them.
func (m *merge) pairHistory() {
	theirs, rows := m.leftTheirs()
	m.history = make(map[int]*EditedRow, len(m.last.Edited))
	kept := make([]uint64, len(m.last.Edited))
	for i := range m.last.Edited {
		e := &m.last.Edited[i]
		m.history[e.Row] = e
		kept[i] = RowFingerprint(e.Kept)
	}
	for i, t := range matchEqual(kept, theirs, 0).toB {
		if b := m.last.Edited[i].Row; t != none && m.rows.toB[b] == none {
			m.continues(rows[t], b)
		}
	}
}

// continues notes that row t of theirs is an edit of row b of base.
func (m *merge) continues(t, b int) {
	m.rows.pair(b, t)
	m.state[t] = edited
	m.stand(t, int(m.next.toB[b]))
}

// replaces notes that row t of theirs is an edit of what is row o of ours now.
func (m *merge) replaces(t, o int) {
	if b := int(m.next.toA[o]); b != none && m.rows.toB[b] == none {
		m.rows.pair(b, t)
	}
	m.state[t] = edited
	m.stand(t, o)
}

// keyColumns are the columns of the key in the block as it stands.
func (m *merge) keyColumns() []int {
	if m.toOurs == nil {
		return m.key.columns
	}
	from := inverse(m.toOurs, m.ours.Columns())
	columns := make([]int, len(m.key.columns))
	for i, column := range m.key.columns {
		columns[i] = from[column]
	}
	return columns
}

// continueByKey tells by the key how rows of base continue that the source has changed, as far as their cells are known: of those that stand
// unedited and of those edited before the last write.
func (m *merge) continueByKey() {
	if m.key.rows == nil {
		return
	}
	columns := m.keyColumns()
	for b := 1; b < len(m.next.toB); b++ {
		if m.next.toB[b] != none {
			continue
		}
		row, t := []byte(nil), int(m.rows.toB[b])
		switch e := m.history[b]; {
		case e != nil:
			row = EncodeRow(e.Source)
		case t != none && m.state[t] == untouched && t < m.standing.Rows():
			row = m.standing.Row(t)
		default:
			continue
		}
		if o := m.key.row(row, columns); o != none && m.next.toA[o] == none {
			m.next.pair(b, o)
			if t != none {
				m.stand(t, o)
			}
		}
	}
}

// pairByKey pairs rows that have the key of a row of ours. Where another row has that key already, they were inserted.
func (m *merge) pairByKey() {
	if m.key.rows == nil {
		return
	}
	columns := m.keyColumns()
	for _, t := range m.open() {
		if t == 0 {
			continue
		}
		switch o := m.key.row(m.standing.Row(t), columns); {
		case o == none:
		case m.taken[o]:
			m.state[t] = inserted
		default:
			m.replaces(t, o)
		}
	}
}

// knownInserted finds the rows again that the last write knew for a person's own.
func (m *merge) knownInserted() {
	if len(m.last.Inserted) == 0 {
		return
	}
	theirs, rows := m.leftTheirs()
	for i, known := range matchEqual(m.last.Inserted, theirs, 0).toA {
		if known != none {
			m.state[rows[i]] = inserted
		}
	}
}

// pairByPlace pairs rows that stand between the same neighbours as as many rows of base. Emptied rows pair so too, unless their content was
// dragged elsewhere.
func (m *merge) pairByPlace() {
	type partners struct{ base, theirs int }
	var found []partners
	skip := func(t int) bool { return m.state[t] == inserted }
	m.rows.gaps(skip, func(from, to int, rows []int) {
		if len(rows) != to-from {
			rows = slices.DeleteFunc(slices.Clone(rows), func(t int) bool { return m.theirs[t] == EmptyRow })
		}
		for i, t := range rows {
			if len(rows) == to-from {
				found = append(found, partners{from + i, t})
			}
		}
	})
	for _, p := range found {
		switch {
		case m.theirs[p.theirs] == EmptyRow:
			m.pairEmptied(p.theirs, p.base)
		case m.left(p.theirs):
			m.continues(p.theirs, p.base)
		default: // which row of ours it stands for is known already
			m.rows.pair(p.base, p.theirs)
			if m.pick[p.theirs] == none {
				m.stand(p.theirs, int(m.next.toB[p.base]))
			}
		}
	}
}

// pairEmptied keeps a row empty that a person emptied in its place, unless the whole block was cleared or its rows were moved.
func (m *merge) pairEmptied(t, b int) {
	if m.last.Fingerprints[b] == EmptyRow || m.moved > 0 || m.cleared() || slices.Contains(m.below, m.last.Fingerprints[b]) {
		return
	}
	m.rows.pair(b, t)
	if o := m.next.toB[b]; o != none && !m.taken[o] {
		m.stand(t, int(o))
		m.state[t] = emptied
	}
}

// free lists the rows of ours that an edited row of theirs may continue: nothing stands for them, nor for the row of base that they were. A row
// that was none of base may be what an unknown one became, as long as there are such.
func (m *merge) free() (rows []int, unknown int) {
	for _, b := range m.loose.base {
		if m.rows.toB[b] == none && m.next.toB[b] == none {
			unknown++
		}
	}
	for _, o := range m.loose.ours {
		b := m.next.toA[o]
		if o > 0 && !m.taken[o] && (b != none && m.rows.toB[b] == none || b == none && unknown > 0) {
			rows = append(rows, o)
		}
	}
	return rows, unknown
}

// claim lets row t of theirs continue row o of ours, one of free, and reports whether it may.
func (m *merge) claim(t, o int, unknown *int) bool {
	if m.taken[o] || !m.left(t) {
		return false
	}
	if m.next.toA[o] == none {
		if *unknown == 0 {
			return false
		}
		*unknown--
	}
	m.replaces(t, o)
	return true
}

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
	for column := 0; column < columns && len(free) > 0; column++ {
		open := m.open()
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

// valueAt is the fingerprint of a row's cell in a column, 0 for an empty one.
func valueAt(row []byte, column int) uint64 {
	cell := encodedCell(row, column)
	switch Kind(cell[0]) {
	case Empty:
		return 0
	case Number:
		var scratch [9]byte
		cell = roundedNumber(scratch[:0], cell)
	}
	return xxh3.Hash(cell)
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
		if o := ours.find(value); seen[value] || o != none && m.taken[o] && m.next.toA[o] != none && m.asBefore(int(m.rows.toB[m.next.toA[o]])) {
			return false
		}
		seen[value] = true
	}
	return true
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
	open := m.open()
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

// pairLast pairs the one row that is left on each side.
func (m *merge) pairLast() {
	open, base := m.open(), none
	for _, b := range m.loose.base {
		if m.rows.toB[b] != none {
			continue
		}
		if base != none {
			return
		}
		base = b
	}
	if len(open) != 1 || open[0] == 0 || base == none {
		return
	}
	t := open[0]
	m.continues(t, base)
	if free, _ := m.free(); m.pick[t] == none && m.next.toB[base] == none && len(free) == 0 {
		m.standForNew(t)
	}
}

// standForNew lets row t stand for the only row of ours that was none of base, if there is one.
func (m *merge) standForNew(t int) {
	only := none
	for _, o := range m.loose.ours {
		if o == 0 || m.taken[o] || m.next.toA[o] != none {
			continue
		}
		if only != none {
			return
		}
		only = o
	}
	m.stand(t, only)
}
