package refresh

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/trace"
	"mooring/storage/record"
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
	empty  chan struct{}              // closed when all jobs have left
	over   chan struct{}              // closed when the document is free again
	all    []*block                   // that are to be written
	found  []*block                   // that were read
	others []record.DocumentPlacement // of the document, besides: see meet
	made   formula.Shifts             // by the writes, in their order
	// identity is what the document is to say of itself from the next write on; zero for what it says.
	identity host.Identity

	// Under documents.mu:
	jobs    []*job
	wanted  int       // jobs whose attempts have not ended
	members int       // jobs that have not left
	served  bool      // a goroutine works on the batch
	asked   time.Time // when it began to wait for the document; zero while it gathers
	has     bool      // the document
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
		if sleep(waiting, tellAfter) == nil {
			b.tell(waiting)
		}
	}()
	asked := time.Now()
	b.documents.asks(b, asked)
	defer func() { stop(); <-told; trace.Since(b.ctx, "lock", asked).End() }()
	return b.queue.LockDocument(b.ctx, b.ref.tenant, b.lockOf(b.ref))
}

// tell says who writes to the document.
func (b *batch) tell(ctx context.Context) {
	line := "waiting for " + b.lockOf(b.ref)
	if who, err := b.queue.DocumentWriter(ctx, b.ref.tenant, b.lockOf(b.ref)); err == nil && who != "" {
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
			b.log.ErrorContext(b.ctx, "write panicked", "tenant", b.ref.tenant, "document", b.ref.id, "panic", p)
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

// cohort is the attempts that an agent took from the queues together. They were made together, for example by a refresh of a whole
// document, so each document waits for those of them that will write to it, and is written once.
type cohort struct {
	mu      sync.Mutex
	loading int                 // members that have not said where they will write
	coming  map[documentRef]int // members that will write there, and still query
	changed chan struct{}       // closed at the next change
}

// member is one attempt's part in its cohort. Its methods are for one goroutine.
type member struct {
	cohort *cohort
	loaded bool
	will   []documentRef // write there
}

// newCohort returns the n members of a cohort.
func newCohort(n int) []*member {
	c := &cohort{loading: n, coming: map[documentRef]int{}, changed: make(chan struct{})}
	members := make([]*member, n)
	for i := range members {
		members[i] = &member{cohort: c}
	}
	return members
}

// announce says where the member will write once it has queried.
func (m *member) announce(documents []documentRef) {
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
func (c *cohort) gathered(ctx context.Context, ref documentRef) {
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
