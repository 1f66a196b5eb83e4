package placements

import (
	"strings"

	"mooring/checksum"
)

// Location is a cell or a rectangle of cells in A1 form, on a sheet or on none in particular.
type Location struct {
	Sheet         string // empty: the text named none
	Anchor        Anchor // the top-left corner
	Rows, Columns int    // the size; 1 × 1 for a single cell
	Range         bool   // written as a range, even one of a single cell
}

// ParseLocation reads Sheet1!B2, 'It”s'!$B$2:D20 or B2:D20. A range may name any two opposite corners. Whole rows and columns
// are refused, since a result has a corner and an end. The error is an *Error, CodeAddress.
func ParseLocation(s string) (Location, error) {
	sheet, cells, fault := splitSheet(s)
	if fault != "" {
		return Location{}, invalid(fault)
	}
	l, fault := parseCells(cells)
	if fault != "" {
		return Location{}, invalid(fault)
	}
	l.Sheet = sheet
	return l, nil
}

// End is the bottom-right corner.
func (l Location) End() Anchor {
	return Anchor{Row: l.Anchor.Row + l.Rows - 1, Column: l.Anchor.Column + l.Columns - 1}
}

// rect is the rectangle.
func (l Location) rect() Rect {
	end := l.End()
	return Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}
}

// String returns the normal form: upper case, no $, the sheet quoted only where needed, corners top-left:bottom-right.
func (l Location) String() string {
	s := l.Anchor.String()
	if l.Range {
		s += ":" + l.End().String()
	}
	if l.Sheet == "" {
		return s
	}
	return quoteSheet(l.Sheet) + "!" + s
}

// splitSheet takes the sheet name off an address and unquotes it.
func splitSheet(s string) (sheet, cells, fault string) {
	if strings.HasPrefix(s, "'") {
		sheet, cells, fault = unquoteSheet(s)
	} else {
		// Cells hold no !, so the last one ends the sheet name even where an unquoted name has its own.
		i := strings.LastIndexByte(s, '!')
		if i < 0 {
			return "", s, ""
		}
		sheet, cells = s[:i], s[i+1:]
		fault = checkUnquoted(sheet)
	}
	if fault == "" {
		fault = checkSheet(sheet)
	}
	return sheet, cells, fault
}

// checkUnquoted refuses what would mean something else to a spreadsheet.
func checkUnquoted(sheet string) string {
	if strings.HasSuffix(sheet, "'") {
		return sentence("The sheet name in %q ends with an apostrophe that no other one opens: "+
			"write it as 'Sheet name'!B2, each apostrophe inside doubled.", sheet+"!")
	}
	if strings.Contains(sheet, ":") {
		return sentence("%q spans several sheets: name a single sheet, in apostrophes if its name holds a colon.", sheet)
	}
	return ""
}

func unquoteSheet(s string) (sheet, cells, fault string) {
	var name strings.Builder
	for rest := s[1:]; ; {
		i := strings.IndexByte(rest, '\'')
		if i < 0 {
			return "", "", sentence("The apostrophe that opens the sheet name in %q is never closed: "+
				"write it as 'Sheet name'!B2, each apostrophe inside doubled.", s)
		}
		name.WriteString(rest[:i])
		rest = rest[i+1:]
		switch {
		case strings.HasPrefix(rest, "'"):
			name.WriteByte('\'')
			rest = rest[1:]
		case strings.HasPrefix(rest, "!"):
			return name.String(), rest[1:], ""
		default:
			return "", "", sentence("The quoted sheet name in %q is not followed by !: "+
				"write it as 'Sheet name'!B2, each apostrophe inside doubled.", s)
		}
	}
}

// parseCells reads B2 or B2:D20.
func parseCells(s string) (l Location, fault string) {
	if s == "" {
		return l, "The address names no cell: write a sheet and a cell, such as Sheet1!B2."
	}
	first, last, isRange := strings.Cut(s, ":")
	from, fault := parseCorner(first)
	if fault != "" {
		return l, fault
	}
	to := from
	if isRange {
		if to, fault = parseCorner(last); fault != "" {
			return l, fault
		}
	}
	if fault = checkCorners(s, from, to); fault != "" {
		return l, fault
	}
	return Location{
		Anchor:  Anchor{Row: min(from.Row, to.Row), Column: min(from.Column, to.Column)},
		Rows:    max(from.Row, to.Row) - min(from.Row, to.Row) + 1,
		Columns: max(from.Column, to.Column) - min(from.Column, to.Column) + 1,
		Range:   isRange,
	}, ""
}

