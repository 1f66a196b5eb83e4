package refresh

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/trace"
	"mooring/storage/work"
)

// write makes all blocks of the jobs show their tables. The error is that of all blocks which have no result of their own.
func (b *batch) write(lease context.Context, jobs []*job) error {
	start := time.Now()
	blocks, err := b.load(lease, jobs)
	if err != nil {
		return err
	}
	h, fault := b.hostOf(b.ref)
	if fault != nil {
		return fault
	}
	s, err := b.open(lease, h, b.ref)
	if err != nil {
		return err
	}
	defer b.close(lease, s)
	defer b.followed(lease)
	err = b.writeParts(lease, s, blocks, checksum.Means{Shifts: h.MaxShifts(), Move: h.CanMove()})
	b.documents.startWrite(jobs) // those that no part had
	took := time.Since(start)
	for _, j := range jobs {
		j.blocks[0].took = took
	}
	return err
}

func (b *batch) close(ctx context.Context, s host.Session) {
	if err := s.Close(); err != nil {
		b.log.WarnContext(ctx, "document not closed", "tenant", b.ref.tenant, "document", b.ref.id, "error", err)
	}
}

// load reads what is recorded of the blocks and returns those that can be written.
func (b *batch) load(lease context.Context, jobs []*job) ([]*block, error) {
	var blocks []*block
	var list []work.BlockQuery
	for _, j := range jobs {
		for _, one := range j.blocks {
			blocks = append(blocks, one)
			list = append(list, work.BlockQuery{
				Deployment: j.attempt.d, ReportID: j.attempt.run.ReportID, Known: one.known, Size: one.table.grid.Extent(),
			})
		}
	}
	records, err := b.queue.Blocks(lease, b.ref.tenant, list)
	if err != nil {
		return nil, err
	}
	for i, one := range blocks {
		one.load(records[i])
	}
	b.all = blocks
	return pending(blocks), nil
}

// find reads the blocks, plans them, and returns those that can be written.
func (b *batch) find(ctx context.Context, s host.Session, blocks []*block, has checksum.Means) ([]*block, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	views, err := read(ctx, s, blocks)
	if err != nil {
		return nil, err
	}
	ctx, span := trace.Start(ctx, "plan")
	defer span.End()
	foundStatuses(blocks, views[len(blocks):])
	for i, one := range blocks {
		one.found(ctx, views[i], has)
	}
	blocks = pending(blocks)
	if err := b.readBeside(ctx, s, blocks); err != nil {
		return nil, err
	}
	blocks = pending(blocks)
	if err := b.meet(ctx, s, blocks); err != nil {
		return nil, err
	}
	blocks = pending(blocks)
	separate(blocks)
	return pending(blocks), nil
}

// read reads the cells of blocks, and then their status cells.
func read(ctx context.Context, s host.Session, blocks []*block) (views []host.Found, err error) {
	ctx, span := trace.Start(ctx, "read")
	defer func() { failSpan(span, err); span.End() }()
	list := make([]host.Wanted, len(blocks))
	for i, b := range blocks {
		list[i] = b.wanted()
	}
	if views, err = s.Read(ctx, append(list, wantedStatuses(blocks)...)); err != nil {
		return nil, err
	}
	return views, readUnmarked(ctx, s, blocks, views)
}

