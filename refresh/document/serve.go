package document

import (
	"context"
	"time"

	"mooring/refresh/fault"
	"mooring/refresh/trace"
	"mooring/storage/work"
)

// serve gathers the jobs, waits for the document, writes, and unlocks the document when every job has left.
func (b *batch) serve() {
	defer close(b.over)
	defer b.of.next(b)
	defer b.cancel()
	b.gather()
	held, lease, release, err := b.lock()
	jobs := b.of.shut(b)
	for _, j := range jobs {
		trace.Link(j.ctx, b.ctx)
	}
	if err == nil {
		defer release()
	}
	switch {
	case err == nil && len(jobs) > 0:
		b.write(Lease{held, lease}, jobs)
	default:
		for _, j := range jobs {
			j.outs = outcomes(j.tasks)
			fail(j.outs, err)
		}
	}
	for _, j := range jobs {
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
		j.member.cohort.gathered(ctx, b.ref)
	}
}

// job returns the job that was the i-th to join, nil when there are fewer.
func (b *batch) job(i int) *Job {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if i >= len(b.jobs) {
		return nil
	}
	return b.jobs[i]
}

// lock waits until the document is free. The observers of the runs are told for whom they wait, after tellAfter.
func (b *batch) lock() (held context.Context, lease work.DocumentLease, release func(), err error) {
	told := make(chan struct{})
	waiting, stop := context.WithCancel(b.ctx)
	go func() {
		defer close(told)
		if fault.Sleep(waiting, tellAfter) == nil {
			b.tell(waiting)
		}
	}()
	asked := time.Now()
	b.of.asks(b, asked)
	defer func() { stop(); <-told; trace.Since(b.ctx, "lock", asked).End() }()
	return b.by.Queue.LockDocument(b.ctx, b.ref.Tenant, b.by.Sites.LockName(b.ref))
}

// tell says who writes to the document.
func (b *batch) tell(ctx context.Context) {
	line := "waiting for " + b.by.Sites.LockName(b.ref)
	if who, err := b.by.Queue.DocumentWriter(ctx, b.ref.Tenant, b.by.Sites.LockName(b.ref)); err == nil && who != "" {
		line += ": " + who + " writes to it"
	}
	for i := 0; ; i++ {
		j := b.job(i)
		if j == nil {
			return
		}
		j.tasks[0].Progress(line)
	}
}

// write writes what the jobs want.
func (b *batch) write(lease Lease, jobs []*Job) {
	var tasks []*Task
	for _, j := range jobs {
		j.tasks[0].Limit.Resume()
		tasks = append(tasks, j.tasks...)
	}
	outs := b.by.Write(lease, b.ref, tasks)
	for _, j := range jobs {
		n := len(j.tasks)
		j.outs, outs = outs[:n:n], outs[n:]
		for i := range j.outs[1:] {
			j.outs[i+1].Took = 0
		}
	}
}

// begin makes the job part of the write, unless its attempt has ended.
func (j *Job) begin() {
	d := j.of
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case j.state == jobWritten, j.state == jobAbandons: // since an earlier part
	case j.state == jobGone, j.ctx.Err() != nil:
		j.err = context.Cause(j.ctx)
	default:
		j.state = jobWritten
	}
}

// gone reports whether the attempt had ended before the write.
func (j *Job) gone() bool { return j.err != nil }
