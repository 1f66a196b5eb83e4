package refresh

import (
	"context"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
)

// blockJob is the work on one placement: make the block in its document show the table.
type blockJob struct {
	host      host.Host
	placement placements.Placement
	kept      storage.Rows // of the last writes
	table     *result
	onEdit    OnEdit
	shift     bool
	rowKey    []string
	run, now  string
	intend    func(fingerprints []byte) error // says what is about to be written; an error forbids it
}

// blockDone is what came of it.
type blockDone struct {
	plan    Plan
	view    host.View
	written host.Written
	calls   int
	took    time.Duration // of reading and writing
}

// belowRows is how many rows below the block are read: what was dragged out of it is looked for there.
const belowRows = 16

// refresh reads the block, plans and writes. Everything before the write is read-only and the write is idempotent, so that it may
// be done again after any crash.
func (j blockJob) refresh(ctx context.Context) (blockDone, error) {
	start := time.Now()
	var done blockDone
	last, marked, err := lastWritten(j.placement, j.kept, j.table.grid.Columns(), j.run)
	if err != nil {
		return done, err
	}
	block, fault := j.block()
	if fault != nil {
		return done, fault
	}
	find := block
	if !marked {
		find.PlacementID = "" // an old marker may stand where the placement was moved from
	}
	want := larger(last.reach(), j.table.grid.Extent())
	want.Rows += belowRows
	done.view, err = j.host.Read(ctx, find, want)
	done.calls += done.view.Calls
	if err != nil {
		return done, err
	}
	p := planner{
		last: last, edits: j.kept.Edits, view: done.view, ours: j.table.grid, block: j.table.block(), rowKey: j.rowKey,
		onEdit: j.onEdit, means: checksum.Means{Shift: j.shift && j.host.CanShift()}, now: j.now,
	}
	done.plan, fault = p.plan()
	if fault != nil {
		return done, fault
	}
	if err := j.write(ctx, block, &done); err != nil {
		return done, err
	}
	done.took = time.Since(start)
	return done, nil
}

// block is where the placement's record says that it stands.
func (j blockJob) block() (host.Block, *placements.Fault) {
	a, ok := j.placement.Address()
	if !ok {
		return host.Block{}, &placements.Fault{
			Class:   placements.Structure,
			Message: "the placement names no sheet and cell: connect the report again",
		}
	}
	return host.Block{
		Document: a.Document, PlacementID: j.placement.ID,
		SheetID: j.placement.SheetID, Sheet: a.Sheet, Anchor: a.Anchor,
	}, nil
}

// write applies the plan where the block was found. A block that already is as it should be and has its marker needs no write.
func (j blockJob) write(ctx context.Context, block host.Block, done *blockDone) error {
	extent := done.plan.Grid.Extent()
	if done.plan.Empty() && done.view.Marked && done.view.Extent == extent {
		return nil
	}
	intent, err := encodeIntent(j.placement, done.plan, j.run)
	if err != nil {
		return err
	}
	if err := j.intend(intent); err != nil {
		return err
	}
	block.SheetID, block.Sheet, block.Anchor = done.view.SheetID, done.view.Sheet, done.view.Anchor
	w, err := j.host.Write(ctx, host.Patch{
		Block: block, Revision: done.view.Revision,
		Grid: done.plan.Grid, Formats: j.table.formats,
		Shifts: done.plan.Shifts, Rows: done.plan.Rows, Clear: done.plan.Clear, Extent: extent,
	})
	done.written = w
	done.calls += w.Calls
	return err
}

// settled is a placement's record after the write, and what to keep beside it: where the block really stands, how large it is
// and what it holds.
func settled(p placements.Placement, done blockDone, t *result, stamp placements.Stamp) (placements.Placement, []byte, error) {
	extent := done.plan.Grid.Extent()
	at, before := done.view.Anchor, p.AddressKey()
	p.SheetName, p.AnchorCell = done.view.Sheet, at.String()
	p.EndResultCell = placements.Anchor{Row: at.Row + extent.Rows - 1, Column: at.Column + extent.Columns - 1}.String()
	if p.AddressKey() != before {
		p.ResultLocation = placements.Location{Sheet: p.SheetName, Anchor: at}.String()
	}
	if p.SheetID != "" && done.view.SheetID != "" {
		p.SheetID = done.view.SheetID
	}
	sum := t.grid.Checksum()
	p.ResultChecksum = &sum
	p.QueryChecksum = stamp.QueryChecksum
	p.RefreshedAt, p.RefreshedByUserID = placements.Time(stamp.Now), stamp.UserID
	if p.PlacedAt == "" {
		p.PlacedAt, p.PlacedByUserID = p.RefreshedAt, p.RefreshedByUserID
	}
	blob, err := encodeStored(p, done.plan.memory)
	return p, blob, err
}

func larger(a, b checksum.Extent) checksum.Extent {
	return checksum.Extent{Rows: max(a.Rows, b.Rows), Columns: max(a.Columns, b.Columns)}
}
