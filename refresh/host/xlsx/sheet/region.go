package sheet

import (
	"cmp"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
)

// Passes read regions of sheets, each sheet in one.
type Passes struct{ list []*pass }

// pass is one pass over a sheet part, and what it reads.
type pass struct {
	sheet   part.Sheet
	regions []*region
}

// Add has a rectangle of a sheet read into what is found there, where something is likely to stand.
func (p *Passes) Add(of part.Sheet, rect placements.Rect, likely host.Likely, into *host.Found) {
	r := &region{into: into, rect: rect, likely: likely}
	for _, one := range p.list {
		if one.sheet == of {
			one.regions = append(one.regions, r)
			return
		}
	}
	p.list = append(p.list, &pass{sheet: of, regions: []*region{r}})
}

// region turns a rectangle of a sheet into a Grid.
type region struct {
	into     *host.Found
	rect     placements.Rect
	likely   host.Likely
	known    []checksum.Span // rows of the sheet that hold what is likely, ascending
	grid     checksum.Builder
	gridRow  int // rows of the grid that are complete
	gridCell int // cells of the row after them
	formulas []host.Formula
	arrays   []placements.Rect // areas filled by one formula
}

// finish hands over what was read, or why nothing was.
func (r *region) finish(document string, err error) {
	if err == nil {
		r.endRows(r.rect.Bottom + 1)
		err = r.addArrays()
	}
	if err != nil {
		r.into.Err = archive.Broken(document, err)
		return
	}
	r.into.View.Cells, r.into.View.Formulas = r.grid.Grid(), r.formulas
}

// position is a cell as seen from the rectangle's first.
func (r *region) position(a placements.Anchor) host.Position {
	return host.Position{Row: a.Row - r.rect.Top, Column: a.Column - r.rect.Left}
}

// endRows completes the grid's rows above row, a row of the sheet.
func (r *region) endRows(row int) {
	for at := r.rect.Top + r.gridRow; at < row; at = r.rect.Top + r.gridRow {
		if n := r.joined(at, row); n > 0 {
			r.gridRow += n
			continue
		}
		r.grid.EndRow()
		r.gridRow, r.gridCell = r.gridRow+1, 0
	}
}

// goTo makes the cell at a place the grid's next one.
func (r *region) goTo(row, column int) {
	r.endRows(row)
	for ; r.gridCell < column-r.rect.Left; r.gridCell++ {
		r.grid.Empty()
	}
	r.gridCell++
}

// maxFilled bounds how many cells a sheet's formulas may claim to fill within a block.
const maxFilled = 10_000_000

// addArrays adds to the formulas the cells of the rectangle that another cell's formula fills. What stands in the cell itself comes first.
func (r *region) addArrays() error {
	if len(r.arrays) == 0 {
		return nil
	}
	for _, a := range r.arrays {
		top, left := max(a.Top, r.rect.Top), max(a.Left, r.rect.Left)
		bottom, right := min(a.Bottom, r.rect.Bottom), min(a.Right, r.rect.Right)
		if (bottom-top+1)*(right-left+1)+len(r.formulas) > maxFilled {
			return fmt.Errorf("formulas fill more than %d cells", maxFilled)
		}
		for row := top; row <= bottom; row++ {
			for column := left; column <= right; column++ {
				r.formulas = append(r.formulas, host.Formula{Position: r.position(placements.Anchor{Row: row, Column: column})})
			}
		}
	}
	slices.SortStableFunc(r.formulas, func(a, b host.Formula) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	r.formulas = slices.CompactFunc(r.formulas, func(a, b host.Formula) bool { return a.Position == b.Position })
	return nil
}

// meets reports whether a segment has rows of the rectangle.
func (r *region) meets(x *archive.Segment) bool { return x.From <= r.rect.Bottom && x.To > r.rect.Top }

// reads reports whether a segment must be read to know what stands in the rectangle.
func (r *region) reads(areas []archive.Band, x *archive.Segment) bool {
	if !r.meets(x) {
		return false
	}
	at := slices.Index(areas, archive.Band{Left: r.rect.Left, Right: r.rect.Right})
	if at < 0 || x.To > r.rect.Bottom+1 {
		return true
	}
	if r.likely.Rows.Columns > r.rect.Right-r.rect.Left+1 {
		return true
	}
	likely := Known{Area: r.rect, Rows: r.likely.Rows.Fingerprints}
	digest := likely.digest(x.From, x.To)
	return digest == 0 || digest != x.Cells[at]
}

// know takes the rows of a segment for those that are likely.
func (r *region) know(x *archive.Segment) {
	if r.meets(x) {
		r.known = append(r.known, checksum.Span{From: x.From, To: x.To})
	}
}

// joined adds a known row, and those behind it, to the grid; 0 if it is not known.
func (r *region) joined(row, below int) int {
	for len(r.known) > 0 && r.known[0].To <= row {
		r.known = r.known[1:]
	}
	if len(r.known) == 0 || r.known[0].From > row {
		return 0
	}
	n := min(r.known[0].To, below) - row
	r.grid.Join(r.likely.Cells, row-r.rect.Top, row-r.rect.Top+n)
	return n
}
