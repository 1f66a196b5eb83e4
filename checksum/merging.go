package checksum

import (
	"slices"
	"sync"
)

// merge is a Merge in progress. Rows of all three tables count from their header, which is row 0.
type merge struct {
	last     *Last
	standing *Grid
	wide     int            // columns of the block as it stands
	takes    int            // rows of the sheet that it takes
	below    []uint64       // fingerprints of the rows right below it
	loosely  map[int]uint64 // by row of theirs
	theirs   []uint64       // fingerprints of standing, with the empty rows at its end that the block has
	ours     *Grid
	block    Block // of ours
	key      Key

	toOurs []int      // by column of base: that of ours, none for one that is gone; nil: they are the same
	rows   pairing    // base and theirs
	next   pairing    // base and ours: how a row of base continues
	state  []rowState // by row of theirs
	pick   []int32    // by row of theirs: the row of ours that it stands for, none without one
	taken  []bool     // by row of ours: a row of theirs stands for it
	loose  looseRows
	moved  int // rows of theirs
	// anyMoved reports whether rows stand in another order, by the pairs that are known when it is first asked: few merges need to know.
	anyMoved func() bool
	history  map[int]*EditedRow // by row of base
}

// looseRows are the rows that no equal row was found for, ascending: few, in most merges. Of theirs and ours the
// header may be one.
type looseRows struct{ base, theirs, ours []int }

// rowState is what is known of a row of theirs beside its pairs.
type rowState uint8

const (
	untouched rowState = iota
	edited             // a person changed or inserted it
	inserted           // a person's own row, which continues none; it becomes edited in the end
	emptied            // a row of base that a person emptied
	leftover           // of a write that was not completed
)

// standingRows is theirs with the empty rows at its end that the block has: hosts tell of too few, or of some below the block.
func standingRows(base, theirs, ours []uint64) []uint64 {
	full := theirs[:filled(theirs)]
	if slices.Equal(full, ours[:filled(ours)]) {
		return ours
	}
	rows := max(len(full), min(len(theirs), len(base)))
	theirs = theirs[:rows:rows]
	if filled(base) > rows {
		return theirs
	}
	for len(theirs) < len(base) {
		theirs = append(theirs, EmptyRow)
	}
	return theirs
}

// layout finds where the columns of base went in ours.
func (m *merge) layout() {
	if m.last.Header == nil || m.ours.Rows() == 0 {
		return
	}
	from, to := widened(m.last.Header, m.last.Columns), widened(m.ours.Cells(0, nil), m.ours.Columns())
	if !slices.Equal(from, to) {
		m.toOurs = mapColumns(from, to)
	}
}

// widened is cells with empty ones up to that number.
func widened(cells []Cell, columns int) []Cell {
	return append(slices.Clip(cells), make([]Cell, max(0, columns-len(cells)))...)
}

// column is where a column of the block as it stands goes in ours; none for one that is gone.
func (m *merge) column(i int) int {
	switch {
	case m.toOurs == nil:
		return i
	case i < len(m.toOurs):
		return m.toOurs[i]
	}
	return none
}

// matchRows pairs the rows that were not changed: of theirs with base, and of base with ours.
func (m *merge) matchRows() {
	if m.toOurs == nil { // else only the rows that stand tell how base continues
		var continued sync.WaitGroup
		continued.Go(m.continueRows)
		defer continued.Wait()
	}
	m.rows = matchEqual(m.last.Fingerprints, m.theirs, 0)
	m.anyMoved = sync.OnceValue(func() bool { return m.rows.moved() > 0 })
}

// standRows finds which rows of ours those stand for that were not edited.
func (m *merge) standRows() {
	if m.toOurs != nil {
		m.continueRows()
	}
	base := m.last.Fingerprints
	m.pick, m.state = make([]int32, len(m.theirs)), make([]rowState, len(m.theirs))
	m.taken = make([]bool, m.ours.Rows())
	for t, b := range m.rows.toA {
		m.pick[t] = none
		if b != none {
			m.stand(t, int(m.next.toB[b]))
		}
	}
	if len(base) > 0 && filled(m.theirs) > 0 && m.rows.toB[0] == none && m.rows.toA[0] == none {
		m.rows.pair(0, 0) // a header that was edited
		if m.theirs[0] != m.block.header() {
			m.state[0] = edited
		}
		m.stand(0, int(m.next.toB[0]))
	}
	m.loose = looseRows{
		base:   where(m.rows.toB, 1, func(t int32) bool { return t == none }),
		theirs: where(m.rows.toA, 0, func(b int32) bool { return b == none }),
		ours:   where(m.taken, 0, func(taken bool) bool { return !taken }),
	}
	m.asOurs()
	m.asRestored()
	m.asLeftover()
}

