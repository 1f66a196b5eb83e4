package refresh

import (
	"errors"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
)

// OnEdit and its values are those of placements.
type OnEdit = placements.OnEdit

// What a run does with what a person did.
const (
	Keep      = placements.Keep
	Overwrite = placements.Overwrite
	Stop      = placements.Stop
)

// maxOverwritten bounds how many edited rows a run can keep the values of. Beyond it nothing is overwritten: a value
// that cannot be kept must not be lost.
const maxOverwritten = 1000

// otherWrites is how many writes in a row that were not completed are remembered.
const otherWrites = 8

// Plan is what a run will do to one block.
type Plan struct {
	checksum.Plan
	Grid     *checksum.Grid // the block afterwards: the new table, with the rows and cells in it that a person typed and that are kept
	Formulas []host.Formula // cells of rows written that hold a formula; without a text they are left as they are
	// FormatsBefore are the number formats that earlier writes gave to the columns as they stand.
	FormatsBefore []string

	Edits       []storage.Edit // cells afterwards that are not the source's
	EditedRows  []int          // rows of the sheet, from 1, with such cells; when they are overwritten, where they stood
	Overwritten []storage.OverwrittenRow
	Moved       int // rows that a person had moved
	Returned    int // rows that a person had deleted and that come back

	memory memory
	others []uint64 // rows that earlier writes which were not completed may leave
}

// planner holds the three tables of a three-way refresh: what was written last, what stands there, what should.
type planner struct {
	last   written
	edits  []storage.Edit // as of the last run
	view   host.View
	ours   *checksum.Grid
	block  checksum.Block // of ours
	rowKey []string
	// formats are the number formats of ours, one a column.
	formats []string
	held    held // of cells of ours, which is as the document holds it
	onEdit  OnEdit
	means   checksum.Means
	now     string // the time of the run
	// personal: the source shows each person other rows. A message, which others read too, then names no value of ours.
	personal bool

	extent checksum.Extent // of the block as it stands
	stands *checksum.Grid  // that block, formulas typed out
	// formulas are those of the block; the text is empty for a cell that the formula of another one fills. Only they are formulas, whatever
	// a text looks like.
	formulas map[host.Position]string
	base     checksum.Last
	before   []int // by column of ours: where it stands in the block
}

// plan is pure: it decides, from what was read, every cell that the run will touch, or the conflict that stops it.
func (p planner) plan() (Plan, *placements.Fault) {
	key, err := checksum.NewKey(p.ours, p.rowKey)
	if err != nil {
		return Plan{}, p.keyConflict(err)
	}
	fault := p.find()
	if fault != nil {
		return Plan{}, fault
	}
	if change, ok := p.columnsChanged(); ok {
		return p.columnsOverwritten(change)
	}
	merged := checksum.Merge(p.base, p.standing(), p.ours, p.block, key)
	if headings := p.mostEdited(&merged); headings != nil && p.onEdit != Overwrite {
		return Plan{}, p.columnConflict(shortList(headings) + " and most rows below were edited together inside the block")
	}
	plan, fault := p.decide(&merged)
	if fault != nil {
		return Plan{}, fault
	}
	plan.Moved, plan.Returned = merged.Moved, len(merged.Deleted)
	return p.complete(plan)
}

// complete adds to a plan what it leaves to be remembered, and refuses to grow into cells that are not ours.
func (p planner) complete(plan Plan) (Plan, *placements.Fault) {
	plan.memory.rows, plan.memory.header, plan.memory.formats = p.block, header(p.ours), p.formats
	plan.memory.held = p.held
	plan.FormatsBefore = p.formatsStanding()
	plan.others = p.last.others(otherWrites * max(len(p.block.Fingerprints), len(p.base.Fingerprints)))
	plan.Overwritten = p.withEarlier(plan.Overwritten)
	return plan, p.foreign(plan)
}

