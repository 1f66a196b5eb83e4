package rest

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/formula"
)

// Band sets how many columns the patch's shifts move: those of the block, before and after, and all up to the last that FillRight names.
// Columns behind the sheet's last are not there to be moved.
func (p *PlacedPatch) Band(had, columns int) {
	p.Wide = max(p.Extent.Columns, had)
	if p.FillRight.To > 0 {
		p.Wide = max(p.Wide, min(p.FillRight.To, columns)-p.At.Column)
	}
}

// Fills are the columns that formulas are filled down in, relative to the block; an empty span for none.
func (p *PlacedPatch) Fills() checksum.Span {
	if p.FillRight.To == 0 {
		return checksum.Span{}
	}
	from := max(p.FillRight.From-p.At.Column, p.Extent.Columns)
	return checksum.Span{From: from, To: max(from, p.FillRight.To-p.At.Column)}
}

// origins are the rows that the block's rows were before the patch's shifts, -1 for those that it gained.
func (p *PlacedPatch) origins() []int {
	rows := make([]int, p.Had)
	for i := range rows {
		rows[i] = i
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

// Filling is the row whose formulas are filled down, as it was before the shifts and as it is afterwards, and the rows that are
// filled.
type Filling struct {
	Was, Is int
	Gained  []checksum.Span
}

// Filling returns what is to be filled down beside the block. ok is false when nothing is: the block gains no rows, or had none.
func (p *PlacedPatch) Filling() (f Filling, ok bool) {
	if columns := p.Fills(); columns.From == columns.To {
		return f, false
	}
	for row, was := range p.origins() {
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

// GrowsAtEnd reports whether rows are inserted directly below the block, which ranges that end in its last row do not notice.
func (p *PlacedPatch) GrowsAtEnd() bool {
	rows := p.Had
	for _, s := range p.Shifts {
		if s.Rows > 0 && s.At == rows {
			return true
		}
		rows += s.Rows
	}
	return false
}

// shifted is where a cell of the band stands once the patch's shifts were made.
func (p *PlacedPatch) shifted(cell placements.Anchor) placements.Anchor {
	for _, s := range p.Shifts {
		if at := p.At.Row + s.At; cell.Row >= at {
			cell.Row = max(cell.Row+s.Rows, at)
		}
	}
	return cell
}

// tears reports whether the patch's shifts would move a part of another block only, delete some of its rows, or open it.
func (p *PlacedPatch) tears(other *standing) bool {
	left, right := other.Now.Column, other.Now.Column+max(other.columns, 1)
	if other.sheet != p.Sheet || other.Now == p.At || right <= p.At.Column || left >= p.At.Column+p.Wide {
		return false
	}
	top, bottom := other.Now.Row, other.Now.Row+max(other.rows, 1)
	if p.Grows() == 0 && top >= p.At.Row+p.Had {
		return false // it is moved there and back
	}
	whole := left >= p.At.Column && right <= p.At.Column+p.Wide
	for _, s := range p.Shifts {
		at := p.At.Row + s.At
		if bottom <= at {
			continue
		}
		if !whole || top < max(at, at-s.Rows) {
			return true
		}
		top, bottom = top+s.Rows, bottom+s.Rows
	}
	return false
}

// Shifting are the shifts of a patch on a sheet of that name, in the sheet's rows and columns.
func (p *PlacedPatch) Shifting(sheet string) (list formula.Shifts) {
	block := placements.Rect{
		Top: p.At.Row, Bottom: p.At.Row + p.Had - 1, Left: p.At.Column, Right: p.At.Column + p.Wide - 1,
	}
	for _, s := range p.Shifts {
		list = append(list, formula.Shift{
			Sheet: sheet, Left: block.Left, Right: block.Right, Row: p.At.Row + s.At, Rows: s.Rows, Block: block,
		})
		block.Bottom += s.Rows
	}
	return list
}