// checkCorners refuses whole and open-ended columns and rows.
func checkCorners(s string, from, to corner) string {
	switch {
	case !from.hasRow && !to.hasRow:
		return sentence("%q is a whole column, and a result needs a cell to begin in: "+
			"write its first cell, such as B2, or a range such as B2:D20.", s)
	case !from.hasColumn && !to.hasColumn:
		return sentence("%q is a whole row, and a result needs a cell to begin in: "+
			"write its first cell, such as B2, or a range such as B2:D20.", s)
	case !from.hasRow || !to.hasRow || !from.hasColumn || !to.hasColumn:
		return sentence("%q has an open end, and a result needs both corners: write a range such as B2:D20, or only its first cell.", s)
	}
	return ""
}

// Rect is a rectangle of a sheet, from zero, both corners inside.
type Rect struct{ Top, Left, Bottom, Right int }

// Intersects reports whether two rectangles of one sheet share a cell.
func (r Rect) Intersects(s Rect) bool {
	return r.Top <= s.Bottom && s.Top <= r.Bottom && r.Left <= s.Right && s.Left <= r.Right
}

// Rect is the block that the placement covers on its sheet: from its anchor to endResultCell, or to the end of the range in
// resultLocation, or the anchor alone when neither is known. ok is false when the placement has no address.
func (p Placement) Rect() (r Rect, ok bool) {
	_, r, ok = p.Standing()
	return r, ok
}

// Standing is the placement's address and its Rect. ok is false when it has no address.
func (p Placement) Standing() (a Address, r Rect, ok bool) {
	if a, ok = p.Address(); !ok {
		return Address{}, Rect{}, false
	}
	end := p.end(a.Anchor)
	return a, Rect{Top: a.Anchor.Row, Left: a.Anchor.Column, Bottom: end.Row, Right: end.Column}, true
}

// Owned is the placement's address and the part of its Rect that the service itself has written: the anchor alone when there is none. What
// clients say of a block's size hinders no other block (decisions.md §3).
func (p Placement) Owned() (a Address, r Rect, ok bool) {
	if a, r, ok = p.Standing(); ok && p.Own != nil {
		r.Bottom, r.Right = r.Top+p.Own.Rows-1, r.Left+p.Own.Columns-1
	}
	return a, r, ok
}

// Covered is the placement's address and the smallest rectangle with its Rect and what Owned returns.
func (p Placement) Covered() (a Address, r Rect, ok bool) {
	a, r, ok = p.Standing()
	if ok && p.Own != nil {
		r.Bottom, r.Right = max(r.Bottom, r.Top+p.Own.Rows-1), max(r.Right, r.Left+p.Own.Columns-1)
	}
	return a, r, ok
}

// Extent is the size of the rectangle.
func (r Rect) Extent() checksum.Extent {
	return checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
}

// owned is how far the service itself has written the block of p.
func (p Placement) owned() checksum.Extent {
	_, r, _ := p.Owned()
	return r.Extent()
}

// end is the block's bottom-right cell; a record whose end lies before its anchor, or that names none, counts as one cell.
func (p Placement) end(anchor Anchor) Anchor {
	end, known := p.lastCell(anchor)
	if !known || end.Row < anchor.Row || end.Column < anchor.Column {
		return anchor
	}
	return end
}

// lastCell is the block's bottom-right cell as the record names it: in endResultCell, or else by a range that begins at the anchor.
func (p Placement) lastCell(anchor Anchor) (end Anchor, known bool) {
	if end, err := ParseAnchor(p.EndResultCell); err == nil {
		return end, true
	}
	l, err := ParseLocation(p.ResultLocation)
	return l.End(), err == nil && l.Range && l.Anchor == anchor
}

// Overlaps reports whether two placements claim a common cell: same spreadsheet, same sheet, rectangles that meet.
func Overlaps(a, b Placement) bool {
	x, okX := a.Address()
	y, okY := b.Address()
	if !okX || !okY || x.Document != y.Document || foldSheet(x.Sheet) != foldSheet(y.Sheet) {
		return false
	}
	r, _ := a.Rect()
	s, _ := b.Rect()
	return r.Intersects(s)
}