// withEarlier adds the rows that an earlier attempt of the run replaced and could not report.
func (p planner) withEarlier(rows []storage.OverwrittenRow) []storage.OverwrittenRow {
	for _, earlier := range p.last.overwritten {
		if !slices.ContainsFunc(rows, func(r storage.OverwrittenRow) bool { return r.Row == earlier.Row }) {
			rows = append(rows, earlier)
		}
	}
	return rows
}

// find finds our block in the view, and what was left there.
func (p *planner) find() *placements.Fault {
	var fault *placements.Fault
	if p.extent, fault = p.locate(); fault != nil {
		return fault
	}
	shows := p.standingCells()
	p.base = p.last.base(shows)
	if n := p.rowsPutBelow(shows); n > 0 {
		p.extent.Rows += n
		shows = p.standingCells()
	}
	inside := p.formulasInside(shows)
	p.stands = typed(shows, inside, p.sheetRow(0))
	p.formulas = make(map[host.Position]string, len(inside))
	for _, f := range inside {
		p.formulas[f.Position] = f.Text
	}
	if p.base.Header == nil && len(p.base.Fingerprints) > 0 {
		p.base.Header = p.headerLeft()
	}
	p.before = p.base.ColumnsBefore(header(p.ours), p.ours.Columns())
	return nil
}

// headerLeft is the header that was left last, if it is the one that stands there or the new one.
func (p *planner) headerLeft() []checksum.Cell {
	left := p.base.Fingerprints[0]
	for _, g := range []*checksum.Grid{p.stands, p.ours} {
		if cells := header(g); checksum.RowFingerprint(cells) == left {
			return cells
		}
	}
	return nil
}

func header(g *checksum.Grid) []checksum.Cell {
	if g.Rows() == 0 {
		return nil
	}
	return g.Cells(0, nil)
}

// standing is the block as it stands, as a merge takes it.
func (p *planner) standing() checksum.Standing {
	return checksum.Standing{
		Grid: p.stands, Block: checksum.Block{Fingerprints: p.stands.Block().Fingerprints, Columns: p.extent.Columns},
		Below: p.below(),
	}
}

// decide applies the policy for what a person did.
func (p *planner) decide(m *checksum.Merged) (Plan, *placements.Fault) {
	edited := len(m.Edited) > 0 || len(m.Deleted) > 0 && !p.cleared()
	switch {
	case edited && p.onEdit == Stop:
		return Plan{}, conflict("%s: refresh with onEdit \"keep\" or \"overwrite\", or undo the edit", p.describeEdits(m))
	case p.onEdit == Overwrite:
		return p.overwrite(uniqueRows(slices.Concat(m.Edited, lostRows(m))), m.Overwrite(p.means))
	}
	return p.keep(m)
}

// overwrite writes the block anew over those rows that a person edited.
func (p *planner) overwrite(edited []int, plan checksum.Plan) (Plan, *placements.Fault) {
	if len(edited) > maxOverwritten {
		return Plan{}, conflict("%d rows of the block at %s were edited by hand, more than the %d whose values a run can keep: "+
			"refresh with onEdit \"keep\", or clear the block to have it written anew", len(edited), spot(p.view, 0, 0), maxOverwritten)
	}
	return Plan{Plan: plan, Grid: p.ours, Overwritten: p.overwritten(edited), EditedRows: p.sheetRows(edited)}, nil
}

// keep keeps what a person typed.
func (p *planner) keep(m *checksum.Merged) (Plan, *placements.Fault) {
	lost, fault := p.lost(m)
	if fault != nil {
		return Plan{}, fault
	}
	plan := Plan{Plan: m.Keep(p.means), Grid: m.Kept, Overwritten: p.overwritten(lost)}
	if fault := p.placeFormulas(&plan, m); fault != nil {
		return Plan{}, fault
	}
	p.remember(&plan, m)
	return plan, nil
}

