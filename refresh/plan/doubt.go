package plan

import (
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// waysOutDoubtful is what to do about a block that holds what a storage which fell back does not know.
const waysOutDoubtful = "refresh once with onEdit \"overwrite\", which keeps what it replaces in the run, " +
	"or move what people typed out of the block and delete those rows"

// doubt is why Mooring may have written to a block what is not remembered, in the words of a conflict.
type doubt struct {
	memory  string // what remembers too little
	why     string // a clause
	when    string // Mooring may have written then
	written string // the same, of columns
}

// doubted is the doubt about what the last write to the block left. Where the sheet tells itself what that was, it makes that the base.
func (p *search) doubted(shows *checksum.Grid) *doubt {
	s, ahead := p.aheadBy()
	if ahead {
		p.base = p.asStamped(s, p.base, shows)
	}
	switch {
	case p.Restored != "":
		return &doubt{
			memory: "the backup", why: "the placement was restored at " + p.Restored,
			when: "after the backup", written: "after the backup from which the placement was restored at " + p.Restored,
		}
	case ahead:
		return &doubt{
			memory: "the storage", why: "the storage is behind the sheet, and has lost the run that wrote there last",
			when: "in that run", written: "in a run that the storage has lost",
		}
	case p.Behind != "" && Generation(p.View.Stamp) == 0:
		return &doubt{
			memory: "the storage", why: "the storage came back at " + p.Behind + " without its last seconds",
			when: "in those", written: "in the last seconds before " + p.Behind + ", which the storage has lost",
		}
	}
	return nil
}

// doubtful is the conflict of a doubted block with rows that neither what is remembered nor the report has: whether a person typed them, or
// Mooring wrote them, is not known. Kept as edits they would stay forever beside the rows that followed them.
func (p *comparison) doubtful(m *checksum.Merged) *placements.Fault {
	if p.doubt == nil || p.OnEdit == placements.Overwrite {
		return nil
	}
	rows := m.Strange
	if !p.View.Marked && p.extent.Rows > 0 { // the block may have grown since: without a marker its old size is all that is known
		for i, row := range rowsBelow(p.View, p.extent) {
			if at := p.extent.Rows + i; at >= len(p.Block.Fingerprints) || row != p.Block.Fingerprints[at] {
				rows = append(rows, at)
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return Overwritable("%s in the block at %s %s neither as %s has %s nor as the report: %s, and people may have typed %s, "+
		"or Mooring may have written %s %s: %s",
		shortList(p.ranges(rows)), spot(p.View, 0, 0), Plural(len(rows), "is", "are"), p.doubt.memory, it(rows), p.doubt.why, it(rows),
		it(rows), p.doubt.when, waysOutDoubtful)
}

func it(rows []int) string { return Plural(len(rows), "it", "them") }

// ranges names the cells of rows of the block, neighbours in one range.
func (p *comparison) ranges(rows []int) (list []string) {
	last := max(p.extent.Columns, 1) - 1
	for i := 0; i < len(rows); {
		from, to := rows[i], rows[i]
		for i++; i < len(rows) && rows[i] == to+1; i++ {
			to++
		}
		list = append(list, fmt.Sprintf("%s:%s", spotCell(p.View.Anchor, from, 0), spotCell(p.View.Anchor, to, last)))
	}
	return list
}

// unlike is the conflict of rows that are not as the add-in said that wrote the block last. They may be anybody's: no edits of the block.
func (p *comparison) unlike(m *checksum.Merged) *placements.Fault {
	if p.Last.Completed != nil || p.Last.Report == nil || p.base.Begun || p.doubt != nil || p.OnEdit == placements.Overwrite || len(m.Edited) == 0 {
		return nil
	}
	rows := slices.DeleteFunc(slices.Clone(m.Edited), func(row int) bool { return p.put[row] != nil })
	if len(rows) == 0 {
		return nil
	}
	return Overwritable("%s in the block at %s %s not as the client said that wrote there last, and may hold what is not the report's: "+
		"refresh once with onEdit \"overwrite\", which keeps what it replaces in the run, or clear %s",
		shortList(p.ranges(rows)), spot(p.View, 0, 0), Plural(len(rows), "is", "are"), it(rows))
}
