package checksum

import "slices"

// strange lists the rows of theirs that are filled and that neither the last write left nor ours has, ascending. It is asked before edited
// rows are paired.
func (m *merge) strange() []int {
	fingerprints, rows := m.leftTheirs()
	if len(m.state) > 0 && m.state[0] == edited { // a header that stands for base's, but is another
		fingerprints, rows = slices.Insert(fingerprints, 0, m.theirs[0]), slices.Insert(rows, 0, 0)
	}
	known := slices.Clone(m.last.Inserted)
	for _, e := range m.last.Edited {
		known = append(known, RowFingerprint(e.Kept))
	}
	var strange []int
	for i, partner := range matchEqual(known, fingerprints, 0).toA {
		if partner == none {
			strange = append(strange, rows[i])
		}
	}
	return strange
}

// concerned returns those of some rows of theirs that are in Edited or in Lost.
func (m *Merged) concerned(rows []int) (list []int) {
	is := map[int]bool{}
	for _, t := range m.Edited {
		is[t] = true
	}
	for _, c := range m.Lost {
		is[c.Row] = true
	}
	for _, t := range rows {
		if is[t] {
			list = append(list, t)
		}
	}
	return list
}

// asRestored passes over rows that a write after the backup left and that the source has still: they are Mooring's and go, where the rows
// of ours that they equal are found elsewhere. As often as ours has such a row and base has not, it is no person's copy.
func (m *merge) asRestored() {
	fingerprints, rows := m.leftTheirs()
	if !m.last.Restored || len(rows) == 0 {
		return
	}
	newer := map[uint64]int{}
	for _, row := range m.block.Fingerprints {
		newer[row]++
	}
	for _, row := range m.last.Fingerprints {
		newer[row] = max(0, newer[row]-1)
	}
	for t, o := range m.pick {
		b := m.rows.toA[t]
		if o != none && m.theirs[t] == m.block.Fingerprints[o] && (b == none || m.last.Fingerprints[b] != m.theirs[t]) {
			newer[m.theirs[t]]--
		}
	}
	for i, row := range fingerprints {
		if newer[row] > 0 {
			newer[row]--
			m.state[rows[i]] = leftover
		}
	}
}

// Under returns l, or ours in its place if the header that stands is that of ours and not l's. Of a block that was restored l may be older
// than the columns that stand, and then tells nothing of the rows below them.
func (l Baseline) Under(stands []Cell, ours *Grid, block BlockRows) Baseline {
	if l.Header == nil || len(stands) == 0 || ours.Rows() == 0 || slices.EqualFunc(stands, l.Header, Cell.Same) {
		return l
	}
	header := ours.Cells(0, nil)
	if !slices.EqualFunc(stands, header, Cell.Same) {
		return l
	}
	return Baseline{BlockRows: block, Header: header, Restored: true}
}
