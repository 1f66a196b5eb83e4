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
}

// Unmovable says that a reference can't name its cells any more: they are on several sheets, and not all of them move alike.
type Unmovable struct {
	Reference string // as the formula has it
}

func (e *Unmovable) Error() string {
	return fmt.Sprintf("the reference %s names cells of several sheets, not all of which move alike", e.Reference)
}

// Rewrite returns a formula, with its = or without, as it reads after the shifts. A reference names the same cells as before, as a
// spreadsheet program has it, or more where it grows (see Shift); one whose cells are all deleted becomes #REF!. All else keeps
// its spelling, and the same string is returned when nothing changes. The error is an *Unmovable.
func (r Rewriter) Rewrite(text string, at Place) (string, error) {
	return r.rewrite(text, at, func(corner) bool { return true })
}

// RewriteName returns the formula of a defined name as it reads after the shifts. References whose rows have no $ stay, as they count from
// the cell that uses the name.
func (r Rewriter) RewriteName(text string) (string, error) {
	return r.rewrite(text, Place{Row: -1}, func(c corner) bool { return c.fixedRow })
}

// rewrite rewrites those references of a formula to cells both of whose corners follow.
func (r Rewriter) rewrite(text string, at Place, follows func(corner) bool) (string, error) {
	if !r.By.on(at.Sheet) && strings.IndexByte(text, '!') < 0 || !strings.ContainsAny(text, "0123456789") {
		return text, nil
	}
	var room [120]byte // enough for most
	b, done := room[:0], 0
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		if !ok {
			break
		}
		if o.foreign || o.corners == 0 || !follows(o.corner[0]) || !follows(o.corner[o.corners-1]) {
			continue
		}
		area, kept, alike := r.follow(&o, at)
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
func (r Rewriter) follow(o *operand, at Place) (area placements.Rect, kept, alike bool) {
	sheet := at.Sheet
	if o.sheet != "" {
		sheet = unquoted(o.sheet)
	}
	if first, last, several := strings.Cut(sheet, ":"); several {
		return r.across(r.between(first, last), o, at)
	}
	area, kept = r.By.follow(sheet, o.area(), at, o.growth())
	return area, kept, true
}

// across follows a reference to several sheets. It grows where it does so in all of them.
func (r Rewriter) across(sheets []string, o *operand, at Place) (area placements.Rect, kept, alike bool) {
	for _, g := range []growth{o.growth(), {}} {
		alike = true
		for i, sheet := range sheets {
			a, ok := r.By.follow(sheet, o.area(), at, g)
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

// growth returns at which of its ends a reference may grow: a single cell does at none.
func (o *operand) growth() growth {
	if o.corners < 2 {
		return growth{}
	}
	top, bottom := o.order()
	return growth{ranges: true, topFixed: o.corner[top].fixedRow, bottomFixed: o.corner[bottom].fixedRow}
}

// spell appends the formula's text from done up to the end of the operand, with the rows that its area has now, and returns where that is.
// Nothing is appended when the operand stays as it is.
func (o *operand) spell(b []byte, text string, done int, area placements.Rect, kept bool) ([]byte, int) {
	if !kept {
		return append(append(b, text[done:o.from]...), deleted...), o.to
	}
	rows := [2]int{area.Bottom, area.Bottom}
	top, _ := o.order()
	rows[top] = area.Top
	for i, c := range o.corner[:o.corners] {
		if c.row < 0 || c.row == rows[i] {
			continue
		}
		b = strconv.AppendInt(append(b, text[done:c.rowAt]...), int64(rows[i]+1), 10)
		done = c.to
	}
	return b, done
}
