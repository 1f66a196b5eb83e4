package checksum

import (
	"slices"
	"sort"
)

// Records is, by row of theirs, the row of Kept that has its record, -1 without one: as the plan of Keep has it.
func (m *Merged) Records() []int {
	rows := slices.Repeat([]int{none}, len(m.stands.Fingerprints))
	for _, r := range m.identify(m.Kept, m.KeptBlock(), m.knownKept()) {
		for i := range r.n {
			rows[r.a+i] = r.b + i
		}
	}
	return rows
}

// place is the row of Kept that row t of theirs became, -1 when it is not in Kept. Rows that a person inserted are not found.
func (m *Merged) place(t int) int {
	if t < 0 || t >= len(m.pick) || m.pick[t] == none {
		return none
	}
	o := int(m.pick[t])
	before := sort.Search(len(m.inserted), func(i int) bool { return m.inserted[i]-i > o })
	return o + before
}

// Stands is theirs as it was merged: without or with the empty rows at its end that the block has.
func (m *Merged) Stands() BlockRows { return m.stands }

// Stood is what the document holds: Stands, but for rows that are yet to be written there.
func (m *Merged) Stood() BlockRows { return m.stood }

// KeptBlock is the block of Kept.
func (m *Merged) KeptBlock() BlockRows {
	if len(m.People) == 0 {
		return m.ours
	}
	return BlockRows{m.kept, m.Kept.Columns()}
}

// identify finds the records of theirs in a table that is to take its place.
func (m *Merged) identify(g *Grid, b BlockRows, known []twin) []run {
	before, after := Contents{m.merge.standing, m.stands.Fingerprints}, Contents{g, b.Fingerprints}
	if m.merge.toOurs == nil {
		return identify(before, after, m.merge.key, m.merge.key.columns, known)
	}
	return identifyColumns(before, after, m.merge.toOurs, m.merge.key, known)
}

// identifyColumns is identify for tables of other columns: to says which column of the new table each of the one before is. Rows are told
// apart by the columns that both have.
func identifyColumns(before, after Contents, to []int, key RowKey, known []twin) []run {
	var ofBefore, ofAfter []int
	for column, at := range to {
		if at != none {
			ofBefore, ofAfter = append(ofBefore, column), append(ofAfter, at)
		}
	}
	columns := make([]int, len(key.columns))
	for i, column := range key.columns {
		columns[i] = slices.Index(ofAfter, column)
	}
	key.columns = columns
	return identify(before.project(ofBefore), after.project(ofAfter), key, columns, known)
}

// project is the table of those columns, in their order.
func (t Contents) project(columns []int) Contents {
	g := t.Grid.project(columns)
	return Contents{g, padded(g.Block().Fingerprints, len(t.Fingerprints))[:len(t.Fingerprints)]}
}

// knownOurs are the rows of theirs that a person edited, and what they are in ours.
func (m *Merged) knownOurs() (known []twin) {
	for _, t := range m.merge.loose.theirs {
		known = append(known, twin{theirs: t, ours: int(m.pick[t])})
	}
	return known
}

// knownKept are the rows of theirs that a person edited or inserted, and what they are in Kept.
func (m *Merged) knownKept() (known []twin) {
	for _, t := range m.merge.loose.theirs {
		if m.pick[t] != none {
			known = append(known, twin{theirs: t, ours: m.place(t)})
		}
	}
	for _, p := range m.People {
		if p.Ours == none {
			known = append(known, twin{theirs: p.Theirs, ours: p.Row})
		}
	}
	return known
}
