package xlsx

import (
	"mooring/checksum"
	"mooring/refresh/host"
)

// shown notes a row that is shown now.
func (x *sheetPatch) shown(row int) {
	x.done.Shown = host.MergeSpans(append(x.done.Shown, checksum.Span{From: row, To: row + 1}))
}

// shown notes the rows of a sheet that are shown now as cells moved there, each at the patch whose shifts moved them: the last one above.
func (w *writer) shown(sheet string, rows []int) {
	for _, row := range rows {
		var by *sheetPatch
		for _, p := range w.patches {
			above := p.Block.Sheet == sheet && len(p.Shifts) > 0 && p.Block.Anchor.Row <= row
			if above && (by == nil || by.Block.Anchor.Row < p.Block.Anchor.Row) {
				by = p
			}
		}
		if by != nil {
			by.shown(row)
		}
	}
}
