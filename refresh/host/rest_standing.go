package host

import (
	"cmp"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// standing is a block that a session read: where it was found, and where the session's own writes have moved it since.
type standing struct {
	sheet      string // its id
	found, now placements.Anchor
	columns    int
	marked     bool // by its marker, which must stand there
	reading
}

// reading is what of a block was read.
type reading struct {
	size     checksum.Extent // from the anchor; zero once it was written over
	cells    *checksum.Grid
	formulas []Formula
	texts    []bool // columns that have a cell of the format @, in which numbers become text
}

// standings are the blocks of a session.
type standings []standing

// put notes a block that was just read.
func (s *standings) put(v View, r reading) {
	r.cells, r.formulas = v.Cells, v.Formulas
	read := standing{sheet: v.SheetID, found: v.Anchor, now: v.Anchor, columns: v.Extent.Columns, marked: v.Marked, reading: r}
	if old := s.at(v.SheetID, v.Anchor); old != nil {
		*old = read
		return
	}
	*s = append(*s, read)
}

// at is the block that was found at a place, nil if none was.
func (s standings) at(sheet string, found placements.Anchor) *standing {
	for i := range s {
		if s[i].sheet == sheet && s[i].found == found {
			return &s[i]
		}
	}
	return nil
}

// wrote notes that placed were written: each has its marker now, and what stood below them has moved.
func (s standings) wrote(placed []placedPatch) {
	for i := range s {
		s[i].now = movedBy(placed, s[i].sheet, s[i].now)
	}
	for _, p := range placed {
		if old := s.at(p.sheet, p.Block.Anchor); old != nil {
			old.marked, old.columns = true, p.Extent.Columns
			old.size, old.cells, old.formulas = checksum.Extent{}, nil, nil
		}
	}
}

// placedPatch is a patch, where its block stands before the Write and after it, and how wide its shifts are.
type placedPatch struct {
	*Patch
	index     int // among the patches that the caller gave
	sheet     string
	at, after placements.Anchor
	wide      int
	found     []Held // what the document holds otherwise than it was written
}

// movedBy is where a cell of a sheet that stands outside the patches' blocks is once their shifts were made. Both count from the
// sheet's corner.
func movedBy(placed []placedPatch, sheet string, cell placements.Anchor) placements.Anchor {
	moved := cell
	for _, p := range placed {
		if p.sheet == sheet && cell.Row > p.at.Row && cell.Column >= p.at.Column && cell.Column < p.at.Column+p.wide {
			moved.Row += p.grows()
		}
	}
	return moved
}

// bottomUp puts patches in an order in which none moves another before that is written, and sets where their blocks stand afterwards.
func bottomUp(placed []placedPatch) {
	slices.SortStableFunc(placed, func(a, b placedPatch) int { return cmp.Compare(b.at.Row, a.at.Row) })
	for i := range placed {
		placed[i].after = movedBy(placed, placed[i].sheet, placed[i].at)
	}
}

// checkShifts refuses shifts that would move a part of another block's columns only.
func (f restFaults) checkShifts(document string, placed []placedPatch, read standings) error {
	for _, p := range placed {
		if p.grows() == 0 {
			continue
		}
		for _, other := range read {
			below := other.sheet == p.sheet && other.now.Row > p.at.Row
			if below && tears(p.at.Column, p.at.Column+p.wide, other.now.Column, other.now.Column+other.columns) {
				return f.say(placements.Conflict, nil, "The rows below %s on sheet %q of the spreadsheet %q cannot be moved: the report at %s reaches "+
					"beyond the columns that would move. Place one of the two elsewhere, or refresh without moving rows.",
					p.at, p.Block.Sheet, document, other.now)
			}
		}
	}
	return nil
}

// tears reports whether columns [left, right) hold some but not all of [from, to).
func tears(left, right, from, to int) bool {
	return from < right && to > left && (from < left || to > right)
}