// lost lists the rows of cells that cannot be kept, whose values go into the run. A cell that is known to be a person's must not go with a
// column that the source has dropped.
func (p *planner) lost(m *checksum.Merged) (rows []int, fault *placements.Fault) {
	for _, c := range m.Lost {
		if c.Known && !c.Returned {
			return nil, conflict("%s (%s) was typed by hand in a column that the report does not have any more: move it out of the block, "+
				"or refresh with onEdit \"overwrite\"", spot(p.view, c.Row, c.Column), columnName(p.base.Header, c.Column))
		}
	}
	rows = uniqueRows(lostRows(m))
	if len(rows) > maxOverwritten {
		return nil, conflict("cells of %d rows cannot be kept, more than the %d whose values a run can keep: "+
			"move them out of the block, or clear it to have it written anew", len(rows), maxOverwritten)
	}
	return rows, nil
}

// lostRows lists the row of each cell that a merge has lost.
func lostRows(m *checksum.Merged) []int {
	rows := make([]int, len(m.Lost))
	for i, c := range m.Lost {
		rows[i] = c.Row
	}
	return rows
}

// uniqueRows sorts rows and drops the repeated ones.
func uniqueRows(rows []int) []int {
	slices.Sort(rows)
	return slices.Compact(rows)
}

// columnBefore is where a column of ours stands in the block now.
func (p *planner) columnBefore(column int) int {
	if column < len(p.before) {
		return p.before[column]
	}
	return column
}

// formatsStanding are the number formats that the columns of the block have from earlier writes: they went along where a person moved a
// column.
func (p *planner) formatsStanding() []string {
	if len(p.last.formats) == 0 || p.extent.Rows == 0 {
		return nil
	}
	headings := header(p.stands)
	formats := make([]string, p.extent.Columns)
	for column, before := range p.base.ColumnsBefore(headings, len(formats)) {
		if before < len(p.last.formats) {
			formats[column] = p.last.formats[before]
		}
	}
	return formats
}

// shows appends what the cells of a row of the block show.
func (p *planner) shows(row int, dst []checksum.Cell) []checksum.Cell {
	if row >= p.view.Cells.Rows() {
		return dst
	}
	return p.view.Cells.Cells(row, dst)
}

// foreign refuses to grow into cells that are not ours.
func (p *planner) foreign(plan Plan) *placements.Fault {
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
	var foreign []host.Position
	var cells []checksum.Cell
	for row := range p.view.Cells.Rows() {
		if row < p.extent.Rows && ours.Columns <= p.extent.Columns {
			continue
		}
		if row >= p.extent.Rows && row+moved >= ours.Rows {
			break
		}
		if row < len(p.block.Fingerprints) && wide.Fingerprints[row] == p.block.Fingerprints[row] {
			continue
		}
		cells = p.view.Cells.Cells(row, cells[:0])
		for column := range ours.Columns {
			inside := row < p.extent.Rows && column < p.extent.Columns
			filled := column < len(cells) && cells[column].Kind != checksum.Empty || formula[host.Position{Row: row, Column: column}]
			if !inside && filled {
				foreign = append(foreign, host.Position{Row: row, Column: column})
			}
		}
	}
	if foreign == nil {
		return nil
	}
	return p.inTheWay(foreign, ours, moved)
}

// keyConflict says what is wrong with the report's row key.
func (p planner) keyConflict(err error) *placements.Fault {
	bad, ok := errors.AsType[*checksum.KeyError](err)
	if !ok {
		return asFault(err)
	}
	if bad.Column != "" {
		return conflict("the report's rowKey names column %s, which its result does not have: correct rowKey, or the query", quoted(bad.Column))
	}
	double := "one value"
	if !p.personal {
		double = values(bad.Values)
	}
	return conflict("the report's rowKey %s does not tell rows apart: %s stands in two rows of the result: "+
		"choose columns whose values are distinct, or correct the query", names(p.rowKey), double)
}

func conflict(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Conflict, Message: fmt.Sprintf(format, args...)}
}

// spot names a cell of the block as the user sees it.
func spot(v host.View, row, column int) string {
	at := placements.Anchor{Row: v.Anchor.Row + row, Column: v.Anchor.Column + column}
	return placements.Location{Sheet: v.Sheet, Anchor: at}.String()
}
