package plan

import (
	"slices"

	"mooring/checksum"
)

// Last is what is known of the last write to a block: what Mooring remembers, or else what an add-in reported, or nothing.
type Last struct {
	Completed *checksum.Baseline // by the last write that was completed; nil unless Mooring wrote last
	// Begun is, by writes since then that were not completed, the newest first; of several with the same columns the newest, with the rows of
	// the others.
	Begun  []checksum.Baseline
	Report *checksum.ResultChecksum // of an add-in, version 2
	Said   checksum.Extent          // of the block as Report has it
	Extent checksum.Extent          // of Mooring's own last write
	// Formats are the number formats that it gave to the columns; nil where it is not known to have given any.
	Formats []string
	Held    Held // by it
	// Generations are those of Completed, or of Report, and of the writes since.
	Generations Generations
	// Overwritten is what the writes that were not completed may have replaced.
	Overwritten []OverwrittenRow
}

// base is the block as Mooring or an add-in left it, for comparison with what stands in stands. Attempts that died between their write and
// their end may have left what they intended.
func (l Last) base(stands *checksum.Grid) checksum.Baseline {
	base := l.completed(stands)
	if len(l.Begun) == 0 {
		return base
	}
	return checksum.Likeliest(base, l.Begun, stands.Block())
}

// completed is the block as the last completed write left it. An add-in's digest only shows which chunks are untouched: the rows of the
// others count as edited. Without a digest its cells are taken as it left them.
func (l Last) completed(stands *checksum.Grid) checksum.Baseline {
	if l.Completed != nil {
		return *l.Completed
	}
	if l.Extent == (checksum.Extent{}) {
		return checksum.Baseline{}
	}
	base := checksum.Baseline{BlockRows: stands.Block()}
	if l.Report == nil {
		return base
	}
	held := make([]bool, len(base.Fingerprints))
	for _, s := range l.Report.Held(stands) {
		for i := s.From; i < min(s.To, len(held)); i++ {
			held[i] = true
		}
	}
	for i := range held {
		if !held[i] {
			base.Fingerprints[i] = ^base.Fingerprints[i]
		}
	}
	return base
}

// known reports whether fingerprints of rows that Mooring wrote are remembered.
func (l Last) known() bool { return l.Completed != nil || len(l.Begun) > 0 }

// Written are the writes that are remembered: the one that was completed, then those since.
func (l Last) Written() []checksum.Baseline {
	if l.Completed == nil {
		return l.Begun
	}
	return append([]checksum.Baseline{*l.Completed}, l.Begun...)
}

// Reach returns how far the block may reach.
func (l Last) Reach() checksum.Extent {
	reach := l.Extent.Union(l.Said)
	for _, begun := range l.Begun {
		reach = reach.Union(begun.Extent())
	}
	return reach
}

// unfinished are the writes that were not completed, as a write that is to leave next is to remember them: any of them may have left what
// stands, and an agent that was held up may still carry one out which others have abandoned. Of those whose columns are known from next or from
// the completed write the rows are enough, the newest first, without those of the completed one.
func (l Last) unfinished(next checksum.Baseline, mostRows int) (whole []checksum.Baseline, rows []uint64) {
	if len(l.Begun) == 0 {
		return nil, nil
	}
	done := map[uint64]bool{}
	if l.Completed != nil {
		done = l.Completed.Set()
	}
	add := func(list []uint64) {
		for _, row := range list {
			if !done[row] && len(rows) < mostRows {
				rows = append(rows, row)
			}
		}
	}
	for _, begun := range l.Begun {
		if begun.SameColumns(next) || l.Completed != nil && begun.SameColumns(*l.Completed) || slices.ContainsFunc(whole, begun.SameColumns) {
			add(begun.Fingerprints)
		} else if begun := begun; len(whole) < otherWrites {
			begun.Others = nil
			whole = append(whole, begun)
		}
		add(begun.Others)
	}
	return whole, rows
}

// otherWrites is how many writes in a row that were not completed are remembered.
const otherWrites = 8
