package shift

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// Moves says how the cells of a workbook move.
type Moves struct {
	By     formula.Shifts // in the order in which they are made
	Sheets []string       // names of all the workbook's sheets, in its order
}

// Torn is the error of a construct that cannot be moved as a whole, or that would lose a part.
type Torn struct {
	What  string // such as "the merged cells" or `the table "Prices"`
	Sheet string
	Area  placements.Rect // before the shifts
}

func (t *Torn) Error() string {
	from := placements.Anchor{Row: t.Area.Top, Column: t.Area.Left}.String()
	to := placements.Anchor{Row: t.Area.Bottom, Column: t.Area.Right}.String()
	if from != to {
		from += ":" + to
	}
	return fmt.Sprintf("%s at %s on sheet %q would be torn apart", t.What, from, t.Sheet)
}

// Followed says what followed the cells that moved.
type Followed struct {
	Formulas int  // whose text changed
	Changed  bool // whether anything of the part changed
}
