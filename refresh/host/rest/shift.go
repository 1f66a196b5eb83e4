package rest

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// Band sets how many rows and columns the block had, and how many columns the patch's shifts move: those of the block, before and after,
// and all up to the last that FillRight names. Columns behind the sheet's last are not there to be moved. Moves and shifts say by themselves
// how many rows there were, even if the marker is lost.
func (p *PlacedPatch) Band(had checksum.Extent, columns int) {
	if p.Had = had; len(p.Moves)+len(p.Shifts) > 0 {
		p.Had.Rows = max(p.Extent.Rows-p.Grows(), 0)
	}
	p.Wide = max(p.Extent.Columns, had.Columns)
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

// Filling returns what is to be filled down beside the block. ok is false when nothing is: the block gains no rows, or had none.
func (p *PlacedPatch) Filling() (f host.Filling, ok bool) {
	if columns := p.Fills(); columns.From == columns.To {
		return f, false
	}
	return p.FillsDown(p.Had.Rows)
}

// Filled are the cells of a rectangle that hold something.
func Filled(cells *checksum.Grid, formulas []host.Formula) map[host.Position]bool {
	filled := map[host.Position]bool{}
	for _, f := range formulas {
		filled[f.Position] = true
	}
	for row := range cells.Rows() {
		for column, c := range cells.Cells(row, nil) {
			if c.Kind != checksum.Empty {
				filled[host.Position{Row: row, Column: column}] = true
			}
		}
	}
	return filled
}

// Empty returns the rows among some gained in which the cell of a column is not filled. Those filled count from the first row that was
// below the block.
func (p *PlacedPatch) Empty(gained checksum.Span, column int, filled map[host.Position]bool) (empty []checksum.Span) {
	for row := gained.From; row < gained.To; row++ {
		if filled[host.Position{Row: row - p.Had.Rows, Column: column}] {
			continue
		}
		if last := len(empty) - 1; last >= 0 && empty[last].To == row {
			empty[last].To++
			continue
		}
		empty = append(empty, checksum.Span{From: row, To: row + 1})
	}
	return empty
}

// FirstRow returns the first row below the header that the shifts leave of those there were; false when there is none.
func (p *PlacedPatch) FirstRow() (row int, ok bool) {
	return p.Lines(p.Had.Rows).First()
}

// GrowsAtAnEnd reports whether rows are inserted at an end of the block's rows, which ranges that begin or end there do not notice.
func (p *PlacedPatch) GrowsAtAnEnd() bool {
	rows := p.Had.Rows
	for _, s := range p.Shifts {
		if s.Rows > 0 && (s.At == rows || s.At == 1) {
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

// meets reports whether another block stands in columns that the patch's shifts move, and whether it does with all of its own.
func (p *PlacedPatch) meets(other *standing) (some, all bool) {
	left, right := other.Now.Column, other.Now.Column+max(other.columns, 1)
	end := p.At.Column + p.Wide
	some = other.sheet == p.Sheet && other.Now != p.At && right > p.At.Column && left < end
	return some, some && left >= p.At.Column && right <= end
}

// tears reports whether the patch's shifts would move only some columns of another block. Where as many rows come as go, what stands
// below is moved there and back.
func (p *PlacedPatch) tears(other *standing) bool {
	some, all := p.meets(other)
	if p.Grows() == 0 && other.Now.Row >= p.At.Row+p.Had.Rows {
		return false
	}
	return some && !all && slices.ContainsFunc(p.Shifts, func(s checksum.Shift) bool {
		return p.At.Row+s.At < other.Now.Row+max(other.rows, 1)
	})
}

// opens reports whether the patch's shifts would insert rows into another block, or delete some of its rows.
func (p *PlacedPatch) opens(other *standing) bool {
	if _, all := p.meets(other); !all {
		return false
	}
	top, bottom := other.Now.Row, other.Now.Row+max(other.rows, 1)
	for _, s := range p.Shifts {
		at := p.At.Row + s.At
		if bottom <= at {
			continue
		}
		if top < max(at, at-s.Rows) {
			return true
		}
		top, bottom = top+s.Rows, bottom+s.Rows
	}
	return false
}
