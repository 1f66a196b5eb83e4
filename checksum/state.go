package checksum

import "sync"

// merge is a Merge in progress.
type merge struct {
	tables
	rows    pairing    // base and theirs
	next    pairing    // base and ours: how a row of base continues
	state   []rowState // by row of theirs
	pick    []int32    // by row of theirs: the row of ours that it stands for, none without one
	taken   []bool     // by row of ours: a row of theirs stands for it
	loose   looseRows
	moved   int                // rows of theirs
	history map[int]*EditedRow // by row of base
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

// matchRows pairs the rows that were not changed: of theirs with base, and of base with ours.
func (m *merge) matchRows() {
	if m.toOurs == nil { // else only the rows that stand tell how base continues
		var continued sync.WaitGroup
		continued.Go(m.continueRows)
		defer continued.Wait()
	}
	m.rows = matchEqual(m.last.Fingerprints, m.theirs, 0)
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
