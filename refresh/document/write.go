package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/refresh/trace"
	"mooring/storage/work"
)

// Write makes the blocks of all tasks show their tables. Its outcomes are in the order of tasks.
func (w *Editor) Write(lease Lease, ref site.Ref, tasks []*Task) []Receipt {
	outs := outcomes(tasks)
	one := &write{by: w, ref: ref}
	err := one.do(lease, outs)
	begin(tasks) // those that no part had
	if cause := context.Cause(lease.Context); err != nil && cause != nil {
		err = cause
	}
	fail(outs, err)
	return outs
}

// do makes all blocks show their tables. The error is that of all which have no result of their own. A panic of a host is one: one bad
// document must not end the agent.
func (w *write) do(lease Lease, outs []Receipt) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.by.Log.ErrorContext(lease.Context, "write panicked", "tenant", w.ref.Tenant, "document", w.ref.ID, "panic", p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	start := time.Now()
	targets, err := w.load(lease.Context, outs)
	if err != nil {
		return err
	}
	h, none := w.by.Sites.HostOf(w.ref)
	if none != nil {
		return none
	}
	s, err := w.by.Sites.Open(lease.Context, h, w.ref)
	if err != nil {
		return err
	}
	defer w.close(lease.Context, s)
	defer w.followed(lease.Context)
	err = w.parts(lease, s, targets, checksum.Means{Shifts: h.MaxShifts(), Move: h.CanMove()})
	for i := range outs {
		outs[i].Took = time.Since(start)
	}
	return err
}

func (w *write) close(ctx context.Context, s host.Session) {
	if err := s.Close(); err != nil {
		w.by.Log.WarnContext(ctx, "document not closed", "tenant", w.ref.Tenant, "document", w.ref.ID, "error", err)
	}
}

// load reads what is recorded of the blocks and returns those that can be written.
func (w *write) load(ctx context.Context, outs []Receipt) ([]*target, error) {
	list := make([]work.BlockQuery, len(outs))
	for i := range outs {
		o := outs[i].Task
		list[i] = work.BlockQuery{Deployment: o.Deployment, ReportID: o.Report.ID, Known: o.Placement, Size: o.Table.Grid.Extent()}
	}
	records, err := w.by.Queue.Blocks(ctx, w.ref.Tenant, list)
	if err != nil {
		return nil, err
	}
	for i := range outs {
		one := &target{task: outs[i].Task, out: &outs[i], sites: w.by.Sites}
		outs[i].target = one
		one.load(records[i])
		w.all = append(w.all, one)
	}
	return pending(w.all), nil
}

// find reads the blocks, plans them, and returns those that can be written.
func (w *write) find(ctx context.Context, s host.Session, targets []*target, has checksum.Means) (drafts []*draft, err error) {
	if len(targets) == 0 {
		return nil, nil
	}
	views, err := w.read(ctx, s, targets)
	if err != nil {
		return nil, err
	}
	ctx, span := trace.Start(ctx, "plan")
	defer span.End()
	foundSides(targets, views[len(targets):])
	for i, one := range targets {
		if !one.open() {
			continue // for what its cells say by now
		}
		if d := one.draft(ctx, views[i], has); d != nil {
			w.found, drafts = append(w.found, d), append(drafts, d)
		}
	}
	drafts = pending(drafts)
	if err := w.readBeside(ctx, s, drafts); err != nil {
		return nil, err
	}
	drafts = pending(drafts)
	if err := w.meet(ctx, s, drafts); err != nil {
		return nil, err
	}
	drafts = pending(drafts)
	for _, d := range drafts {
		d.checkCells()
	}
	drafts = pending(drafts)
	separate(drafts)
	drafts = pending(drafts)
	if err := readAbove(ctx, s, drafts); err != nil {
		return nil, err
	}
	planFilters(drafts)
	return drafts, nil
}

// read reads the cells of blocks, and then those outside them.
func (w *write) read(ctx context.Context, s host.Session, blocks []*target) (views []host.Found, err error) {
	ctx, span := trace.Start(ctx, "read")
	defer func() { fault.Mark(span, err); span.End() }()
	list := make([]host.Wanted, len(blocks))
	for i, b := range blocks {
		list[i] = b.wanted()
	}
	if views, err = w.readAll(ctx, s, append(list, wantedSides(blocks)...), blocks); err != nil {
		return nil, err
	}
	return views, readUnmarked(ctx, s, blocks, views)
}

// readUnmarked reads those blocks anew, at their recorded places, whose markers are stray.
func readUnmarked(ctx context.Context, s host.Session, blocks []*target, views []host.Found) error {
	var list []host.Wanted
	var which []int
	for i, b := range blocks {
		if b.stray(views[i]) {
			b.where.PlacementID = ""
			list, which = append(list, b.wanted()), append(which, i)
		}
	}
	if len(list) == 0 {
		return nil
	}
	again, err := s.Read(ctx, list)
	for n, found := range again {
		found.View.Calls += views[which[n]].View.Calls
		views[which[n]] = found
	}
	return err
}

// changed leaves out the blocks that are as they should be, which are done, and those whose attempts have ended.
func changed(blocks []*draft) []*draft {
	var list []*draft
	for _, b := range blocks {
		switch {
		case b.task.withdrawn():
		case b.unchanged():
			b.out.Done, b.plan.Memory.Generation = true, b.standing()
		default:
			list = append(list, b)
		}
	}
	return list
}

