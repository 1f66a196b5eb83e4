package formula

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
)

// Place is the cell that a formula stands in before the shifts. Its Row is -1 where it stands in none, such as that of a chart.
type Place struct {
	Sheet       string // that references mean which name no sheet
	Row, Column int
}

// Rewriter rewrites the formulas of a workbook for shifts of its cells.
type Rewriter struct {
	By     Shifts
	Sheets []string // all of the workbook in their order, for references to the sheets from one to another
	route  *Route
}

// Prepared returns the rewriter prepared for many formulas.
func (r Rewriter) Prepared() Rewriter {
	r.route = r.By.Route()
	return r
}

// follower is what references follow: shifts, or their route.
type follower interface {
	on(sheet string) bool
	follow(sheet string, area placements.Rect, at Place, g growth) (placements.Rect, bool)
}

func (r Rewriter) by() follower {
	if r.route != nil {
		return r.route
	}
	return r.By
}

// Unmovable says that a reference can't name its cells any more: they are on several sheets, and not all of them move alike.
type Unmovable struct {
	Reference string // as the formula has it
}

func (e *Unmovable) Error() string {
	return fmt.Sprintf("the reference %s names cells of several sheets, not all of which move alike", e.Reference)
}

// use says where a formula stands, as far as that matters to what its references mean.
type use uint8

const (
	ofCell use = iota
	ofName
	ofSeries
)

// Rewrite returns a formula, with its = or without, as it reads after the shifts. A reference names the same cells as before, as a
// spreadsheet program has it, or more where it grows (see CellShift); one whose cells are all deleted becomes #REF!. All else keeps
// its spelling, and the same string is returned when nothing changes. The error is an *Unmovable.
func (r Rewriter) Rewrite(text string, at Place) (string, error) {
	return r.rewrite(text, at, ofCell)
}

// RewriteName returns the formula of a defined name as it reads after the shifts. References whose rows have no $ stay, as they count from
// the cell that uses the name.
func (r Rewriter) RewriteName(text string) (string, error) {
	return r.rewrite(text, Place{Row: -1}, ofName)
}

// RewriteSeries returns a reference to the values of a chart as it reads after the shifts. A cell grows like a range: this is how charts
// name the only row of a block.
func (r Rewriter) RewriteSeries(text string) (string, error) {
	return r.rewrite(text, Place{Row: -1}, ofSeries)
}

func (r Rewriter) rewrite(text string, at Place, u use) (string, error) {
	if !r.by().on(at.Sheet) && strings.IndexByte(text, '!') < 0 || !strings.ContainsAny(text, "0123456789") {
		return text, nil
	}
	var room [120]byte // enough for most
	b, done := room[:0], 0
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		if !ok {
			break
		}
		if o.foreign || o.corners == 0 || u == ofName && !o.fixed() {
			continue
		}
		area, kept, alike := r.follow(&o, at, o.growth(u))
		if !alike {
			return "", &Unmovable{Reference: text[o.from:o.to]}
		}
		b, done = o.spell(b, text, done, area, kept)
	}
	if done == 0 {
		return text, nil
	}
	return string(append(b, text[done:]...)), nil
}

// follow returns the cells of a reference after the shifts; kept is false when they are deleted, alike when sheets do not agree.
func (r Rewriter) follow(o *operand, at Place, g growth) (area placements.Rect, kept, alike bool) {
	sheet := at.Sheet
	if o.sheet != "" {
		sheet = unquoted(o.sheet)
	}
	if first, last, several := strings.Cut(sheet, ":"); several {
		return r.across(r.between(first, last), o.area(), at, g)
	}
	area, kept = r.by().follow(sheet, o.area(), at, g)
	return area, kept, true
}

// across follows a reference to several sheets. It grows where it does so in all of them.
func (r Rewriter) across(sheets []string, before placements.Rect, at Place, g growth) (area placements.Rect, kept, alike bool) {
	for _, g := range []growth{g, {}} {
		alike = true
		for i, sheet := range sheets {
			a, ok := r.by().follow(sheet, before, at, g)
			if i == 0 {
				area, kept = a, ok
			}
			alike = alike && a == area && ok == kept
		}
		if alike {
			break
		}
	}
	return area, kept, alike
}

// between returns the sheets from one to another, or these two when the workbook's sheets are not known.
func (r Rewriter) between(first, last string) []string {
	i := slices.IndexFunc(r.Sheets, func(s string) bool { return strings.EqualFold(s, first) })
	k := slices.IndexFunc(r.Sheets, func(s string) bool { return strings.EqualFold(s, last) })
	if i < 0 || k < 0 {
		return []string{first, last}
	}
	return r.Sheets[min(i, k) : max(i, k)+1]
}

// fixed reports whether the rows of a reference do not depend on the cell that uses it.
func (o *operand) fixed() bool { return o.corner[0].fixedRow && o.corner[o.corners-1].fixedRow }

// growth returns at which of its ends a reference may grow. A cell does at none, unless it is a chart's.
func (o *operand) growth(u use) growth {
	if o.corners < 2 {
		return growth{ranges: u == ofSeries}
	}
	top, bottom := o.order()
	return growth{ranges: true, topFixed: o.corner[top].fixedRow, bottomFixed: o.corner[bottom].fixedRow}
}

// spell appends the formula's text from done up to the end of the operand, with the rows and columns that its area has now, and returns
// where that is. Nothing is appended when the operand stays as it is.
func (o *operand) spell(b []byte, text string, done int, area placements.Rect, kept bool) ([]byte, int) {
	if !kept {
		return append(append(b, text[done:o.from]...), deleted...), o.to
	}
	rows, columns := [2]int{area.Bottom, area.Bottom}, [2]int{area.Right, area.Right}
	top, _ := o.order()
	rows[top], columns[o.left()] = area.Top, area.Left
	for i, c := range o.corner[:o.corners] {
		if c.column >= 0 && c.column != columns[i] {
			b, done = AppendColumnName(append(b, text[done:c.columnAt]...), columns[i]), c.columnTo()
		}
		if c.row >= 0 && c.row != rows[i] {
			b, done = appendRow(append(b, text[done:c.rowAt]...), rows[i]), c.to
		}
	}
	if o.corners == 1 && area.Top < area.Bottom {
		b = append(append(append(b, text[done:o.to]...), ':'), o.corner[0].letters(text)...)
		b, done = appendRow(b, area.Bottom), o.to
	}
	return b, done
}

// appendRow appends a row's number.
func appendRow(b []byte, row int) []byte { return strconv.AppendInt(b, int64(row+1), 10) }
