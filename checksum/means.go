package checksum

import "slices"

// Means are the ways in which a host can change a block beside writing cells.
type Means struct {
	Shifts int  // places of a block at which rows of cells are inserted or deleted at most; 0: nothing is shifted
	Move   bool // move rows of cells, where they shift
}

// Shift reports whether rows of cells are inserted and deleted.
func (by Means) Shift() bool { return by.Shifts > 0 }

// diff is the plan that turns one block into another by those means, which takes as many rows of the sheet as Takes says. takes is how many
// the first one takes: what stands below begins behind them, also where the block's last rows are empty and base has none of them. records
// says which rows of ours are those of base.
func (by Means) diff(base BlockRows, takes int, ours BlockRows, records func() []run) RowPlan {
	if !by.Shift() || takes == 0 {
		return Diff(base, ours)
	}
	base.Fingerprints = padded(base.Fingerprints[:filled(base.Fingerprints)], takes)
	ours.Fingerprints = padded(ours.Fingerprints, by.Takes(takes, len(ours.Fingerprints)))
	runs := within(records(), len(base.Fingerprints), len(ours.Fingerprints))
	if !by.Move {
		return shift(base, ours, runs, by.Shifts)
	}
	moves, order := reorder(runs, len(base.Fingerprints))
	if len(moves) == 0 {
		return shift(base, ours, runs, by.Shifts)
	}
	moved := make([]uint64, len(order))
	for a, was := range order {
		moved[a] = base.Fingerprints[was]
	}
	plan := shift(BlockRows{moved, base.Columns}, ours, reordered(runs, order), by.Shifts)
	plan.Moves = moves
	for i, a := range plan.Gone {
		plan.Gone[i] = int(order[a])
	}
	slices.Sort(plan.Gone)
	return plan
}

// Takes is how many rows of the sheet a block of so many rows takes that took so many before. Where rows shift, a block that loses all rows
// below its headings keeps the first of them, empty: a range over them, such as a total's, would else refer to nothing, and never grow again.
func (by Means) Takes(before, rows int) int {
	if by.Shift() && before > 1 {
		return max(rows, 2)
	}
	return rows
}

// padded is rows, and empty ones behind them up to so many.
func padded(rows []uint64, to int) []uint64 {
	rows = slices.Clip(rows)
	for len(rows) < to {
		rows = append(rows, EmptyRow)
	}
	return rows
}

// Overwrite is the plan, relative to theirs as it stands, whose result is exactly ours.
func (m *Merged) Overwrite(by Means) RowPlan {
	return by.diff(m.stands, m.merge.takes, m.ours, func() []run { return m.identify(m.merge.ours, m.ours, m.knownOurs()) })
}

// Keep is the plan, relative to theirs as it stands, whose result is Kept.
func (m *Merged) Keep(by Means) RowPlan {
	kept := m.KeptBlock()
	return by.diff(m.stood, m.merge.takes, kept, func() []run { return m.identify(m.Kept, kept, m.knownKept()) })
}

// Anew is the plan that writes a table over a block whose columns a person changed. Its headings say which columns both have.
func (by Means) Anew(stands Theirs, ours *Grid, block BlockRows, key RowKey) RowPlan {
	return by.diff(stands.Block, stands.Rows, block, func() []run {
		before, after := Contents{stands.Grid, stands.Block.Fingerprints}, Contents{ours, block.Fingerprints}
		if stands.Grid.Rows() == 0 || ours.Rows() == 0 {
			return identify(before, after, RowKey{}, nil, nil)
		}
		return identifyColumns(before, after, mapColumns(stands.Grid.Cells(0, nil), ours.Cells(0, nil)), key, nil)
	})
}