// writeAhead notes what is about to be written, and returns the blocks that may be: those whose runs have no later attempt.
func (w *write) writeAhead(lease Lease, blocks []*draft) ([]*draft, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	list := make([]work.WriteAhead, len(blocks))
	for i, one := range blocks {
		var err error
		if list[i], err = one.writeAhead(); err != nil {
			return nil, err
		}
	}
	noted, err := w.by.Queue.WriteAhead(lease.Context, lease.Document, list)
	if err != nil {
		return nil, err
	}
	for i, one := range blocks {
		if !noted[i] {
			one.out.Err = ErrOvertaken
		}
	}
	return pending(blocks), nil
}

// apply writes the blocks: all in one step or, when the host refuses that, one by one, so that only what it refuses fails.
func (w *write) apply(lease Lease, s host.Session, blocks []*draft) error {
	blocks, err := w.writeAhead(lease, blocks)
	if err != nil || len(blocks) == 0 {
		return err
	}
	alone := len(blocks) == 1
	if err = w.applyAll(lease.Context, s, blocks); err == nil || alone && !blocks[0].writesSides() || !refused(err) {
		return err
	}
	for _, one := range blocks {
		if !alone {
			err = w.applyOne(lease, s, one)
		}
		for refused(err) && one.dropSide(err) {
			err = w.applyOne(lease, s, one)
		}
		switch {
		case refused(err):
			one.out.Err = err
		case err != nil:
			return err
		}
	}
	return nil
}

// applyOne writes one block, if its run has no later attempt: the document may have been lost since.
func (w *write) applyOne(lease Lease, s host.Session, one *draft) error {
	noted, err := w.writeAhead(lease, []*draft{one})
	if err != nil || len(noted) == 0 {
		return err
	}
	return w.applyAll(lease.Context, s, noted)
}

// applyAll writes the blocks, and the cells outside them, in one step.
func (w *write) applyAll(ctx context.Context, s host.Session, blocks []*draft) error {
	patches := make([]host.Patch, len(blocks))
	for i, one := range blocks {
		patches[i] = one.patch()
	}
	for _, one := range blocks {
		for _, c := range one.sides() {
			if c.write {
				patches = append(patches, one.sidePatch(c))
			}
		}
	}
	ctx, span := trace.Start(ctx, "write")
	defer span.End()
	for _, one := range blocks {
		one.out.Sent = true
	}
	if w.sheet != nil {
		w.sheet.plan(blocks[0])
	}
	results, err := s.Write(ctx, patches)
	for _, one := range blocks {
		one.out.Sent = !refused(err)
	}
	if fault.Mark(span, err); err != nil {
		return err
	}
	w.moved(blocks)
	for i, one := range blocks {
		one.wrote(patches[i], results[i])
	}
	return nil
}

// refused reports whether a host did not write because of what it was to write, or where: a protected range is a matter of access. A
// retryable fault concerns the whole document.
func refused(err error) bool {
	f, ok := errors.AsType[*placements.Fault](err)
	return ok && !fault.Retryable(f)
}

// parts makes blocks of a document show their tables, part by part.
func (w *write) parts(lease Lease, s host.Session, targets []*target, has checksum.Means) error {
	for _, part := range parts(targets, w.by.Results.Runs.Part) {
		if err := w.part(lease, s, part, has); err != nil {
			return err
		}
	}
	return nil
}

// part reads, plans and writes some of the blocks, once there is memory for what is read.
func (w *write) part(lease Lease, s host.Session, part []*target, has checksum.Means) error {
	bytes := 0
	tasks := make([]*Task, len(part))
	for i, one := range part {
		bytes += one.reads()
		tasks[i] = one.task
		one.task.Limit.Pause()
	}
	room := w.by.Results.Runs
	done, err := room.Write(lease.Context, bytes)
	for _, o := range tasks {
		o.Limit.Resume()
	}
	if err != nil {
		return err
	}
	defer room.Collect()
	defer done()
	before := len(w.found)
	drafts, err := w.find(lease.Context, s, part, has)
	if err != nil {
		return err
	}
	found := w.found[before:]
	begin(tasks)
	writes := changed(drafts)
	planSides(writes, drafts)
	if len(writes) > 0 {
		err = w.identify(lease.Context, s, found)
	}
	if err != nil {
		return err
	}
	if err = w.apply(lease, s, writes); err == nil && len(writes) > 0 {
		w.named(lease.Context, s, writes[0].now.Home())
	}
	for _, one := range found {
		one.forget()
	}
	return err
}

// parts divides blocks into those that are read and written together: all of them, unless what is read takes more than limit bytes. Those
// that others give way to come first then: a block that would grow into the cells of one of these finds them taken.
func parts(blocks []*target, limit int) (list [][]*target) {
	total := 0
	for _, b := range blocks {
		total += b.reads()
	}
	if total > limit {
		slices.SortStableFunc(blocks, (*target).before)
	}
	for taken := 0; len(blocks) > 0; {
		n := 0
		for n < len(blocks) && (n == 0 || taken+blocks[n].reads() <= limit) {
			taken += blocks[n].reads()
			n++
		}
		list = append(list, blocks[:n])
		blocks, taken = blocks[n:], 0
	}
	return list
}

// pending are the targets, or drafts, that may still be written.
func pending[T interface{ open() bool }](list []T) (left []T) {
	for _, one := range list {
		if one.open() {
			left = append(left, one)
		}
	}
	return left
}
