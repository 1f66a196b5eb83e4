package checksum

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"
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

// maxKeyColumn bounds the columns that are looked at for distinct texts. What names a row stands at the front of a table, and each
// further column of the widest ones would cost a walk through all rows.
const maxKeyColumn = 64

// pairByColumns pairs rows by the first column of texts that are distinct in base, ours and theirs, which names them, and then by the
// others; a row that is new in the source never with one of another name. Numbers pair nothing: two rows that have nothing to do with each
// other may both have 18.
func (m *merge) pairByColumns() {
	free, unknown := m.free()
	named := sync.OnceValues(m.naming)
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
		if len(pairs) == 0 || !m.distinct(from[column], column) {
			continue
		}
		for _, p := range pairs {
			if m.next.toA[p.ours] != none || !m.namedApart(p.theirs, p.ours, named) {
				m.claim(p.theirs, p.ours, &unknown)
			}
		}
	}
}

// columnsFrom is, for each column of ours, which one of the block as it stands it continues, none without one.
func (m *merge) columnsFrom() []int {
	if m.toOurs != nil {
		return inverse(m.toOurs, m.ours.Columns())
	}
	from := make([]int, m.ours.Columns())
	for i := range from {
		from[i] = i
	}
	return from
}

// twin is a row of theirs that may be a row of ours.
type twin struct{ theirs, ours, equal int }

// sharing lists rows of theirs and ours that have the same text in a column.
func (m *merge) sharing(open, free []int, ofTheirs, ofOurs int) []twin {
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

// textAt is the fingerprint of the text in a row's cell, 0 for any other cell.
func textAt(row []byte, column int) uint64 {
	if cell := encodedCell(row, column); Kind(cell[0]) == Text {
		return xxh3.Hash(cell)
	}
	return 0
}

// texts are the fingerprints of the texts in a column, 0 for an empty cell and in those rows to skip. ok is false where a cell below the
// header holds something else. It hashes on all processors.
func (g *Grid) texts(column int, skip map[int]bool) (texts []uint64, ok bool) {
	texts = make([]uint64, g.rows)
	var other atomic.Bool
	parallel(len(g.pages), func(from, to int) {
		for at := from; at < to && !other.Load(); at++ {
			p := &g.pages[at]
			for i := range p.ends {
				if at := p.first + i; at > 0 && !skip[at] {
					cell := encodedCell(p.row(i), column)
					switch Kind(cell[0]) {
					case Text:
						texts[at] = xxh3.Hash(cell)
					case Empty:
					default:
						other.Store(true)
						return
					}
				}
			}
		}
	})
	return texts, !other.Load()
}

// distinct reports whether a column holds texts, none of them twice in ours, in theirs or, as far as its cells are known, in base. In rows
// that a person changed other cells may stand there.
func (m *merge) distinct(ofTheirs, ofOurs int) bool {
	texts, ok := m.ours.texts(ofOurs, nil)
	if !ok {
		return false
	}
	ours, ok := newValueIndex(texts)
	return ok && m.distinctInBase(ours, ofTheirs) && m.distinctInTheirs(ours, ofTheirs)
}

// distinctInTheirs reports whether no text stands twice in a column of theirs, and no other cell in a row that nobody edited. ours are the
// texts of that column in ours.
func (m *merge) distinctInTheirs(ours valueIndex, column int) bool {
	seen := map[uint64]bool{}
	for t := 1; t < min(len(m.theirs), m.standing.Rows()); t++ {
		if m.asBefore(t) {
			continue // it has the text of its row in ours
		}
		row := m.standing.Row(t)
		text := textAt(row, column)
		if text == 0 {
			if m.unedited(t) && Kind(encodedCell(row, column)[0]) != Empty {
				return false
			}
			continue
		}
		if seen[text] || m.stoodFor(ours.find(text)) {
			return false
		}
		seen[text] = true
	}
	return true
}

// distinctInBase is distinctInTheirs for the rows of base whose cells are known though the source has changed or dropped them: those that
// stand unedited, and those edited before the last write.
func (m *merge) distinctInBase(ours valueIndex, column int) bool {
	seen := map[uint64]bool{}
	var text uint64
	for b := 1; b < len(m.next.toB); b++ {
		if m.same(b) {
			continue
		}
		switch e, t := m.history[b], int(m.rows.toB[b]); {
		case e != nil:
			text = textAt(EncodeRow(e.Source), column)
		case t != none && m.unedited(t):
			text = textAt(m.standing.Row(t), column)
		default:
			continue
		}
		if text == 0 {
			continue
		}
		o := ours.find(text)
		if seen[text] || o != none && m.next.toA[o] != none && m.same(int(m.next.toA[o])) {
			return false
		}
		seen[text] = true
	}
	return true
}

// unedited reports whether row t of theirs is a row of base as the last write left it.
func (m *merge) unedited(t int) bool {
	return m.state[t] == untouched && m.rows.toA[t] != none && t < m.standing.Rows()
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
	named := sync.OnceValues(m.naming)
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
			if 2*n < most || 4*n < 3*most && m.next.toA[o] == none && m.namedApart(t, o, named) {
				continue
			}
			pairs = append(pairs, twin{t, o, n})
		}
	}
	return pairs
}

// naming is the first column of distinct texts, in theirs and in ours; none without one.
func (m *merge) naming() (ofTheirs, ofOurs int) {
	for column, from := range m.columnsFrom() {
		if column < maxKeyColumn && from != none && m.distinct(from, column) {
			return from, column
		}
	}
	return none, none
}

// namedApart reports whether a row of theirs and one of ours have other texts in the column that names rows.
func (m *merge) namedApart(t, o int, naming func() (ofTheirs, ofOurs int)) bool {
	ofTheirs, ofOurs := naming()
	if ofOurs == none {
		return false
	}
	theirs, ours := textAt(m.standing.Row(t), ofTheirs), textAt(m.ours.Row(o), ofOurs)
	return theirs != 0 && ours != 0 && theirs != ours
}
