package checksum

import "slices"

// Baseline is a block as the last write left it: the base of a three-way merge. Its BlockRows hold the rows as the source had them, row 0 being
// the header.
type Baseline struct {
	BlockRows
	Header   []Cell      // nil when it is not known
	Edited   []EditedRow // rows in which cells of a person were kept, ascending
	Inserted []uint64    // fingerprints of a person's own rows that were kept, as they are or as Theirs.Loosely has them
	Others   []uint64    // fingerprints of further rows that are Mooring's: what a write that was not completed may have left
	Restored bool        // from a backup: there may have been writes since
	Begun    bool        // by a write that may not have been carried out in full: rows of it may be empty that no person emptied
}

// SameColumns reports whether both writes left the same columns.
func (l Baseline) SameColumns(other Baseline) bool {
	return l.Columns == other.Columns && slices.EqualFunc(l.Header, other.Header, Cell.Same)
}

// EditedRow is a row of a Baseline in which cells of a person were kept. Its columns are those of the Baseline.
type EditedRow struct {
	ID       string       // the caller's
	Row      int          // of the Baseline
	Source   []Cell       // what the source had
	Kept     []Cell       // what was left
	Returned map[int]bool // columns given back to the source since then; they count as long as the cell still is as Kept has it
}

// Theirs is a block as it stands.
type Theirs struct {
	Grid  *Grid
	Block BlockRows // of Grid, with the columns of the block, of which Grid may fill fewer
	Rows  int       // that the block takes, of which Grid may fill fewer; 0: nothing stands
	Below []uint64  // fingerprints of the filled rows right below the block
	// Stood, unless it is nil, is what the document holds in the place of Block's rows, of which some are yet to be written there, as if a
	// person had typed them. It may have fewer rows: the others are to come behind them.
	Stood []uint64
	// Loosely are, by row, the fingerprints by which rows are known whose cells change as the rows around them do.
	Loosely map[int]uint64
}

// Likeliest is the one of several writes that left most of the rows which stand now: the last that is known to be complete, and those since
// that may have been carried out, the newest first. The rows of the others are its Others; of all but the newest only those that the complete
// one has not, of which a person may have put a copy there.
func Likeliest(done Baseline, begun []Baseline, theirs BlockRows) Baseline {
	best, most := done, shared(done.Fingerprints, theirs.Fingerprints)
	chosen := -1 // done
	for i, b := range begun {
		if n := shared(b.Fingerprints, theirs.Fingerprints); n > most {
			best, most, chosen = b, n, i
			best.Begun = true
		}
	}
	var known map[uint64]bool
	if len(begun) > 1 {
		known = done.Set()
	}
	others := slices.Clone(done.Others)
	if chosen >= 0 {
		others = append(others, done.Fingerprints...)
	}
	for i, b := range begun {
		others = append(others, b.Others...)
		for _, row := range b.Fingerprints {
			if i != chosen && (i == 0 || !known[row]) {
				others = append(others, row)
			}
		}
	}
	best.Others = others
	return best
}

// shared is how many rows of a and b are equal, the header counting more than all others.
func shared(a, b []uint64) int {
	n := 0
	for _, partner := range matchEqual(a, b, 0).toB {
		if partner != none {
			n++
		}
	}
	if len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		n += len(b)
	}
	return n
}
