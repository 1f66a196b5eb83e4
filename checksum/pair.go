package checksum

import "slices"

// open lists the rows of theirs that are not decided yet.
func (m *merge) open() (rows []int) {
	for _, t := range m.loose.theirs {
		if m.left(t) {
			rows = append(rows, t)
		}
	}
	return rows
}

// adrift reports whether row t of theirs is an edit of a row of base of which it is not known how the source goes on with it.
func (m *merge) adrift(t int) bool {
	b := m.rows.toA[t]
	return t > 0 && m.state[t] == edited && m.pick[t] == none && b != none && m.next.toB[b] == none
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

// knownInserted finds the rows again that the last write knew for a person's own.
func (m *merge) knownInserted() {
	if len(m.last.Inserted) == 0 {
		return
	}
	theirs, rows := m.leftTheirs()
	m.areInserted(theirs, rows)
	theirs, rows = theirs[:0], rows[:0]
	for _, t := range m.open() {
		if row, ok := m.loosely[t]; ok {
			theirs, rows = append(theirs, row), append(rows, t)
		}
	}
	m.areInserted(theirs, rows)
}

// areInserted notes which rows of theirs, with those fingerprints, the last write knew for a person's own.
func (m *merge) areInserted(theirs []uint64, rows []int) {
	for i, known := range matchEqual(m.last.Inserted, theirs, 0).toA {
		if known != none {
			m.state[rows[i]] = inserted
		}
	}
}

// free lists the rows of ours that an edited row of theirs may continue: nothing stands for them, nor for the row of base that they were.
// A row that was none of base may be what an unknown one became, as long as there are such.
func (m *merge) free() (rows []int, unknown int) {
	for _, b := range m.loose.base {
		if m.rows.toB[b] == none && m.next.toB[b] == none {
			unknown++
		}
	}
	some := unknown > 0 || slices.ContainsFunc(m.loose.theirs, m.adrift)
	for _, o := range m.loose.ours {
		b := m.next.toA[o]
		if o > 0 && !m.taken[o] && (b != none && m.rows.toB[b] == none || b == none && some) {
			rows = append(rows, o)
		}
	}
	return rows, unknown
}

// claim lets row t of theirs continue row o of ours, one of free, and reports whether it may.
func (m *merge) claim(t, o int, unknown *int) bool {
	switch {
	case m.taken[o]:
		return false
	case m.adrift(t):
		if m.next.toA[o] != none {
			return false
		}
		m.next.pair(int(m.rows.toA[t]), o)
		m.stand(t, o)
		return true
	case !m.left(t):
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
