package host

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// CheckPatches refuses what no caller may ask of any host: patches of another document, patches that overlap, formulas outside
// the rows written, moves into themselves. These are mistakes of the program, not faults of the document.
func CheckPatches(document string, patches []Patch) error {
	for i := range patches {
		p := &patches[i]
		if p.Block.Document != document {
			return fmt.Errorf("a patch of document %q in a session on %q", p.Block.Document, document)
		}
		if err := errors.Join(p.checkFormulas(), p.checkStamp()); err != nil {
			return err
		}
		for _, cells := range p.Parameters {
			if err := cells.checkNamed(); err != nil {
				return err
			}
		}
		for _, m := range p.Moves {
			if m.From < 0 || m.Rows <= 0 || m.To < 0 || m.To >= m.From && m.To <= m.From+m.Rows {
				return fmt.Errorf("a move of %d rows from row %d to row %d", m.Rows, m.From, m.To)
			}
		}
		for k := range patches[:i] {
			if p.Overlaps(&patches[k]) {
				return fmt.Errorf("patches at %s and %s of sheet %q overlap", patches[k].Block.Anchor, p.Block.Anchor, p.Block.Sheet)
			}
		}
	}
	return nil
}

// checkFormulas refuses formulas that are not in order, not formulas, or not in a row written.
func (p *Patch) checkFormulas() error {
	written, last := MergeSpans(slices.Clone(p.Rows)), Position{Column: -1}
	for _, f := range p.Formulas {
		switch {
		case f.Row < last.Row || f.Row == last.Row && f.Column <= last.Column:
			return errors.New("formulas of a patch are out of order")
		case f.Column >= p.Extent.Columns || !Holds(written, f.Row):
			return fmt.Errorf("a formula in row %d, column %d, which the patch does not write", f.Row, f.Column)
		case f.Text != "" && (len(f.Text) < 2 || f.Text[0] != '='):
			return fmt.Errorf("a formula without its = in row %d, column %d", f.Row, f.Column)
		}
		last = f.Position
	}
	return nil
}

// FormulasIn returns the formulas of a row.
func (p *Patch) FormulasIn(row int) []Formula {
	if len(p.Formulas) == 0 {
		return nil
	}
	from := sort.Search(len(p.Formulas), func(i int) bool { return p.Formulas[i].Row >= row })
	to := from
	for to < len(p.Formulas) && p.Formulas[to].Row == row {
		to++
	}
	return p.Formulas[from:to]
}

// kept is how many cells of the rows written stay as they stand.
func (p *Patch) kept() int {
	n := 0
	for _, f := range p.Formulas {
		if f.Text == "" {
			n++
		}
	}
	return n
}

// Formatted reports whether a column has a number format, or had one.
func (p *Patch) Formatted() bool {
	is := func(format string) bool { return format != "" }
	return slices.ContainsFunc(p.Formats, is) || slices.ContainsFunc(p.FormatsBefore, is)
}

// NumberFormat is the number format of a column's cells, empty for the general one. ok is false where they keep what they have.
func (p *Patch) NumberFormat(column int) (format string, ok bool) {
	format = FormatAt(p.Formats, column)
	return format, format != FormatAt(p.FormatsBefore, column) || format != ""
}

// FormatAt is the format of a column, empty for none.
func FormatAt(formats []string, column int) string {
	if column >= len(formats) {
		return ""
	}
	return formats[column]
}

// Grows is by how many rows what stands below the block moves down; negative when it moves up.
func (p *Patch) Grows() int {
	rows := 0
	for _, s := range p.Shifts {
		rows += s.Rows
	}
	return rows
}

// Deleted is how many rows of cells the shifts delete.
func (p *Patch) Deleted() int {
	rows := 0
	for _, s := range p.Shifts {
		rows -= min(s.Rows, 0)
	}
	return rows
}

