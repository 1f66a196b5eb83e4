package checksum

import "slices"

// placer pairs rows by where they stand.
type placer struct {
	merge           *merge
	asked, anyMoved bool
}

// movedAny reports whether rows stand in another order, by the pairs that are known when it is first asked: few merges need to know.
func (m *placer) movedAny() bool {
	if !m.asked {
		m.asked, m.anyMoved = true, m.merge.rows.moved() > 0
	}
	return m.anyMoved
}

// neighbour is a row of theirs that stands where a row of base stood, by the rows around both.
type neighbour struct{ base, theirs int }

// neighbours lists, gap by gap, rows that stand between the same two rows as as many rows of base.
func (m *placer) neighbours() (gaps [][]neighbour) {
	skip := func(t int) bool { return m.merge.state[t] == inserted }
	m.merge.rows.gaps(skip, func(from, to int, rows []int) {
		if len(rows) != to-from {
			rows = slices.DeleteFunc(slices.Clone(rows), func(t int) bool { return m.merge.theirs[t] == EmptyRow })
		}
		if len(rows) != to-from {
			return
		}
		gap := make([]neighbour, len(rows))
		for i, t := range rows {
			gap[i] = neighbour{from + i, t}
		}
		gaps = append(gaps, gap)
	})
	return gaps
}

// pair pairs the rows of gaps whose rows still stand in order, as far as their cells tell: when every row of a long gap was edited,
// and they were sorted too, place says nothing of them.
func (m *placer) pair() {
	for _, gap := range m.neighbours() {
		if len(gap) == 1 || m.inOrder(gap) {
			m.pairGap(gap)
		}
	}
}

// pairLeft pairs the rows by place that nothing else distinguishes.
func (m *placer) pairLeft() {
	if len(m.merge.open()) == 0 {
		return
	}
	for _, gap := range m.neighbours() {
		m.pairGap(gap)
	}
}

// inOrder reports whether at least half of the rows of a gap share half of their filled cells with the row of ours that they would
// continue, as far as that is known.
func (m *placer) inOrder(gap []neighbour) bool {
	strange := 0
	var theirs, ours []Cell
	for _, n := range gap {
		o := m.merge.next.toB[n.base]
		if o == none || m.merge.theirs[n.theirs] == EmptyRow {
			continue
		}
		theirs, ours = m.merge.standing.Cells(n.theirs, theirs[:0]), m.merge.ours.Cells(int(o), ours[:0])
		if !m.merge.halfEqual(theirs, ours) {
			strange++
		}
	}
	return 2*strange <= len(gap)
}

// pairGap pairs the rows of a gap. Emptied rows pair so too, unless their content was dragged elsewhere.
func (m *placer) pairGap(gap []neighbour) {
	for _, n := range gap {
		switch {
		case m.merge.theirs[n.theirs] == EmptyRow:
			m.pairEmptied(n.theirs, n.base)
		case m.merge.left(n.theirs):
			m.merge.continues(n.theirs, n.base)
		default: // which row of ours it stands for is known already
			m.merge.rows.pair(n.base, n.theirs)
			if m.merge.pick[n.theirs] == none {
				m.merge.stand(n.theirs, int(m.merge.next.toB[n.base]))
			}
		}
	}
}

// pairEmptied keeps a row empty that a person emptied in its place, unless the whole block was cleared, its rows were moved or a write of
// them was broken off.
func (m *placer) pairEmptied(t, b int) {
	if m.merge.last.Fingerprints[b] == EmptyRow || m.movedAny() || m.merge.cleared() || slices.Contains(m.merge.below, m.merge.last.Fingerprints[b]) {
		return
	}
	if _, kept := slices.BinarySearchFunc(m.merge.last.Edited, b, func(e EditedRow, b int) int { return e.Row - b }); m.merge.last.Begun && !kept {
		return // it may never have been written
	}
	m.merge.rows.pair(b, t)
	if o := m.merge.next.toB[b]; o != none && !m.merge.taken[o] {
		m.merge.stand(t, int(o))
		m.merge.state[t] = emptied
	}
}
