package document

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/plan"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// target is where a task is to be written, by what is recorded of the placement since the document is locked.
type target struct {
	task      *Task
	out       *Receipt
	sites     *site.Locator
	now       storage.Placed
	kept      work.Rows
	where     host.Block // it stands by its record
	last      plan.Last
	behind    string // see plan.Input
	proof     proof
	unproven  bool                       // nothing is remembered of it: a marker in the document may be an old one
	opened    bool                       // see remembered
	status    *sideCell                  // nil: the placement has none
	filters   *filtersCell               // nil: nothing is to stand there, and nothing of ours does
	told      []uint64                   // see remembered
	foreign   bool                       // see remembered
	unwritten bool                       // see remembered
	beside    bool                       // see origin
	newer     []record.DocumentPlacement // see checkNewer
	change    *record.BlockChange        // what the plan, or a write of an earlier attempt, changes; nil for nothing
}

// open reports whether nothing has come of the task yet.
func (b *target) open() bool { return !b.out.Left && !b.out.Done && b.out.Err == nil }

// draft is what is to be written at a target, where it was found. Everything before the write is read-only and the write is idempotent, so
// that it may be done again after any crash.
type draft struct {
	*target
	view     host.View
	plan     plan.Changes
	shifting bool              // rows of cells may be inserted and deleted
	at       placements.Anchor // where it stands: see moved
	follow   *host.Follow      // what follows the shifts; nil when it was not asked
	moves    string            // what the plan shifts, in words; empty for nothing
	strayed  []string          // of a plan that was forgotten, as plan.Changes says it
	shows    checksum.Extent   // of the block afterwards
	made     formula.Shifts    // by the writes, since it was read
}

// options are those of the block's placement in its run.
func (b *target) options() placements.Options { return b.task.options(b.now) }

// sideCell is the work on a cell outside the block of a placement: its status cell (faces.md §3) or the one for the applied filters
// (authoring.md §2). To a host it is a block of one cell with a marker of its own, which is read and written together with the placement's.
type sideCell struct {
	id    string // of its marker
	name  string // in words, before the cell
	where host.Block
	found host.Found
	write bool              // else it is left alone
	text  string            // to write; empty to empty it
	note  string            // why it is left alone although there is something to say
	at    placements.Anchor // where it stands: see write.moved
}

// filtersCell is the work on the cell above a block that says what its report is filtered by (authoring.md §2).
type filtersCell struct {
	sideCell
	want string // what it is to hold; empty for nothing
}

// sides are the cells outside the block of a placement that are read and written with it.
func (b *target) sides() (list []*sideCell) {
	if b.status != nil {
		list = append(list, b.status)
	}
	if b.filters != nil {
		list = append(list, &b.filters.sideCell)
	}
	return list
}
