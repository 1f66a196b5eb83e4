package checksum

import (
	"math/bits"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// naming tells rows apart by the column of texts that names them, in the state of a merge when it is first asked.
type naming struct {
	merge            *merge
	asked            bool
	ofTheirs, ofOurs int // none without such a column
}

// columns are the first column of distinct texts, in theirs and in ours; none without one.
func (m *naming) columns() (ofTheirs, ofOurs int) {
	if !m.asked {
		m.asked, m.ofTheirs, m.ofOurs = true, none, none
		for column, from := range m.merge.columnsFrom() {
			if column < maxKeyColumn && from != none && m.distinct(from, column) {
				m.ofTheirs, m.ofOurs = from, column
				break
			}
		}
	}
	return m.ofTheirs, m.ofOurs
}

// maxKeyColumn bounds the columns that are looked at for distinct texts. What names a row stands at the front of a table, and each
// further column of the widest ones would cost a walk through all rows.
const maxKeyColumn = 64

// apart reports whether a row of theirs and one of ours have other texts in the column that names rows.
func (m *naming) apart(t, o int) bool {
	ofTheirs, ofOurs := m.columns()
	if ofOurs == none {
		return false
	}
	theirs, ours := textAt(m.merge.standing.Row(t), ofTheirs), textAt(m.merge.ours.Row(o), ofOurs)
	return theirs != 0 && ours != 0 && theirs != ours
}

// distinct reports whether a column holds texts, none of them twice in ours, in theirs or, as far as its cells are known, in base. In rows
// that a person changed other cells may stand there.
func (m *naming) distinct(ofTheirs, ofOurs int) bool {
	texts, ok := m.merge.ours.texts(ofOurs, nil)
	if !ok {
		return false
	}
	ours, ok := newValueIndex(texts)
	return ok && m.distinctInBase(ours, ofTheirs) && m.distinctInTheirs(ours, ofTheirs)
}

// distinctInTheirs reports whether no text stands twice in a column of theirs, and no other cell in a row that was not edited. ours are the
// texts of that column in ours.
func (m *naming) distinctInTheirs(ours valueIndex, column int) bool {
	seen := map[uint64]bool{}
	for t := 1; t < min(len(m.merge.theirs), m.merge.standing.Rows()); t++ {
		if m.merge.asBefore(t) {
			continue // it has the text of its row in ours
		}
		row := m.merge.standing.Row(t)
		text := textAt(row, column)
		if text == 0 {
			if m.merge.unedited(t) && CellKind(encodedCell(row, column)[0]) != Empty {
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
func (m *naming) distinctInBase(ours valueIndex, column int) bool {
	seen := map[uint64]bool{}
	var text uint64
	for b := 1; b < len(m.merge.next.toB); b++ {
		if m.merge.same(b) {
			continue
		}
		switch e, t := m.merge.history[b], int(m.merge.rows.toB[b]); {
		case e != nil:
			text = textAt(EncodeRow(e.Source), column)
		case t != none && m.merge.unedited(t):
			text = textAt(m.merge.standing.Row(t), column)
		default:
			continue
		}
		if text == 0 {
			continue
		}
		o := ours.find(text)
		if seen[text] || o != none && m.merge.next.toA[o] != none && m.merge.same(int(m.merge.next.toA[o])) {
			return false
		}
		seen[text] = true
	}
	return true
}

// stoodFor reports whether a row as it was before stands for row o of ours.
func (m *naming) stoodFor(o int) bool {
	return o != none && m.merge.taken[o] && m.merge.next.toA[o] != none && m.merge.asBefore(int(m.merge.rows.toB[m.merge.next.toA[o]]))
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
					switch CellKind(cell[0]) {
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

// textAt is the fingerprint of the text in a row's cell, 0 for any other cell.
func textAt(row []byte, column int) uint64 {
	if cell := encodedCell(row, column); CellKind(cell[0]) == Text {
		return xxh3.Hash(cell)
	}
	return 0
}

// crossed reports whether one of rows [from,to) of base, which continue by their places, has the name of another's row of ours.
func (m *naming) crossed(from, to int) bool {
	ofTheirs, ofOurs := m.columns()
	if ofOurs == none {
		return false
	}
	byName := make(map[uint64]int32, to-from)
	for _, o := range m.merge.next.toB[from:to] {
		byName[textAt(m.merge.ours.Row(int(o)), ofOurs)] = o
	}
	for b := from; b < to; b++ {
		t := int(m.merge.rows.toB[b])
		if t == none || t >= m.merge.standing.Rows() {
			continue
		}
		name := textAt(m.merge.standing.Row(t), ofTheirs)
		if o, ok := byName[name]; ok && name != 0 && o != m.merge.next.toB[b] {
			return true
		}
	}
	return false
}
