package refresh

import (
	"cmp"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
)

// OnEdit says what a run does with rows of its block that a person edited since they were written (decisions.md §7).
type OnEdit string

// Keep is the default: the edited rows stay as they are and are reported, every other row is refreshed.
const (
	Keep      OnEdit = "keep"
	Overwrite OnEdit = "overwrite" // the edited values, and the formulas among them, are kept in the run
	Stop      OnEdit = "stop"      // nothing is written
)

// maxOverwritten bounds how many edited rows a run can keep the values of. Beyond it nothing is overwritten: a value
// that cannot be kept must not be lost.
const maxOverwritten = 1000

// Plan is what a run will do to one block.
type Plan struct {
	checksum.Plan
	Grid        *checksum.Grid // the block afterwards: the new table, with the rows in it that a person edited and that are kept
	Edited      []int          // rows of the block, as found, that a person edited
	Overwritten []storage.OverwrittenRow
	Before      checksum.Block // after a write that was not settled: what stands there and is Mooring's; else zero
}

// planner holds the three tables of a three-way refresh: what was written last, what stands there, what should.
type planner struct {
	last   written
	view   host.View
	ours   *checksum.Grid
	block  checksum.Block // of ours
	onEdit OnEdit
	shift  bool // rows of cells may be moved
}

// plan is pure: it decides, from what was read, every cell that the run will touch, or the conflict that stops it.
func (p planner) plan() (Plan, *placements.Fault) {
	extent, fault := p.standing()
	if fault != nil {
		return Plan{}, fault
	}
	cells := p.view.Cells.Crop(extent)
	theirs := p.theirs(cells.Block(), extent)
	base := p.last.base(cells, extent)
	merged := checksum.Merge(base, theirs, p.block)
	plan, fault := p.decide(&merged, cells, extent)
	if fault != nil {
		return Plan{}, fault
	}
	plan.Edited = merged.Edited
	if len(p.last.intended.Fingerprints) > 0 {
		plan.Before = base
	}
	return plan, p.foreign(plan, extent)
}

// decide applies the policy for edited rows.
func (p planner) decide(m *checksum.Merged, cells *checksum.Grid, extent checksum.Extent) (Plan, *placements.Fault) {
	edited := len(m.Edited) > 0 || len(m.Deleted) > 0
	switch {
	case edited && p.onEdit == Stop:
		return Plan{}, conflict("%s: refresh with onEdit \"keep\" or \"overwrite\", or undo the edit", p.edits(m))
	case edited && p.onEdit == Overwrite && len(m.Edited) > maxOverwritten:
		return Plan{}, conflict("%d rows of the block were edited by hand, more than the %d whose values a run can keep: nothing was overwritten",
			len(m.Edited), maxOverwritten)
	case p.onEdit == Overwrite:
		return Plan{Plan: pick(p.shift, m.OverwriteShift, m.Overwrite), Grid: p.ours, Overwritten: p.overwritten(cells, extent, m.Edited)}, nil
	}
	plan := Plan{Plan: pick(p.shift, m.KeepShift, m.Keep), Grid: m.Kept(cells, p.ours)}
	return plan, p.formulasKept(plan.Plan, extent)
}

func pick(shift bool, with, without func() checksum.Plan) checksum.Plan {
	if shift {
		return with()
	}
	return without()
}

// formulasKept refuses a plan that would write over a formula in order to move a kept row: its value could be moved, the formula not.
func (p planner) formulasKept(plan checksum.Plan, extent checksum.Extent) *placements.Fault {
	for _, f := range p.view.Formulas {
		if f.Row >= extent.Rows || f.Column >= extent.Columns {
			continue // not in the block: foreign looks at it
		}
		for _, rows := range plan.Rows {
			if rows.From <= f.Row && f.Row < rows.To && f.Column < p.block.Columns {
				return conflict("the formula in %s is in the way of rows that moved: move it out of the block, or refresh with onEdit \"overwrite\"",
					spot(p.view, f.Row, f.Column))
			}
		}
		for _, r := range plan.Clear {
			if r.Row <= f.Row && f.Row < r.Row+r.Rows && r.Column <= f.Column && f.Column < r.Column+r.Columns {
				return conflict("the formula in %s stands where the block has shrunk: move it out of the block, or refresh with onEdit \"overwrite\"",
					spot(p.view, f.Row, f.Column))
			}
		}
	}
	return nil
}

