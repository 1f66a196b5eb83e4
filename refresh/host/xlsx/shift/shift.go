package shift

import (
	"fmt"
	"strings"
	"sync"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// Moves says how the cells of a workbook move. It does not change once it is used.
type Moves struct {
	By     formula.Shifts // in the order in which they are made
	Sheets []string       // names of all the workbook's sheets, in its order

	prepare  sync.Once
	route    *formula.Route
	rewriter formula.Rewriter
	mu       sync.Mutex
	bands    map[string][]band // by the names of sheets, in lower case
}

// prepared returns the moves prepared for many references.
func (m *Moves) prepared() *Moves {
	m.prepare.Do(func() {
		m.route = m.By.Route()
		m.rewriter = formula.Rewriter{By: m.By, Sheets: m.Sheets}.Prepared()
	})
	return m
}

// by is the way of the cells.
func (m *Moves) by() *formula.Route { return m.prepared().route }

// rewrites rewrites formulas.
func (m *Moves) rewrites() formula.Rewriter { return m.prepared().rewriter }

// bandsOf returns the columns of a sheet as they move, to be read only.
func (m *Moves) bandsOf(sheet string) []band {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := strings.ToLower(sheet)
	list, ok := m.bands[name]
	if !ok {
		if list = bands(m.By, sheet); m.bands == nil {
			m.bands = map[string][]band{}
		}
		m.bands[name] = list
	}
	return list
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
	// Shown are rows, from zero and ascending, that were hidden and are shown now: cells moved there out of a row that was not.
	Shown []int
}