// readUnmarked reads those blocks anew, at their recorded places, whose markers are stray.
func readUnmarked(ctx context.Context, s host.Session, blocks []*block, views []host.Found) error {
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
func changed(blocks []*block) []*block {
	var list []*block
	for _, b := range blocks {
		switch {
		case b.job.err != nil:
		case b.unchanged():
			b.done, b.plan.Memory.Generation = true, b.standing()
		default:
			list = append(list, b)
		}
	}
	return list
}

// writeAhead notes what is about to be written, and returns the blocks that may be: those whose runs have no later attempt.
func (b *batch) writeAhead(lease context.Context, blocks []*block) ([]*block, error) {
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
	noted, err := b.queue.WriteAhead(lease, list)
	if err != nil {
		return nil, err
	}
	for i, one := range blocks {
		if !noted[i] {
			one.err = errOvertaken
		}
	}
	return pending(blocks), nil
}

// apply writes the blocks: all in one step or, when the host refuses that, one by one, so that only what it refuses fails.
func (b *batch) apply(lease context.Context, s host.Session, blocks []*block) error {
	blocks, err := b.writeAhead(lease, blocks)
	if err != nil || len(blocks) == 0 {
		return err
	}
	alone := len(blocks) == 1
	if err = b.applyAll(lease, s, blocks); err == nil || alone && !blocks[0].writesStatus() || !refused(err) {
		return err
	}
	for _, one := range blocks {
		if !alone {
			err = b.applyOne(lease, s, one)
		}
		if refused(err) && one.writesStatus() {
			one.dropStatus(err)
			err = b.applyOne(lease, s, one)
		}
		switch {
		case refused(err):
			one.err = err
		case err != nil:
			return err
		}
	}
	return nil
}

// applyOne writes one block, if its run has no later attempt: the document may have been lost since.
func (b *batch) applyOne(lease context.Context, s host.Session, one *block) error {
	noted, err := b.writeAhead(lease, []*block{one})
	if err != nil || len(noted) == 0 {
		return err
	}
	return b.applyAll(lease, s, noted)
}

// applyAll writes the blocks, and their status cells, in one step.
func (b *batch) applyAll(ctx context.Context, s host.Session, blocks []*block) error {
	patches := make([]host.Patch, len(blocks))
	for i, one := range blocks {
		patches[i] = one.patch()
	}
	for _, one := range blocks {
		if one.writesStatus() {
			patches = append(patches, one.statusPatch())
		}
	}
	ctx, span := trace.Start(ctx, "write")
	defer span.End()
	for _, one := range blocks {
		one.sent = true
	}
	results, err := s.Write(ctx, patches)
	for _, one := range blocks {
		one.sent = !refused(err)
	}
	if failSpan(span, err); err != nil {
		return err
	}
	b.moved(blocks)
	for i, one := range blocks {
		one.wrote(patches[i], results[i])
	}
	return nil
}

// refused reports whether a host did not write because of what it was to write, or where: a protected range is a matter of access. A
// retryable fault concerns the whole document.
func refused(err error) bool {
	f, ok := errors.AsType[*placements.Fault](err)
	return ok && !retryable(f)
}

// parts divides blocks into those that are read and written together: all of them, unless what is read takes more than limit bytes. Those
// that others give way to come first then: a block that would grow into the cells of one of these finds them taken.
func parts(blocks []*block, limit int) (list [][]*block) {
	total := 0
	for _, b := range blocks {
		total += b.reads()
	}
	if total > limit {
		slices.SortStableFunc(blocks, (*block).order)
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

// writeParts makes blocks of a document show their tables, part by part.
func (b *batch) writeParts(lease context.Context, s host.Session, blocks []*block, has checksum.Means) error {
	for _, part := range parts(blocks, b.rooms.runs.part) {
		if err := b.writePart(lease, s, part, has); err != nil {
			return err
		}
	}
	return nil
}

// writePart reads, plans and writes some of a batch's blocks, once there is memory for what is read.
func (b *batch) writePart(lease context.Context, s host.Session, part []*block, has checksum.Means) error {
	bytes := 0
	for _, one := range part {
		bytes += one.reads()
		one.job.attempt.limit.pause()
	}
	done, err := b.rooms.runs.write(lease, bytes)
	for _, one := range part {
		one.job.attempt.limit.goOn()
	}
	if err != nil {
		return err
	}
	defer b.rooms.runs.collect()
	defer done()
	found, err := b.find(lease, s, part, has)
	if err != nil {
		return err
	}
	b.found = append(b.found, part...)
	b.documents.startWrite(jobsOf(part))
	writes := changed(found)
	planStatuses(writes, found)
	if len(writes) > 0 {
		err = b.identify(lease, s, part)
	}
	if err != nil {
		return err
	}
	if err = b.apply(lease, s, writes); err == nil && len(writes) > 0 {
		b.named(lease, s, writes[0].now.Home())
	}
	for _, one := range part {
		one.forget()
	}
	return err
}

func jobsOf(blocks []*block) (jobs []*job) {
	for _, b := range blocks {
		if !slices.Contains(jobs, b.job) {
			jobs = append(jobs, b.job)
		}
	}
	return jobs
}

// startWrite makes the jobs part of the write, without those whose attempt has ended.
func (d *documents) startWrite(jobs []*job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range jobs {
		switch {
		case j.state == jobWritten, j.state == jobAbandons: // since an earlier part
		case j.state == jobGone, j.ctx.Err() != nil:
			j.err = context.Cause(j.ctx)
		default:
			j.state = jobWritten
		}
	}
}
