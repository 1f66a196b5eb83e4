package shift

import (
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// frame is where an object lies: from the cell of one corner to that of the other, so far into each.
type frame struct {
	left, top, right, bottom             int
	leftOff, topOff, rightOff, bottomOff int
}

// lies returns the rows that the corners of an object lie in afterwards.
func (m *Moves) lies(sheet string, f frame, rigid bool) (top, bottom int) {
	area := placements.Rect{Top: f.top, Left: f.left, Bottom: f.bottom, Right: f.right}
	edge := 0
	if f.bottomOff == 0 && f.bottom > f.top { // it ends where that row begins
		edge = 1
	}
	if f.rightOff == 0 && f.right > f.left {
		area.Right--
	}
	area.Bottom -= edge
	area = m.over(sheet, area, rigid)
	return area.Top, area.Bottom + edge
}

// over returns the cells that an object lies over afterwards. It moves where all its columns do, and grows and shrinks with its cells
// unless it is rigid. An object is not deleted with its cells: it moves up to where they were.
func (m *Moves) over(sheet string, area placements.Rect, rigid bool) placements.Rect {
	for _, s := range m.By {
		height := area.Bottom - area.Top
		after, ok := formula.Shifts{s}.Area(sheet, area)
		switch {
		case !ok && s.Rows > 0: // below the last row
			continue
		case !ok:
			after = area
			after.Top, after.Bottom = s.Row, s.Row+height
		case rigid:
			after.Bottom = min(after.Top+height, placements.MaxRow)
		}
		area = after
	}
	return area
}

// anchor moves a control or an embedded object of the sheet, unless it stays where it is on the page.
func (e *element) anchor(n *node) {
	from, to := n.kid("from"), n.kid("to")
	if move, _ := n.attr("moveWithCells"); from == nil || to == nil || !xml.True(move) {
		return
	}
	size, _ := n.attr("sizeWithCells")
	f := frame{left: e.number(from, "col"), leftOff: e.number(from, "colOff"), top: e.number(from, "row"), topOff: e.number(from, "rowOff")}
	f.right, f.rightOff, f.bottom, f.bottomOff = e.number(to, "col"), e.number(to, "colOff"), e.number(to, "row"), e.number(to, "rowOff")
	top, bottom := e.moves.all.lies(e.moves.sheet, f, !xml.True(size))
	e.setNumber(from.kid("row"), top)
	e.setNumber(to.kid("row"), bottom)
}

// number is the number that a child of an element holds, zero for none.
func (e *element) number(n *node, local string) int {
	kid := n.kid(local)
	if kid == nil {
		return 0
	}
	number, _ := strconv.Atoi(strings.TrimSpace(e.content(kid)))
	return number
}

func (e *element) setNumber(n *node, number int) {
	if text := strconv.Itoa(number); n != nil && strings.TrimSpace(e.content(n)) != text {
		n.text, n.changed = text, true
	}
}

// truth reports whether an attribute's value means true.
