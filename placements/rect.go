package placements

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
