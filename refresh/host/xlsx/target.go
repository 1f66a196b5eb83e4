package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
)

// target is a patch, and the block that it is for.
type target struct {
	host.Patch                   // its block's anchor is where the block stands after the shifts that are planned so far
	stood      placements.Anchor // of the block before the patches' shifts
	known      placements.Anchor // of the block when its formulas were read
	made       formula.Shifts    // by others since, as their rows count once the patch's own shifts were made
	before     checksum.Extent   // of the block as it stands, zero when no marker says so
	table      *part.Table       // that the block is; nil for none
}

// putBehind makes shifts that others made before the patch's own count as if they were made behind these: what stands below the block is
// then further down.
func (x *target) putBehind(own formula.Shifts) {
	list := slices.Clone(x.made)
	for i, at := 0, x.known; i < len(list); i++ {
		s := &list[i]
		below := s.Sheet == x.Block.Sheet && s.Row > at.Row && s.Left >= own[0].Left && s.Left <= own[0].Right
		at.Row, _ = list[i:i+1].Cell(x.Block.Sheet, at.Row, at.Column) // a block that is written was not deleted
		if below {
			s.Row += x.Grows()
			s.Block.Top += x.Grows()
			s.Block.Bottom += x.Grows()
		}
	}
	x.made = list
}

// moveBy moves a patch's block along with the cells that another patch's shifts move, and with it the table that it is.
func (x *target) moveBy(list formula.Shifts) {
	x.made = append(x.made, list...)
	a := &x.Block.Anchor
	row, ok := list.Cell(x.Block.Sheet, a.Row, a.Column)
	if !ok {
		return // refused: it would be torn
	}
	if x.table != nil {
		x.table.Area.Top += row - a.Row
		x.table.Area.Bottom += row - a.Row
	}
	a.Row = row
}

// area are the cells of the patch's block before its own shifts.
func (x *target) area() placements.Rect {
	a := x.Block.Anchor
	return placements.Rect{
		Top: a.Row, Bottom: a.Row + max(x.Extent.Rows-x.Grows(), 1) - 1,
		Left: a.Column, Right: a.Column + max(x.before.Columns, x.Extent.Columns, 1) - 1,
	}
}

// tears reports whether shifts move or delete some cells of an area and not others.
func tears(list formula.Shifts, sheet string, area placements.Rect) bool {
	for _, s := range list {
		if !strings.EqualFold(s.Sheet, sheet) || s.Row > area.Bottom || s.Left > area.Right || s.Right < area.Left {
			continue
		}
		if area.Left < s.Left || area.Right > s.Right || area.Top < s.Row+max(-s.Rows, 0) {
			return true
		}
		area.Top += s.Rows
		area.Bottom += s.Rows
	}
	return false
}

// standing is the extent that the block has in the workbook, zero when no marker says so.
func (x *target) standing(wb *part.Workbook) checksum.Extent {
	b, ok := wb.Marked(x.Block.PlacementID)
	if !ok || b.Sheet.Name != x.Block.Sheet || b.Anchor != x.Block.Anchor {
		return checksum.Extent{}
	}
	return b.Extent
}

// find finds the block's sheet, its extent before the patch, and the table that it is.
func (x *target) find(a *archive.Archive, wb *part.Workbook) error {
	in, ok := wb.Find(x.Block.Sheet)
	if !ok {
		return part.NoWorksheet(x.Block)
	}
	if a.Part(in.Part) == nil {
		return a.Broken(fmt.Errorf("part %s is missing", in.Part))
	}
	x.Block.Sheet = in.Name
	x.before = x.standing(wb)
	if len(x.Shifts) > 0 {
		x.before.Rows = x.Extent.Rows - x.Grows()
	}
	tables, err := part.Tables(a, in)
	if err != nil {
		return err
	}
	columns := x.before.Columns
	if columns == 0 {
		columns = x.Extent.Columns
	}
	for i := range tables {
		if tables[i].Is(x.Block.Anchor, columns) {
			x.table = &tables[i]
		}
	}
	return nil
}

// band returns the first and the last column of the cells that the patch's shifts insert and delete: those of the block before and after,
// of the formulas filled down beside it, and of the table that it is.
func (x *target) band() (left, right int) {
	left = x.Block.Anchor.Column
	right = left + max(x.before.Columns, x.Extent.Columns, 1) - 1
	right = max(right, x.FillRight.To-1)
	if x.table != nil {
		right = max(right, x.table.Area.Right)
	}
	return left, min(right, placements.MaxColumn)
}

// shifts returns the patch's shifts where its block stands.
func (x *target) shifts() (list formula.Shifts) {
	left, right := x.band()
	top := x.Block.Anchor.Row
	block := placements.Rect{Top: top, Bottom: top + x.Extent.Rows - x.Grows() - 1, Left: left, Right: right}
	for _, s := range x.Patch.Shifts {
		list = append(list, formula.CellShift{
			Sheet: x.Block.Sheet, Left: left, Right: right, Row: top + s.At, Rows: s.Rows, Block: block,
		})
		block.Bottom += s.Rows
	}
	return list
}