// areas are the rectangles of the sheet that the patch is about, as the sheet stands before it.
func (p *Patch) areas() []placements.Rect {
	a, grows := p.Block.Anchor, p.Grows()
	var areas []placements.Rect
	add := func(r checksum.Area) {
		area := placements.Rect{
			Top: a.Row + r.Row, Bottom: a.Row + r.Row + r.Rows - 1 - grows,
			Left: a.Column + r.Column, Right: a.Column + r.Column + r.Columns - 1,
		}
		if area.Bottom >= area.Top && area.Right >= area.Left {
			areas = append(areas, area)
		}
	}
	add(checksum.Area{Rows: p.Extent.Rows, Columns: p.Extent.Columns})
	for _, r := range p.Clear {
		add(r)
	}
	return areas
}

// Overlaps reports whether two patches are about a common cell, as the document stands before them.
func (p *Patch) Overlaps(q *Patch) bool {
	if !strings.EqualFold(p.Block.Sheet, q.Block.Sheet) {
		return false
	}
	theirs := q.areas()
	for _, mine := range p.areas() {
		for _, area := range theirs {
			if mine.Intersects(area) {
				return true
			}
		}
	}
	return false
}

// Reach is how many rows and columns from the anchor on a patch needs, at any of its steps.
func (p *Patch) Reach() (rows, columns int) {
	rows, columns = max(p.Extent.Rows, 1), max(p.Extent.Columns, 1)
	for _, m := range p.Moves {
		// Cut and pasted, the rows, or those that they change places with, stand twice for a while.
		top, bottom := min(m.From, m.To), max(m.From+m.Rows, m.To)
		rows = max(rows, bottom+max(m.Rows, bottom-top-m.Rows))
	}
	for _, s := range p.Shifts {
		rows = max(rows, s.At+s.Rows)
	}
	for _, s := range p.Rows {
		rows = max(rows, s.To)
	}
	return rows, columns
}

// Inserted is how many rows of cells the patch inserts, all its steps together.
func (p *Patch) Inserted() int {
	rows := 0
	for _, m := range p.Moves {
		rows += max(m.Rows, max(m.From+m.Rows, m.To)-min(m.From, m.To)-m.Rows)
	}
	for _, s := range p.Shifts {
		rows += max(s.Rows, 0)
	}
	return rows
}

// Count adds what a patch writes, clears or deletes: each row once, however many rectangles touch it.
func (w *Written) Count(p *Patch) {
	w.Rows += p.Deleted()
	w.Cells += p.Deleted()*p.Extent.Columns - p.kept()
	for _, s := range p.Rows {
		w.Rows += s.To - s.From
		w.Cells += (s.To - s.From) * p.Extent.Columns
	}
	for _, r := range p.Clear {
		w.Rows += r.Rows
		w.Cells += r.Rows * r.Columns
		for _, s := range p.Rows {
			w.Rows -= max(0, min(s.To, r.Row+r.Rows)-max(s.From, r.Row))
		}
	}
}

// MergeSpans returns the same rows as ascending spans that do not meet.
func MergeSpans(spans []checksum.Span) []checksum.Span {
	slices.SortFunc(spans, func(a, b checksum.Span) int { return cmp.Compare(a.From, b.From) })
	var merged []checksum.Span
	for _, s := range spans {
		last := len(merged) - 1
		switch {
		case s.To <= s.From:
		case last >= 0 && s.From <= merged[last].To:
			merged[last].To = max(merged[last].To, s.To)
		default:
			merged = append(merged, s)
		}
	}
	return merged
}

// Holds reports whether row is in spans, which MergeSpans made.
func Holds(spans []checksum.Span, row int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To > row })
	return i < len(spans) && spans[i].From <= row
}

// Stays reports whether one of a row's formulas says that the cell in a column stays as it is.
func Stays(formulas []Formula, column int) bool {
	return slices.ContainsFunc(formulas, func(f Formula) bool { return f.Column == column && f.Text == "" })
}

// AnyStays reports whether a cell of a row stays as it is.
func AnyStays(formulas []Formula) bool {
	return slices.ContainsFunc(formulas, func(f Formula) bool { return f.Text == "" })
}
