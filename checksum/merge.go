package checksum

// Merge compares what stands in the sheet with what was written last and with what is to be written, as decisions.md §7a says. Rows are
// found by their fingerprints wherever they stand: only a row that equals none of base or ours was edited. key finds edited rows again;
// the zero RowKey finds none.
func Merge(last Baseline, theirs Theirs, ours *Grid, block BlockRows, key RowKey) Merged {
	m := &merge{tables: tables{
		last: &last, standing: theirs.Grid, wide: theirs.Block.Columns, takes: theirs.Rows, below: theirs.Below, loosely: theirs.Loosely,
		ours: ours, block: block, key: key,
		theirs: standingRows(last.Fingerprints, theirs.Block.Fingerprints, block.Fingerprints),
	}}
	if theirs.Stood != nil {
		m.stood = standingRows(last.Fingerprints, theirs.Stood, block.Fingerprints)
	}
	m.layout()
	m.matchRows()
	m.standRows()
	if !last.Restored {
		m.pairRows()
		return m.compose()
	}
	strange := m.strange()
	m.pairRows()
	out := m.compose()
	out.Strange = out.concerned(strange)
	return out
}

// pairRows finds which row each edited row of theirs continues (decisions.md §7a, "Edited rows"). What stays unpaired was inserted.
func (m *merge) pairRows() {
	places := placer{merge: m}
	m.pairHistory()
	m.continueByKey()
	m.continueByTexts()
	m.pairByKey()
	m.knownInserted()
	places.pair()
	m.pairByColumns()
	m.pairByCells()
	places.pairLeft()
	m.moved = m.rows.moved()
	for _, t := range m.loose.theirs {
		if m.left(t) || m.state[t] == inserted {
			m.state[t] = edited
		}
	}
}
