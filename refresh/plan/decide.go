package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// Decide returns every change that the run makes to the block, or the conflict that stops it.
func Decide(in Input) (Changes, *placements.Fault) {
	in.Last.Completed = withReturned(in.Last.Completed, in.Edits)
	key, err := checksum.NewRowKey(in.Ours, in.RowKey)
	if err != nil {
		return Changes{}, in.keyConflict(err)
	}
	c, fault := in.find()
	if fault != nil {
		return Changes{}, fault
	}
	p := decider{tables: c, key: key}
	if change, ok := p.tables.columnsChanged(); ok {
		return p.columnsOverwritten(change)
	}
	return p.merge()
}

// merge merges the three tables, and refuses where it is not known whose what stands is.
func (p *decider) merge() (Changes, *placements.Fault) {
	var put PutBack
	p.tables, put = p.tables.putBack()
	merged := checksum.Merge(p.tables.base, p.tables.standing(), p.tables.Ours, p.tables.Block, p.key)
	if fault := cmp.Or(p.tables.doubtful(&merged), p.tables.unlike(&merged)); fault != nil {
		return Changes{}, fault
	}
	if headings := p.tables.mostEdited(&merged); headings != nil && p.tables.OnEdit != placements.Overwrite && p.tables.document == nil {
		return Changes{}, p.tables.columnConflict(shortList(headings) + " and most rows below were edited together inside the block")
	}
	plan, fault := p.decide(&merged)
	if fault != nil {
		return Changes{}, fault
	}
	plan.Moved, plan.Returned, plan.PutBack, plan.Over = merged.Moved, len(merged.Deleted), put, p.tables.over
	after := checksum.Contents{Grid: p.tables.Ours, Fingerprints: p.tables.Block.Fingerprints}
	if p.tables.OnEdit != placements.Overwrite {
		after = checksum.Contents{Grid: merged.Kept, Fingerprints: merged.KeptBlock().Fingerprints}
	}
	p.differs(&plan, checksum.Contents{Grid: p.tables.asItStands().stands, Fingerprints: merged.Stood().Fingerprints}, after, p.key)
	p.stamp(&plan, after.Fingerprints, people(&merged, p.tables.OnEdit))
	return p.finish(plan)
}

// finish adds to a plan what it leaves to be remembered, and refuses to grow into cells that are not ours.
func (p *decider) finish(plan Changes) (Changes, *placements.Fault) {
	plan.Memory.Rows, plan.Memory.Header, plan.Memory.Formats = p.tables.Block, header(p.tables.Ours), p.tables.Formats
	plan.Memory.Held = p.tables.Held
	plan.FormatsBefore = p.tables.formatsStanding()
	plan.Unfinished, plan.Others = p.tables.Last.unfinished(
		*plan.Memory.Last(), otherWrites*max(len(p.tables.Block.Fingerprints), len(p.tables.base.Fingerprints)))
	if begun := p.tables.Last.Generations.Begun; len(p.tables.Last.Begun) > 0 {
		plan.Earlier = begun[max(0, len(begun)-otherWrites):]
	}
	plan.Inherited = p.tables.inherited(plan.Overwritten)
	if fault := plan.Overfull(); fault != nil {
		return Changes{}, fault
	}
	plan.Grid = plan.Grid.Padded(p.tables.Means.Takes(p.tables.extent.Rows, plan.Grid.Rows()))
	return plan, p.tables.foreign(plan)
}

// inherited are the rows that earlier attempts were to replace, but for those that stand somewhere in the block as they did, and those in
// whose place this run replaces one: a plan that was made again, since a person had typed there meanwhile.
func (p *comparison) inherited(replaced []OverwrittenRow) (rows []OverwrittenRow) {
	if len(p.Last.Overwritten) == 0 {
		return nil
	}
	stands := p.typedRows()
	for _, earlier := range p.Last.Overwritten {
		values := encoded(earlier)
		if stands[values] > 0 {
			stands[values]--
			continue
		}
		if !slices.ContainsFunc(replaced, func(r OverwrittenRow) bool { return r.Row == earlier.Row }) {
			rows = append(rows, earlier)
		}
	}
	return rows
}

// typedRows counts the rows of the block that the last write did not leave so, by their values.
func (p *comparison) typedRows() map[string]int {
	ours := p.base.Set()
	typed := map[string]int{}
	for row, fingerprint := range p.stands.Block().Fingerprints {
		if !ours[fingerprint] {
			typed[encoded(p.overwritten([]int{row})[0])]++
		}
	}
	return typed
}

// encoded is a row's values in JSON, as the store keeps them.
func encoded(r OverwrittenRow) string {
	text, err := json.Marshal(r.Values)
	if err != nil {
		return ""
	}
	return string(text)
}

// decide applies the policy for what a person did.
func (p *decider) decide(m *checksum.Merged) (Changes, *placements.Fault) {
	edited := len(m.Edited) > 0 || len(m.Deleted) > 0 && !p.tables.cleared()
	switch {
	case edited && p.tables.OnEdit == placements.Stop:
		return Changes{}, Overwritable("%s: refresh with onEdit \"keep\" or \"overwrite\", or undo the edit", p.tables.describeEdits(m))
	case p.tables.OnEdit == placements.Overwrite:
		return p.overwrite(uniqueRows(slices.Concat(m.Edited, lostRows(m))), m.Overwrite(p.tables.Means))
	}
	return p.keep(m)
}

