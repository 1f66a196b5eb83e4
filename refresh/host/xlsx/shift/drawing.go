package shift

import (
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// drawing moves what lies over cells: charts, pictures, shapes, and rewrites the cells that they show. What does not move with cells stays.
func (m *Moves) drawing(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "oneCellAnchor":
			return e.anchored(true)
		case "twoCellAnchor":
			switch e.Attr("editAs") {
			case "absolute":
				return nil
			case "oneCell":
				return e.anchored(true)
			}
			return e.anchored(false)
		}
		return e.shown()
	})
}

// shown rewrites the cells that a shape or a picture shows, where e stands at one.
func (e *editor) shown() error { return e.formulaAttrs("textlink", "cellRange") }

// frame is where an object lies: from the cell of one corner to that of the other, so far into each.
type frame struct {
	left, top, right, bottom             int
	leftOff, topOff, rightOff, bottomOff int
}

// anchored moves the object whose anchor e stands at. One that is rigid keeps its size.
func (e *editor) anchored(rigid bool) error {
	var from, to corner
	depth := e.Depth()
	err := e.within(func() error {
		switch {
		case e.Depth() > depth+1:
		case string(e.Local()) == "from":
			return e.corner(&from)
		case string(e.Local()) == "to":
			return e.corner(&to)
		}
		return e.shown()
	})
	if err != nil || from.row.to == 0 {
		return err
	}
	f := frame{left: from.column, leftOff: from.columnOff, top: from.row.n, topOff: from.rowOff}
	f.right, f.rightOff, f.bottom, f.bottomOff = to.column, to.columnOff, to.row.n, to.rowOff
	if to.row.to == 0 { // its size is in other units
		f.right, f.bottom, rigid = f.left, f.top, true
	}
	top, bottom := e.lies(f, rigid)
	e.putRow(from.row, top)
	e.putRow(to.row, bottom)
	return nil
}

// corner is a corner of an object: the cell that it lies in, and how far into it.
type corner struct {
	row                       rowMark
	column, columnOff, rowOff int
}

// rowMark is a row and where it is written.
type rowMark struct {
	span
	n int
}

// putRow replaces a row, if it is written and does not stay.
func (e *editor) putRow(m rowMark, row int) {
	if m.to > 0 && row != m.n {
		e.put(m.span, strconv.Itoa(row))
	}
}

// corner reads a corner.
func (e *editor) corner(c *corner) error {
	return e.within(func() error {
		name := string(e.Local())
		s, err := e.content()
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimSpace(s.text))
		switch name {
		case "row":
			c.row = rowMark{s, n}
		case "rowOff":
			c.rowOff = n
		case "col":
			c.column = n
		case "colOff":
			c.columnOff = n
		default:
			return nil
		}
		return err
	})
}

// lies returns the rows that the corners of an object lie in afterwards.
func (e *editor) lies(f frame, rigid bool) (top, bottom int) {
	area := placements.Rect{Top: f.top, Left: f.left, Bottom: f.bottom, Right: f.right}
	edge := 0
	if f.bottomOff == 0 && f.bottom > f.top { // it ends where that row begins
		edge = 1
	}
	if f.rightOff == 0 && f.right > f.left {
		area.Right--
	}
	area.Bottom -= edge
	area = e.over(e.sheet, area, rigid)
	return area.Top, area.Bottom + edge
}

// over returns the cells that an object lies over afterwards. It moves where all its columns do, and grows and shrinks with its cells unless
// it is rigid. An object is not deleted with its cells: it moves up to where they were.
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
			after.Bottom = after.Top + height
		}
		area = after
	}
	return area
}
