package document

import (
	"iter"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// ClientFormulas are formulas around a block that an add-in is to write once the block's cells are written: its program moves formulas
// along with the cells that they name, but neither lets a range grow with rows at an end of it nor fills formulas down.
type ClientFormulas struct {
	Sheet string
	At    placements.Anchor // of the first, once the patch's shifts are made
	Rows  int               // the first and those filled down from it
	Text  string            // of the first
	Was   *host.Formula     // of that sheet, as it was read; nil where the shifts insert the cells
}

// Texts returns the formulas' texts, from above.
func (f *ClientFormulas) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(f.Text) || f.Rows < 2 {
			return
		}
		parts := formula.Cut(f.Text)
		for row := 1; row < f.Rows; row++ {
			if text, _ := formula.Move(parts, row, 0); !yield(text) {
				return
			}
		}
	}
}

// around finds out what becomes of the formulas around a block.
type around struct {
	sheet   string           // the block's
	top     int              // its first row
	want    formula.Rewriter // leaves formulas as they are to read
	does    formula.Rewriter // leaves them as the add-in's program does
	filling host.Filling
	columns checksum.Span // that are filled down; none when nothing is
}

// newAround returns what looks at the formulas of sheets.
func newAround(b *draft, patch *host.Patch, sheets []SheetFormulas) *around {
	a := &around{sheet: b.view.Sheet, top: b.at.Row, want: formula.Rewriter{By: b.shifts()}}
	for _, one := range sheets {
		a.want.Sheets = append(a.want.Sheets, one.Name)
	}
	a.does.Sheets = a.want.Sheets
	for _, shift := range a.want.By {
		shift.Block = placements.Rect{Bottom: -2} // of no rows, so that no range grows
		a.does.By = append(a.does.By, shift)
	}
	var ok bool
	if a.filling, ok = patch.FillsDown(max(patch.Extent.Rows-patch.Grows(), 0)); ok {
		a.columns = patch.FillRight
	}
	return a
}

// lookAround notes what follows the shifts of the plan, of what stands around the block, and what of it the add-in is to write. A formula
// that no text can stand for afterwards is left to the add-in's program.
func (s *sheetSession) lookAround() {
	a, block := newAround(s.draft, &s.patch, s.sheet.Around), s.draft.reach()
	follow := new(host.Follow)
	s.formulas = nil
	for _, sheet := range s.sheet.Around {
		before, beside := follow.Formulas, strings.EqualFold(sheet.Name, s.sheet.Name)
		for i := range sheet.Formulas {
			one := &sheet.Formulas[i]
			cell := rectAt(placements.Anchor(one.Position), checksum.Extent{Rows: 1, Columns: 1})
			if one.Text == "" || beside && block.Intersects(cell) {
				continue
			}
			text, err := a.want.Rewrite(one.Text, formula.Place{Sheet: sheet.Name, Row: one.Row, Column: one.Column})
			if err != nil {
				continue
			}
			if text != one.Text {
				follow.Formulas++
			}
			s.formulas = a.appendGrown(s.formulas, sheet.Name, one, text)
			s.formulas = a.appendFilled(s.formulas, sheet.Name, one, text)
		}
		if follow.Formulas > before {
			follow.Sheets++
		}
	}
	s.draft.follow = follow
}

// appendGrown appends a formula that the add-in's program does not leave as it is to read.
func (a *around) appendGrown(list []ClientFormulas, sheet string, one *host.Formula, text string) []ClientFormulas {
	left, err := a.does.Rewrite(one.Text, formula.Place{Sheet: sheet, Row: one.Row, Column: one.Column})
	row, stands := a.want.By.Cell(sheet, one.Row, one.Column)
	if err != nil || !stands || text == left {
		return list
	}
	return append(list, ClientFormulas{
		Sheet: sheet, At: placements.Anchor{Row: row, Column: one.Column}, Rows: 1, Text: text, Was: one,
	})
}

// appendFilled appends what a formula is in the rows that the block gained, where it stood beside the last row and is filled down. The
// shifts insert those cells, so that nothing stands there.
func (a *around) appendFilled(list []ClientFormulas, sheet string, one *host.Formula, text string) []ClientFormulas {
	filled := one.Column >= a.columns.From && one.Column < a.columns.To
	if !filled || one.Row != a.top+a.filling.Was || !strings.EqualFold(sheet, a.sheet) {
		return list
	}
	parts := formula.Cut(text)
	for _, gained := range a.filling.Gained {
		first, ok := formula.Move(parts, gained.From-a.filling.Is, 0)
		if _, exists := formula.Move(parts, gained.To-1-a.filling.Is, 0); !ok || !exists {
			continue // one would refer to cells beyond the sheet
		}
		list = append(list, ClientFormulas{
			Sheet: a.sheet, At: placements.Anchor{Row: a.top + gained.From, Column: one.Column}, Rows: gained.To - gained.From, Text: first,
		})
	}
	return list
}
