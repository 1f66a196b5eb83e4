package checksum

import "slices"

// Merged is what three tables say of each other: base, written last; theirs, standing in the sheet now; ours, the new one.
type Merged struct {
	Edited    []int // rows of theirs that a person changed or inserted, ascending
	Deleted   []int // rows of base that a person deleted and ours still has, ascending
	Conflicts []int // those of Edited that ours changed or dropped as well, ascending

	theirs, ours Block
	rows         []pick // the table that keeps the person's rows
}

// A pick is a row of theirs or of ours.
type pick struct {
	theirs bool
	row    int
}

// Merge compares what stands in the sheet, cropped to where the block stands, with what was written last and what is to be
// written. Rows are aligned by their fingerprints, since a person may have inserted or deleted some. A row that already
// stands as ours has it is no edit, whoever wrote it: a run that died after its write finds nothing to complain about.
func Merge(base, theirs, ours Block) Merged {
	m := Merged{theirs: theirs, ours: ours}
	m.theirs.Fingerprints = standing(base.Fingerprints, theirs.Fingerprints, ours.Fingerprints)
	w := walk{base: base.Fingerprints, theirs: m.theirs.Fingerprints, ours: ours.Fingerprints, m: &m}
	w.all()
	return m
}

// standing is theirs with the empty rows at its end that the block has: hosts tell of too few, or of some below the block.
func standing(base, theirs, ours []uint64) []uint64 {
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
		theirs = append(theirs, emptyRow)
	}
	return theirs
}

// filled is the number of rows up to the last non-empty one.
func filled(rows []uint64) int {
	n := len(rows)
	for n > 0 && rows[n-1] == emptyRow {
		n--
	}
	return n
}

// Overwrite is the plan, relative to theirs as it stands, whose result is exactly ours.
func (m *Merged) Overwrite() Plan { return Diff(m.theirs, m.ours) }

// OverwriteShift is Overwrite for a host that can shift.
func (m *Merged) OverwriteShift() Plan { return DiffShift(m.theirs, m.ours) }

// Keep is the plan, relative to theirs as it stands, whose result is Kept: the rows of Edited stay as they are, everything
// else becomes ours. Its rows are rows of Kept, to be written over Kept's columns.
func (m *Merged) Keep() Plan { return Diff(m.theirs, m.kept()) }

// KeepShift is Keep for a host that can shift: edited rows move with their cells.
func (m *Merged) KeepShift() Plan { return DiffShift(m.theirs, m.kept()) }

// Kept is ours with the rows of Edited in their place. Without edited rows it is ours itself.
func (m *Merged) Kept(theirs, ours *Grid) *Grid {
	if len(m.Edited) == 0 {
		return ours
	}
	var b Builder
	for _, p := range m.rows {
		from := ours
		if p.theirs {
			from = theirs
		}
		b.encoded(from.Row(p.row))
	}
	g := b.Grid()
	g.columns = m.kept().Columns
	return g
}

// kept is Kept as a block. It is as wide as theirs and ours, so that no row is cut and a row written covers what stood there.
func (m *Merged) kept() Block {
	if len(m.Edited) == 0 {
		return m.ours
	}
	k := Block{Fingerprints: make([]uint64, len(m.rows)), Columns: max(m.theirs.Columns, m.ours.Columns)}
	for i, p := range m.rows {
		if p.theirs {
			k.Fingerprints[i] = m.theirs.Fingerprints[p.row]
		} else {
			k.Fingerprints[i] = m.ours.Fingerprints[p.row]
		}
	}
	return k
}
