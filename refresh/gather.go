package refresh

import (
	"context"
	"fmt"
	"time"

	"mooring/refresh/fault"
	"mooring/refresh/site"
	"mooring/refresh/trace"
)

// serve gathers the jobs, waits for the document, writes, and unlocks the document when every job has left.
func (b *batch) serve() {
	defer close(b.over)
	defer b.documents.next(b)
	defer b.cancel()
	b.gather()
	lease, release, err := b.lock()
	jobs := b.documents.shut(b)
	for _, j := range jobs {
		trace.Link(j.ctx, b.ctx)
	}
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
		if fault.Sleep(waiting, tellAfter) == nil {
			b.tell(waiting)
		}
	}()
	asked := time.Now()
	b.documents.asks(b, asked)
	defer func() { stop(); <-told; trace.Since(b.ctx, "lock", asked).End() }()
	return b.queue.LockDocument(b.ctx, b.ref.Tenant, b.sites.LockName(b.ref))
}

// tell says who writes to the document.
func (b *batch) tell(ctx context.Context) {
	line := "waiting for " + b.sites.LockName(b.ref)
	if who, err := b.queue.DocumentWriter(ctx, b.ref.Tenant, b.sites.LockName(b.ref)); err == nil && who != "" {
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
			b.log.ErrorContext(b.ctx, "write panicked", "tenant", b.ref.Tenant, "document", b.ref.ID, "panic", p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	for _, j := range jobs {
		j.attempt.limit.Resume()
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

// announce says where the member will write once it has queried.
func (m *member) announce(documents []site.Ref) {
	m.change(func(c *cohort) {
		m.will = documents
		for _, ref := range documents {
			c.coming[ref]++
		}
	})
}

// ready says that no other member needs to wait for this one any more: it has joined the batch of the document that it writes first, or it
// has ended.
func (m *member) ready() {
	m.change(func(c *cohort) {
		for _, ref := range m.will {
			c.coming[ref]--
		}
		m.will = nil
	})
}

func (m *member) change(do func(*cohort)) {
	c := m.cohort
	c.mu.Lock()
	defer c.mu.Unlock()
	if !m.loaded {
		m.loaded = true
		c.loading--
	}
	do(c)
	close(c.changed)
	c.changed = make(chan struct{})
}

// gathered waits until no member can join the batch of that document any more, or until ctx ends.
func (c *cohort) gathered(ctx context.Context, ref site.Ref) {
	for {
		c.mu.Lock()
		complete, changed := c.loading == 0 && c.coming[ref] == 0, c.changed
		c.mu.Unlock()
		if complete {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
