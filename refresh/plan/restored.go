package plan

import (
	"fmt"

	"mooring/checksum"
	"mooring/placements"
)

// waysOutRestored is what to do about a restored block that holds what the backup does not know.
const waysOutRestored = "refresh once with onEdit \"overwrite\", which keeps what it replaces in the run, " +
	"or move what people typed out of the block and delete those rows"

// doubtful is the conflict of a restored block with rows that neither the backup nor the report has: whether a person typed them, or
// Mooring wrote them after the backup, is not known. Kept as edits they would stay forever beside the rows that followed them.
func (p *decider) doubtful(m *checksum.Merged) *placements.Fault {
	if p.Restored == "" || p.OnEdit == placements.Overwrite {
		return nil
	}
	rows := m.Strange
	if !p.View.Marked && p.extent.Rows > 0 { // the block may have grown since: without a marker its old size is all that is known
		for i, row := range p.below() {
			if at := p.extent.Rows + i; at >= len(p.Block.Fingerprints) || row != p.Block.Fingerprints[at] {
				rows = append(rows, at)
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return Conflict("%s in the block at %s %s neither as the backup has %s nor as the report: the placement was restored at %s, "+
		"and people may have typed %s, or Mooring may have written %s after the backup: %s",
		shortList(p.ranges(rows)), spot(p.View, 0, 0), Plural(len(rows), "is", "are"), it(rows), p.Restored, it(rows), it(rows), waysOutRestored)
}

func it(rows []int) string { return Plural(len(rows), "it", "them") }

// ranges names the cells of rows of the block, neighbours in one range.
func (p *decider) ranges(rows []int) (list []string) {
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