// where lists the rows from first on for which loose holds.
func where[T any](rows []T, first int, loose func(T) bool) (list []int) {
	for i := first; i < len(rows); i++ {
		if loose(rows[i]) {
			list = append(list, i)
		}
	}
	return list
}

// stand notes that row t of theirs stands for row o of ours, unless another one does.
func (m *merge) stand(t, o int) {
	if o != none && !m.taken[o] {
		m.pick[t], m.taken[o] = int32(o), true
	}
}

// continueRows finds how each row of base continues in ours: as the equal row, else as the one in the same gap.
func (m *merge) continueRows() {
	base, ours := m.last.Fingerprints, m.block.Fingerprints
	if m.toOurs != nil {
		base, ours = m.projected()
	}
	if len(base) == 0 || len(ours) == 0 {
		m.next = newPairing(len(base), len(ours))
		return
	}
	m.next = matchEqual(base, ours, 1)
	m.next.pair(0, 0)
	if m.key.rows != nil {
		return // the key knows better
	}
	type partners struct{ base, ours int }
	var found []partners
	m.next.gaps(nil, func(from, to int, rows []int) {
		for i, o := range rows {
			if to-from == len(rows) {
				found = append(found, partners{from + i, o})
			}
		}
	})
	for _, p := range found {
		m.next.pair(p.base, p.ours)
	}
}

// same reports whether the source has not changed row b of base.
func (m *merge) same(b int) bool {
	o := m.next.toB[b]
	return o != none && m.toOurs == nil && m.last.Fingerprints[b] == m.block.Fingerprints[o]
}

// projected is base and ours reduced to the columns that both have. Of base only rows that stand are known; the others differ from all.
func (m *merge) projected() (base, ours []uint64) {
	shared := make([]int, 0, len(m.toOurs))
	from := make([]int, 0, len(m.toOurs))
	for i, to := range m.toOurs {
		if to != none {
			from, shared = append(from, i), append(shared, to)
		}
	}
	theirs := m.standing.project(from).Block().Fingerprints
	base = make([]uint64, len(m.last.Fingerprints))
	for b := range base {
		base[b] = ^m.last.Fingerprints[b]
		if t := m.rows.toB[b]; t != none && int(t) < len(theirs) {
			base[b] = theirs[t]
		}
	}
	return base, m.ours.project(shared).Block().Fingerprints
}

// asOurs pairs rows left over in theirs with equal rows of ours that are not those of base: what a run wrote that died then, or what a
// person typed as the source has it.
func (m *merge) asOurs() {
	theirs, ofTheirs := m.leftTheirs()
	if len(theirs) == 0 {
		return
	}
	var ours []uint64
	var ofOurs []int
	for _, o := range m.loose.ours {
		if b := m.next.toA[o]; !m.taken[o] && (b == none || !m.same(int(b))) {
			ours, ofOurs = append(ours, m.block.Fingerprints[o]), append(ofOurs, o)
		}
	}
	for i, t := range matchEqual(ours, theirs, 0).toB {
		if t == none {
			continue
		}
		at, o := ofTheirs[t], ofOurs[i]
		m.stand(at, o)
		if b := m.next.toA[o]; b != none && m.rows.toB[b] == none {
			m.rows.pair(int(b), at)
		}
	}
}

// cleared reports whether a person emptied all below the header.
func (m *merge) cleared() bool { return filled(m.theirs) <= 1 }

// leftTheirs lists the filled rows of theirs that stand for nothing yet, by fingerprint and row.
func (m *merge) leftTheirs() (fingerprints []uint64, rows []int) {
	for _, t := range m.loose.theirs {
		if m.left(t) {
			fingerprints, rows = append(fingerprints, m.theirs[t]), append(rows, t)
		}
	}
	return fingerprints, rows
}

// left reports whether nothing is known of row t of theirs yet. An empty row belongs to neither side.
func (m *merge) left(t int) bool {
	return m.rows.toA[t] == none && m.pick[t] == none && m.state[t] == untouched && m.theirs[t] != EmptyRow
}
