package host

import (
	"slices"

	"mooring/checksum"
)

// Filling is the row of a block whose formulas beside it are filled down, as it was before the patch and as it is afterwards, and the
// rows that are filled.
type Filling struct {
	Was, Is int
	Gained  []checksum.Span
}

// FillsDown returns what is filled down beside a block that had so many rows. ok is false when nothing is: the block gains no rows, or had
// none below its header.
func (p *Patch) FillsDown(had int) (f Filling, ok bool) {
	for row, was := range p.Origins(had) {
		last := len(f.Gained) - 1
		switch {
		case was > f.Was:
			f.Was, f.Is = was, row
		case was >= 0:
		case last >= 0 && f.Gained[last].To == row:
			f.Gained[last].To++
		default:
			f.Gained = append(f.Gained, checksum.Span{From: row, To: row + 1})
		}
	}
	return f, f.Was > 0 && len(f.Gained) > 0
}

// Origins are the rows that the rows of a block were before the patch's moves and shifts, when it had so many, and -1 for those that it
// gained.
func (p *Patch) Origins(had int) []int {
	rows := make([]int, had)
	for was := range rows {
		moved := was
		for _, m := range p.Moves {
			moved = m.Follow(moved)
		}
		rows[moved] = was
	}
	for _, s := range p.Shifts {
		at := min(s.At, len(rows))
		if s.Rows < 0 {
			rows = slices.Delete(rows, at, min(at-s.Rows, len(rows)))
			continue
		}
		rows = slices.Insert(rows, at, slices.Repeat([]int{-1}, s.Rows)...)
	}
	for len(rows) < p.Extent.Rows {
		rows = append(rows, -1)
	}
	return rows[:p.Extent.Rows]
}