// edits says what a person did to the block.
func (p planner) edits(m *checksum.Merged) string {
	if len(m.Edited) == 0 {
		return fmt.Sprintf("%d rows of the block were deleted by hand", len(m.Deleted))
	}
	return fmt.Sprintf("%s of the block %s edited by hand", rowList(p.view, m.Edited), wereWas(m.Edited))
}

// standing is the rectangle that holds our block now. Without a marker the stored address is believed only when the block's header is
// there: a placement may have been moved by name alone, onto cells that a person filled.
func (p planner) standing() (checksum.Extent, *placements.Fault) {
	if p.view.Marked {
		return p.view.Extent, nil
	}
	width := max(p.last.extent.Columns, p.ours.Columns())
	at := headerOf(p.view.Cells, width)
	known := len(p.last.block.Fingerprints) > 0
	switch {
	case at == headerOf(p.ours, width):
		return p.last.extent, nil
	case known && at == p.last.block.Fingerprints[0]:
		return p.last.extent, nil
	case known:
		return checksum.Extent{}, conflict("the block is not at %s any more and its marker is gone: connect the report again where it should stand",
			spot(p.view, 0, 0))
	case p.last.report != nil && p.last.report.Equal(p.view.Cells.Crop(p.last.extent).Checksum()):
		return p.last.extent, nil
	}
	return checksum.Extent{}, nil
}

// headerOf is the fingerprint of a table's first row.
func headerOf(g *checksum.Grid, columns int) uint64 {
	b := g.Crop(checksum.Extent{Rows: 1, Columns: columns}).Block()
	if len(b.Fingerprints) == 0 {
		return emptyRow()
	}
	return b.Fingerprints[0]
}

// theirs is the block as it stands. A row that already is as it should be, beyond the old extent too, counts as ours: an
// attempt that wrote and then died must not find itself in conflict with its own cells. A formula is a person's, whatever it shows.
func (p planner) theirs(theirs checksum.Block, extent checksum.Extent) checksum.Block {
	theirs.Columns = extent.Columns
	ours := p.block.Fingerprints
	wide := p.view.Cells.Crop(checksum.Extent{Rows: len(ours), Columns: max(extent.Columns, p.ours.Columns())}).Block().Fingerprints
	for i := range min(len(theirs.Fingerprints), len(wide), len(ours)) {
		if wide[i] == ours[i] {
			theirs.Fingerprints[i] = ours[i]
		}
	}
	for i := extent.Rows; i < min(len(wide), len(ours)) && wide[i] == ours[i]; i++ {
		theirs.Fingerprints = append(padded(theirs.Fingerprints, i), ours[i])
	}
	for _, f := range p.view.Formulas {
		if f.Row >= extent.Rows || f.Column >= extent.Columns {
			continue
		}
		theirs.Fingerprints = padded(theirs.Fingerprints, f.Row+1)
		theirs.Fingerprints[f.Row] = ^p.baseRow(f.Row)
	}
	return theirs
}

// padded is list with empty rows up to length n.
func padded(list []uint64, n int) []uint64 {
	for len(list) < n {
		list = append(list, emptyRow())
	}
	return list
}

// emptyRow is the fingerprint of a row without cells.
func emptyRow() uint64 {
	var b checksum.Builder
	b.EndRow()
	return b.Grid().Block().Fingerprints[0]
}

// baseRow is the fingerprint that row i was given when it was written; its complement never equals it.
func (p planner) baseRow(i int) uint64 {
	if i < len(p.last.block.Fingerprints) {
		return p.last.block.Fingerprints[i]
	}
	return 0
}