// overwrite writes the block anew over those rows that a person edited.
func (p *decider) overwrite(edited []int, plan checksum.RowPlan) (Changes, *placements.Fault) {
	if len(edited) > MaxOverwritten {
		return Changes{}, Conflict("%d rows of the block at %s were edited by hand, more than the %d whose values a run can keep: "+
			"refresh with onEdit \"keep\", or clear the block to have it written anew", len(edited), spot(p.tables.View, 0, 0), MaxOverwritten)
	}
	return Changes{RowPlan: plan, Grid: p.tables.Ours, Overwritten: p.tables.overwritten(edited), EditedRows: p.tables.sheetRows(edited)}, nil
}

// keep keeps what a person typed.
func (p *decider) keep(m *checksum.Merged) (Changes, *placements.Fault) {
	lost, fault := p.lost(m)
	if fault != nil {
		return Changes{}, fault
	}
	plan := Changes{RowPlan: m.Keep(p.tables.Means), Grid: m.Kept, Overwritten: p.tables.overwritten(lost)}
	plan.Overwritten = append(plan.Overwritten, p.tables.asItStands().overwritten(p.tables.replaces)...)
	if fault := p.placeFormulas(&plan, m); fault != nil {
		return Changes{}, fault
	}
	p.remember(&plan, m)
	return plan, nil
}

// lost lists the rows of cells that cannot be kept, whose values go into the run. A cell that is known to be a person's must not go with a
// column that the source has dropped.
func (p *decider) lost(m *checksum.Merged) (rows []int, fault *placements.Fault) {
	for _, c := range m.Lost {
		if c.Known && !c.Returned {
			return nil, Overwritable("%s (%s) was typed by hand in a column that the report does not have any more: move it out of the block, "+
				"or refresh with onEdit \"overwrite\"", spot(p.tables.View, c.Row, c.Column), columnName(p.tables.base.Header, c.Column))
		}
	}
	rows = uniqueRows(lostRows(m))
	if len(rows) > MaxOverwritten {
		return nil, Conflict("cells of %d rows cannot be kept, more than the %d whose values a run can keep: "+
			"move them out of the block, or clear it to have it written anew", len(rows), MaxOverwritten)
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

// columnsOverwritten refuses a block whose columns a person changed, unless it is to be overwritten.
func (p *decider) columnsOverwritten(change checksum.ColumnEdit) (Changes, *placements.Fault) {
	if p.tables.OnEdit != placements.Overwrite {
		return Changes{}, p.tables.columnConflict(fmt.Sprintf("column %s was %s inside the block", p.tables.changedColumn(change), change.Kind))
	}
	stands := p.tables.standing()
	edited := checksum.Strangers(p.tables.base, p.tables.stands, p.tables.Ours)
	plan, fault := p.overwrite(edited, p.tables.Means.Anew(stands, p.tables.Ours, p.tables.Block, p.key))
	if fault != nil {
		return Changes{}, fault
	}
	p.differs(&plan, checksum.Contents{Grid: p.tables.stands, Fingerprints: stands.Block.Fingerprints},
		checksum.Contents{Grid: p.tables.Ours, Fingerprints: p.tables.Block.Fingerprints}, checksum.RowKey{})
	p.stamp(&plan, p.tables.Block.Fingerprints, nil)
	return p.finish(plan)
}

// stamp adds to a plan the stamp of its write. rows are those of the block afterwards, people those among them with cells of a person.
func (p *decider) stamp(plan *Changes, rows []uint64, people map[int]bool) {
	var stands stamp
	if !p.tables.Claimed {
		stands, _ = parseStamp(p.tables.View.Stamp)
	}
	plan.Memory.Generation = p.tables.Last.Generations.next(p.tables.Now, stands.generation)
	plan.Stamp = newStamp(plan.Memory.Generation, plan.Grid.Columns(), rows, people).String()
}

// keyConflict says what is wrong with the report's row key.
func (in Input) keyConflict(err error) *placements.Fault {
	bad, ok := errors.AsType[*checksum.KeyError](err)
	if !ok {
		return Conflict("the report's rowKey cannot be used: %v", err)
	}
	if bad.Column != "" {
		return Conflict("the report's rowKey names column %s, which its result does not have: correct rowKey, or the query",
			quoted(bad.Column))
	}
	double := "one value"
	if !in.Personal {
		double = values(bad.Values)
	}
	return Conflict("the report's rowKey %s does not tell rows apart: %s stands in two rows of the result: "+
		"choose columns whose values are distinct, or correct the query", names(in.RowKey), double)
}

// people are the rows of a person's cells that a merge keeps.
func people(m *checksum.Merged, onEdit placements.OnEdit) map[int]bool {
	rows := map[int]bool{}
	if onEdit != placements.Overwrite {
		for _, row := range m.People {
			rows[row.Row] = true
		}
	}
	return rows
}
