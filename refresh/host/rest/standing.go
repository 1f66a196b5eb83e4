package rest

import (
	"cmp"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// standing is a block that a session read: where it was found, and where the session's own writes have moved it since.
type standing struct {
	sheet      string // its id
	found, Now placements.Anchor
	known      placements.Anchor // where it stood when it was read or written
	made       []*PlacedPatch    // that have moved cells since: formulas may read otherwise now
	rows       int
	columns    int
	Marked     bool // by its marker, which must stand there
	Reading
}

// Reading is what of a block was read.
type Reading struct {
	Size     checksum.Extent // from the anchor; zero once it was written over
	Cells    *checksum.Grid
	Formulas []host.Formula
	Texts    []bool // columns that have a cell of the format @, in which numbers become text
	Hiding   Hiding // of the rows read, where the service tells it along with them
}

// Standings are the blocks of a session.
type Standings []standing

// Put notes a block that was just read.
func (s *Standings) Put(v host.View, r Reading) {
	r.Cells, r.Formulas = v.Cells, v.Formulas
	read := standing{
		sheet: v.SheetID, found: v.Anchor, Now: v.Anchor, known: v.Anchor,
		rows: v.Extent.Rows, columns: v.Extent.Columns, Marked: v.Marked, Reading: r,
	}
	if old := s.At(v.SheetID, v.Anchor); old != nil {
		*old = read
		return
	}
	*s = append(*s, read)
}

// At is the block that was found at a place, nil if none was.
func (s Standings) At(sheet string, found placements.Anchor) *standing {
	for i := range s {
		if s[i].sheet == sheet && s[i].found == found {
			return &s[i]
		}
	}
	return nil
}

// With returns the standings and a block that is marked, whether it was read or not.
func (s Standings) With(sheet string, at placements.Anchor, e checksum.Extent) Standings {
	return append(slices.Clip(s), standing{sheet: sheet, found: at, Now: at, rows: e.Rows, columns: e.Columns, Marked: true})
}

// Below returns the formulas of the row directly below a patch's block, and the columns that have a cell of the format @, where what was
// read reaches that far.
func (s Standings) Below(p *PlacedPatch) (formulas []host.Formula, texts []bool, ok bool) {
	read := s.At(p.Sheet, p.Block.Anchor)
	if read == nil || len(read.made) > 0 || read.Size.Rows <= p.Had.Rows || read.Size.Columns < p.Wide {
		return nil, nil, false
	}
	for _, f := range read.Formulas {
		if f.Row == p.Had.Rows {
			formulas = append(formulas, f)
		}
	}
	return formulas, read.Texts, true
}

// Wrote notes that placed were written: each has its marker now, and what stood below them has moved.
func (s Standings) Wrote(placed []PlacedPatch) {
	var made []*PlacedPatch
	for i := range placed {
		if p := &placed[i]; len(p.Shifts)+len(p.Moves) > 0 {
			made = append(made, p.structure())
		}
	}
	for i := range s {
		s[i].made = append(s[i].made, made...)
		s[i].Now = movedBy(placed, s[i].sheet, s[i].Now)
	}
	for _, p := range placed {
		if old := s.At(p.Sheet, p.Block.Anchor); old != nil {
			old.Marked, old.rows, old.columns = true, p.Extent.Rows, p.Extent.Columns
			old.Size, old.Cells, old.Formulas = checksum.Extent{}, nil, nil
			old.known, old.made = old.Now, nil
		}
	}
}

// PlacedPatch is a patch, where its block stands before the Write and after it, and how many columns its shifts move.
type PlacedPatch struct {
	*host.Patch
	Index     int    // among the caller's patches
	Sheet     string // its id
	Title     string // and its name
	At, After placements.Anchor
	Wide      int
	Had       checksum.Extent // of the block before
	Found     []host.Held     // what the document holds otherwise than it was written
}

// movedBy is where a cell of a sheet that stands outside the patches' blocks is once their shifts were made, in the order of the patches.
// Both count from the sheet's corner.
func movedBy(placed []PlacedPatch, sheet string, cell placements.Anchor) placements.Anchor {
	for _, p := range placed {
		if p.Sheet == sheet && cell.Row > p.At.Row && cell.Column >= p.At.Column && cell.Column < p.At.Column+p.Wide {
			cell = p.shifted(cell)
		}
	}
	return cell
}

// BottomUp puts patches in an order in which none moves another before that is written, and sets where their blocks stand afterwards.
func BottomUp(placed []PlacedPatch) {
	slices.SortStableFunc(placed, func(a, b PlacedPatch) int { return cmp.Compare(b.At.Row, a.At.Row) })
	for i := range placed {
		placed[i].After = movedBy(placed, placed[i].Sheet, placed[i].At)
	}
}

// CheckShifts refuses shifts that would tear one of the blocks apart: those of only some of its columns, and those of rows beside it.
func (f Faults) CheckShifts(document string, placed []PlacedPatch, blocks Standings) error {
	for i := range placed {
		for k := range blocks {
			switch p, other := &placed[i], &blocks[k]; {
			case p.tears(other):
				return f.Say(placements.Conflict, nil,
					"The rows below %s on sheet %q of the spreadsheet %q cannot be moved: the report at %s reaches "+
						"beyond the columns that would move. Place one of the two elsewhere, or refresh without moving rows.",
					p.At, p.Block.Sheet, document, other.Now)
			case p.opens(other):
				return f.Say(placements.Conflict, nil,
					"The rows of the report at %s on sheet %q of the spreadsheet %q cannot be moved: the report at %s stands beside "+
						"them, in columns that would move along. Place one of the two elsewhere, or refresh without moving rows.",
					p.At, p.Block.Sheet, document, other.Now)
			}
		}
	}
	return nil
}