// foreign refuses to grow into cells that are not ours.
func (p planner) foreign(plan Plan, extent checksum.Extent) *placements.Fault {
	moved := 0
	for _, s := range plan.Shifts {
		moved += s.Rows
	}
	ours := plan.Grid.Extent()
	wide := p.view.Cells.Crop(checksum.Extent{Rows: p.view.Cells.Rows(), Columns: ours.Columns}).Block()
	formula := make(map[host.Position]bool, len(p.view.Formulas))
	for _, f := range p.view.Formulas {
		formula[f.Position] = true
	}
	var cells []checksum.Cell
	for row := range p.view.Cells.Rows() {
		if row < extent.Rows && ours.Columns <= extent.Columns {
			continue
		}
		if row >= extent.Rows && row+moved >= ours.Rows {
			break
		}
		if row < ours.Rows && wide.Fingerprints[row] == p.block.Fingerprints[row] {
			continue
		}
		cells = p.view.Cells.Cells(row, cells[:0])
		for column := range ours.Columns {
			inside := row < extent.Rows && column < extent.Columns
			filled := column < len(cells) && cells[column].Kind != checksum.Empty || formula[host.Position{Row: row, Column: column}]
			if !inside && filled {
				return conflict("the report now needs %d rows and %d columns from %s, but %s holds something that is not its own: clear that cell or move the report",
					ours.Rows, ours.Columns, spot(p.view, 0, 0), spot(p.view, row, column))
			}
		}
	}
	return nil
}

// overwrittenFormula is what a run keeps of a cell that held a formula: the formula as it was typed, and the value that it showed.
type overwrittenFormula struct {
	Formula string `json:"formula"`
	Value   any    `json:"value"`
}

// overwritten is what stands in the edited rows of the block: the values, and for a formula an overwrittenFormula. A cell that the
// formula of another one fills is kept as its value.
func (p planner) overwritten(theirs *checksum.Grid, extent checksum.Extent, edited []int) []storage.OverwrittenRow {
	rows := make([]storage.OverwrittenRow, 0, len(edited))
	for _, row := range edited {
		values := []any{} // a row that was emptied is [] in JSON, not null
		if row < theirs.Rows() {
			for _, c := range theirs.Cells(row, nil) {
				values = append(values, value(c))
			}
		}
		if values = p.withFormulas(values, row, extent.Columns); len(values) > 0 || row < theirs.Rows() {
			rows = append(rows, storage.OverwrittenRow{Row: row, Values: values})
		}
	}
	return rows
}

// withFormulas puts the formulas of a row in the places of the values that they show, of which empty ones at its end may be missing.
func (p planner) withFormulas(values []any, row, columns int) []any {
	from, _ := slices.BinarySearchFunc(p.view.Formulas, row, func(f host.Formula, row int) int { return cmp.Compare(f.Row, row) })
	for _, f := range p.view.Formulas[from:] {
		if f.Row != row {
			break
		}
		if f.Text == "" || f.Column >= columns {
			continue
		}
		for len(values) <= f.Column {
			values = append(values, nil)
		}
		values[f.Column] = overwrittenFormula{Formula: f.Text, Value: values[f.Column]}
	}
	return values
}

// value is a cell as JSON shows it.
func value(c checksum.Cell) any {
	switch c.Kind {
	case checksum.Number:
		return c.Number
	case checksum.True, checksum.False:
		return c.Kind == checksum.True
	case checksum.Text, checksum.Error:
		return c.Text
	}
	return nil
}

func conflict(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Conflict, Message: fmt.Sprintf(format, args...)}
}

// spot names a cell of the block as the user sees it.
func spot(v host.View, row, column int) string {
	at := placements.Anchor{Row: v.Anchor.Row + row, Column: v.Anchor.Column + column}
	return placements.Location{Sheet: v.Sheet, Anchor: at}.String()
}

// rowList names the first rows of a list by their numbers in the sheet.
func rowList(v host.View, rows []int) string {
	const shown = 5
	s := "row"
	if len(rows) > 1 {
		s = "rows"
	}
	for i, r := range rows {
		if i == shown {
			return fmt.Sprintf("%s and %d more", s, len(rows)-shown)
		}
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf(" %d", v.Anchor.Row+r+1)
	}
	return s
}

func wereWas(rows []int) string {
	if len(rows) == 1 {
		return "was"
	}
	return "were"
}
