package formula

import (
	"strconv"

	"mooring/placements"
)

// Part is a piece of a formula: text that stays, or the column or row of a relative reference.
type Part struct {
	kind kind
	text string
	at   int // of a column or row, from zero
}

type kind uint8

const (
	plainPart kind = iota
	columnPart
	rowPart
)

// Cut takes a formula apart where it has relative references.
func Cut(text string) (parts []Part) {
	done := 0
	plain := func(to int) {
		if done < to {
			parts = append(parts, Part{text: text[done:to]})
		}
		done = to
	}
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		if !ok {
			plain(len(text))
			return parts
		}
		for _, c := range o.corner[:o.corners] {
			if c.column >= 0 && !c.fixedColumn {
				plain(c.columnAt)
				parts, done = append(parts, Part{kind: columnPart, at: c.column}), c.columnTo()
			}
			if c.row >= 0 && !c.fixedRow {
				plain(c.rowAt)
				parts, done = append(parts, Part{kind: rowPart, at: c.row}), c.to
			}
		}
	}
}

// Relative returns a formula in which the rows that have no $, of cells of its own sheet, are counted from its own row and stand between
// two marks. So formulas read alike that fill one another down their column. It is no formula any more.
func Relative(text string, at Place, mark string) string {
	var b []byte
	done := 0
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		if !ok {
			return string(append(b, text[done:]...))
		}
		if !o.on(at.Sheet, at.Sheet) {
			continue
		}
		for _, c := range o.corner[:o.corners] {
			if c.row >= 0 && !c.fixedRow {
				b = append(append(b, text[done:c.rowAt]...), mark...)
				b, done = append(strconv.AppendInt(b, int64(c.row-at.Row), 10), mark...), c.to
			}
		}
	}
}

// exists reports whether a sheet has the column or row.
func (p Part) exists() bool {
	switch p.kind {
	case columnPart:
		return p.at >= 0 && p.at <= placements.MaxColumn
	case rowPart:
		return p.at >= 0 && p.at <= placements.MaxRow
	}
	return true
}

// Move is a formula as it reads when it is filled into the cell so many rows and columns away: relative references move
// along. It declines when one would leave the sheet.
func Move(parts []Part, rows, columns int) (string, bool) {
	var b []byte
	for _, p := range parts {
		switch p.kind {
		case plainPart:
			b = append(b, p.text...)
			continue
		case columnPart:
			p.at += columns
		case rowPart:
			p.at += rows
		}
		if !p.exists() {
			return "", false
		}
		b = p.append(b)
	}
	return string(b), true
}

// append appends the column's letters or the row's number.
func (p Part) append(dst []byte) []byte {
	if p.kind == columnPart {
		return AppendColumnName(dst, p.at)
	}
	return strconv.AppendInt(dst, int64(p.at+1), 10)
}

// Pattern returns what a formula says that is written for a cell, with its relative references counted from there: the same text for all
// cells that the formula is filled into. It is no formula, and only to be compared.
func Pattern(text string, row, column int) string {
	var b []byte
	for _, p := range Cut(text) {
		switch p.kind {
		case plainPart:
			b = append(b, p.text...)
		case columnPart:
			b = strconv.AppendInt(append(b, "\x00C"...), int64(p.at-column), 10)
		case rowPart:
			b = strconv.AppendInt(append(b, "\x00R"...), int64(p.at-row), 10)
		}
	}
	return string(b)
}
