package plan

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// Last is what is known of the last write to a block: what Mooring remembers, or else what an add-in reported, or nothing.
type Last struct {
	Completed *checksum.Last           // by the last write that was completed; nil unless Mooring wrote last
	Begun     *checksum.Last           // by a write since then that was not completed; nil without any
	Report    *checksum.ResultChecksum // of an add-in, version 2
	Said      checksum.Extent          // of the block as Report has it
	Extent    checksum.Extent          // of Mooring's own last write
	// Formats are the number formats that it gave to the columns; nil where it is not known to have given any.
	Formats []string
	Held    Held // by it
	// Generations are those of Completed, or of Report, and of the writes since.
	Generations Generations
	// Overwritten is what the write that was not completed may have replaced, if it was this run's.
	Overwritten []OverwrittenRow
}

// base is the block as Mooring or an add-in left it, for comparison with what stands in stands. An attempt that died between its write and
// its end may have left what it intended.
func (l Last) base(stands *checksum.Grid) checksum.Last {
	done := l.completed(stands)
	if l.Begun == nil {
		return done
	}
	return checksum.Likelier(done, *l.Begun, stands.Block())
}

// completed is the block as the last completed write left it. An add-in's digest only shows which chunks are untouched: the rows of the
// others count as edited. Without a digest its cells are taken as it left them.
func (l Last) completed(stands *checksum.Grid) checksum.Last {
	if l.Completed != nil {
		return *l.Completed
	}
	if l.Extent == (checksum.Extent{}) {
		return checksum.Last{}
	}
	base := checksum.Last{Block: stands.Block()}
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
func (l Last) known() bool { return l.Completed != nil || l.Begun != nil }

// Reach returns how far the block may reach.
func (l Last) Reach() checksum.Extent {
	reach := l.Extent.Union(l.Said)
	if l.Begun == nil {
		return reach
	}
	return reach.Union(l.Begun.Extent())
}

// others are the rows that writes which were not completed may leave, the newest first, without those of the last completed one. An agent
// that was held up may still carry out a write which other agents have abandoned, so that they need not stand there yet.
func (l Last) others(most int) (rows []uint64) {
	if l.Begun == nil {
		return nil
	}
	done := map[uint64]bool{}
	if l.Completed != nil {
		for _, row := range l.Completed.Fingerprints {
			done[row] = true
		}
	}
	for _, row := range slices.Concat(l.Begun.Fingerprints, l.Begun.Others) {
		if !done[row] && len(rows) < most {
			rows = append(rows, row)
		}
	}
	return rows
}

// reported is the rectangle of the first rows that stand as an add-in reported them: the end that it said proves nothing.
func (p *decider) reported() (e checksum.Extent) {
	if p.Last.Report == nil {
		return e
	}
	held := p.Last.Report.Held(p.View.Cells.Crop(p.Last.Said))
	if len(held) > 0 && held[0].From == 0 {
		e = checksum.Extent{Rows: held[0].To, Columns: p.Last.Said.Columns}
	}
	return e
}

// unlike is the conflict of rows that are not as the add-in said that wrote the block last. They may be anybody's: no edits of the block.
func (p *decider) unlike(m *checksum.Merged) *placements.Fault {
	if p.Last.Completed != nil || p.Last.Report == nil || p.base.Begun || p.doubt != nil || p.OnEdit == placements.Overwrite || len(m.Edited) == 0 {
		return nil
	}
	rows := m.Edited
	return Conflict("%s in the block at %s %s not as the client said that wrote there last, and may hold what is not the report's: "+
		"refresh once with onEdit \"overwrite\", which keeps what it replaces in the run, or clear %s",
		shortList(p.ranges(rows)), spot(p.View, 0, 0), Plural(len(rows), "is", "are"), it(rows))
}
