package shift

import (
	"strconv"
	"strings"
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
	top, bottom := e.lies(e.sheet, f, rigid)
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
