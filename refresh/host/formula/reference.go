package formula

import (
	"mooring/placements"
)

// Reference is what an operand of a formula refers to: cells of a sheet, or a name. Which sheet, table or name that is, is for the workbook
// to tell.
type Reference struct {
	Sheet string          // empty: that of the formula. Two with a colon between are the sheets from one to the other
	Area  placements.Rect // of cells
	Range bool            // with cells: it has two corners, be they one cell
	Name  string          // a defined name or a table; empty with cells, and for the table that the formula stands in
	Table string          // what stands in brackets behind a table, brackets included
}

// References returns what a formula refers to, without what lies in other workbooks.
func References(text string) []Reference {
	return references(text, (*operand).area)
}

// references returns what a formula refers to; area says which cells an operand does.
func references(text string, area func(*operand) placements.Rect) (list []Reference) {
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		switch {
		case !ok:
			return list
		case o.foreign:
		case o.table != "":
			list = append(list, Reference{Name: o.name, Table: o.table})
		case o.corners == 0:
			list = append(list, Reference{Sheet: unquoted(o.sheet), Name: o.name})
		default:
			list = append(list, Reference{Sheet: unquoted(o.sheet), Area: area(&o), Range: o.corners == 2})
		}
	}
}

// Swept returns what all the formulas refer to that a shared formula stands for: it is written for the cell at, and filled from there over
// an area. A reference that leaves the sheet at one end, and so enters it at the other, counts as all rows or columns.
func Swept(text string, at placements.Anchor, over placements.Rect) []Reference {
	return references(text, func(o *operand) placements.Rect {
		swept := placements.Rect{Top: placements.MaxRow, Left: placements.MaxColumn}
		rows, columns := o.rows(), o.columns()
		for i, c := range o.corner[:o.corners] {
			top, bottom := sweep(rows[i], c.row >= 0 && !c.fixedRow, over.Top-at.Row, over.Bottom-at.Row, placements.MaxRow)
			left, right := sweep(columns[i], c.column >= 0 && !c.fixedColumn, over.Left-at.Column, over.Right-at.Column, placements.MaxColumn)
			swept.Top, swept.Bottom = min(swept.Top, top), max(swept.Bottom, bottom)
			swept.Left, swept.Right = min(swept.Left, left), max(swept.Right, right)
		}
		return swept
	})
}

// sweep returns the rows or columns that one becomes which is filled by from to to, when it is relative.
func sweep(at int, relative bool, from, to, last int) (first, end int) {
	switch {
	case !relative:
		return at, at
	case at+from < 0 || at+to > last:
		return 0, last
	}
	return at + from, at + to
}
