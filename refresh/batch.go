package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage"
)

const (
	gatherLimit = 10 * time.Second // how long a batch waits for the cohorts of its jobs
	tellAfter   = time.Second      // how long a wait for a document goes unmentioned
)

// batch is what is written to one document together: opened once, written once, its runs completed under one lock.
type batch struct {
	*Engine
	ref    documentRef
	ctx    context.Context // ends when no job wants the batch any more
	cancel context.CancelFunc
	empty  chan struct{} // closed when all jobs have left
	over   chan struct{} // closed when the document is free again

	// Under documents.mu:
	jobs    []*job
	wanted  int  // jobs whose attempts have not ended
	members int  // jobs that have not left
	served  bool // a goroutine works on the batch
}

// newBatch returns a batch for a job of that context, whose values it keeps.
func newBatch(e *Engine, ref documentRef, ctx context.Context) *batch {
	b := &batch{Engine: e, ref: ref, empty: make(chan struct{}), over: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// serve gathers the jobs, waits for the document, writes, and unlocks the document when every job has left.
func (b *batch) serve() {
	defer close(b.over)
	defer b.documents.next(b)
	defer b.cancel()
	b.gather()
	lease, release, err := b.lock()
	jobs := b.documents.shut(b)
	if err == nil {
		defer release()
		err = b.safely(lease, jobs)
	}
	for _, j := range jobs {
		if err != nil {
			j.fail(err)
		}
		close(j.done)
	}
	if len(jobs) > 0 {
		<-b.empty
	}
}

// gather waits, not too long, for the attempts that were taken from the queues along with those that have joined.
func (b *batch) gather() {
	ctx, cancel := context.WithTimeout(b.ctx, gatherLimit)
	defer cancel()
	for i := 0; ; i++ {
		j := b.job(i)
		if j == nil {
			return
		}
		j.attempt.member.cohort.gathered(ctx, b.ref)
	}
}

// job returns the job that was the i-th to join, nil when there are fewer.
func (b *batch) job(i int) *job {
	b.documents.mu.Lock()
	defer b.documents.mu.Unlock()
	if i >= len(b.jobs) {
		return nil
	}
	return b.jobs[i]
}

// lock waits until the document is free. The observers of the runs are told for whom they wait, after tellAfter.
func (b *batch) lock() (lease context.Context, release func(), err error) {
	told := make(chan struct{})
	waiting, stop := context.WithCancel(b.ctx)
	go func() {
		defer close(told)
		if sleep(waiting, tellAfter) == nil {
			b.tell(waiting)
		}
	}()
	defer func() { stop(); <-told }()
	return b.queue.LockDocument(b.ctx, b.ref.tenant, b.ref.id)
}

// tell says who writes to the document.
func (b *batch) tell(ctx context.Context) {
	line := "waiting for " + b.ref.id
	if who, err := b.queue.DocumentWriter(ctx, b.ref.tenant, b.ref.id); err == nil && who != "" {
		line += ": " + who + " writes to it"
	}
	for i := 0; ; i++ {
		j := b.job(i)
		if j == nil {
			return
		}
		j.attempt.progress(line)
	}
}

// safely turns a panic of a host into an error: one bad document must not end the agent.
func (b *batch) safely(lease context.Context, jobs []*job) (err error) {
	if len(jobs) == 0 {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("write panicked", "tenant", b.ref.tenant, "document", b.ref.id, "panic", p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	for _, j := range jobs {
		j.attempt.limit.goOn()
	}
	err = b.write(lease, jobs)
	if cause := context.Cause(lease); err != nil && cause != nil {
		return cause
	}
	return err
}

// fail says that every block of the job without a result of its own met err.
func (j *job) fail(err error) {
	for _, b := range j.blocks {
		if !b.left && !b.done && b.err == nil {
			b.err = err
		}
	}
}

// write makes all blocks of the jobs show their tables. The error is that of all blocks which have no result of their own.
func (b *batch) write(lease context.Context, jobs []*job) error {
	start := time.Now()
	blocks, err := b.load(lease, jobs)
	if err != nil {
		return err
	}
	h, fault := b.host(b.ref.tenant, b.ref.host)
	if fault != nil {
		return fault
	}
	s, err := h.Open(lease, b.ref.id)
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.log.Warn("document not closed", "tenant", b.ref.tenant, "document", b.ref.id, "error", err)
		}
	}()
	err = b.writeParts(lease, s, blocks, checksum.Means{Shift: h.CanShift(), Move: h.CanMove()})
	b.documents.startWrite(jobs) // those that no part had
	took := time.Since(start)
	for _, j := range jobs {
		j.blocks[0].took = took
	}
	return err
}

// load reads what is recorded of the blocks and returns those that can be written.
func (b *batch) load(lease context.Context, jobs []*job) ([]*block, error) {
	var blocks []*block
	var list []storage.BlockQuery
	for _, j := range jobs {
		for _, one := range j.blocks {
			blocks = append(blocks, one)
			list = append(list, storage.BlockQuery{
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
	return pending(blocks), nil
}

// pending are the blocks that may still be written.
func pending(blocks []*block) []*block {
	var list []*block
	for _, b := range blocks {
		if !b.left && !b.done && b.err == nil {
			list = append(list, b)
		}
	}
	return list
}

// find reads the blocks, plans them, and returns those that can be written.
func find(ctx context.Context, s host.Session, blocks []*block, has checksum.Means) ([]*block, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	list := make([]host.Wanted, len(blocks))
	for i, b := range blocks {
		list[i] = b.wanted()
	}
	views, err := s.Read(ctx, append(list, wantedStatuses(blocks)...))
	if err != nil {
		return nil, err
	}
	foundStatuses(blocks, views[len(blocks):])
	for i, b := range blocks {
		b.found(views[i], has)
	}
	blocks = pending(blocks)
	separate(blocks)
	return pending(blocks), nil
}

// separate refuses the blocks that would grow into cells which another one of the batch takes: as if that one had been written already.
func separate(blocks []*block) {
	for i, b := range blocks {
		for _, other := range blocks[:i] {
			if b.err != nil || other.err != nil || !b.collides(other) {
				continue
			}
			older, newer := b, other
			if older.now.Claim > newer.now.Claim {
				older, newer = newer, older
			}
			older.err = plan.Conflict("the report would grow into cells that report %d takes, which was placed at %s after it: "+
				"move or disconnect one of the two",
				newer.job.attempt.run.ReportID, newer.now.ResultLocation)
		}
	}
}

// changed leaves out the blocks that are as they should be, which are done, and those whose attempts have ended.
func changed(blocks []*block) []*block {
	var list []*block
	for _, b := range blocks {
		switch {
		case b.job.err != nil:
		case b.unchanged():
			b.done = true
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
	list := make([]storage.WriteAhead, len(blocks))
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
	if err = applyAll(lease, s, blocks); err == nil || alone && !blocks[0].writesStatus() || !refused(err) {
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
	return applyAll(lease, s, noted)
}

// applyAll writes the blocks, and their status cells, in one step.
func applyAll(ctx context.Context, s host.Session, blocks []*block) error {
	patches := make([]host.Patch, len(blocks))
	for i, b := range blocks {
		patches[i] = b.patch()
	}
	for _, b := range blocks {
		if b.writesStatus() {
			patches = append(patches, b.statusPatch())
		}
	}
	results, err := s.Write(ctx, patches)
	if err != nil {
		return err
	}
	for i, b := range blocks {
		b.wrote(patches[i], results[i])
	}
	return nil
}

// refused reports whether a host did not write because of what it was to write, or where: a protected range is a matter of access. A
// retryable fault concerns the whole document.
func refused(err error) bool {
	f, ok := errors.AsType[*placements.Fault](err)
	return ok && !retryable(f)
}
