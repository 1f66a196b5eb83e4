package document

import (
	"context"
	"errors"
	"sync"
	"time"

	"mooring/refresh/site"
)

const (
	gatherLimit = 10 * time.Second // how long a batch waits for the cohorts of its jobs
	tellAfter   = time.Second      // how long a wait for a document goes unmentioned
)

// Job is what an attempt has to do in one document. It belongs to the attempt, and between join and the close of done to its batch.
type Job struct {
	of     *Gathering
	member *Peer
	tasks  []*Task
	outs   []Receipt       // once it is done
	ctx    context.Context // the attempt's
	batch  *batch
	joined time.Time     // the batch, or one before it
	state  jobState      // under Gathering.mu
	done   chan struct{} // closed when the blocks are written, or are not going to be
	err    error         // why nothing of the job was written
}

type jobState int

// What becomes of a job.
const (
	jobWaits    jobState = iota // it may withdraw: nothing of it is written
	jobWritten                  // it is part of the write, and cannot withdraw any more
	jobAbandons                 // its attempt has ended since; the write goes on if others want it
	jobGone                     // it has withdrawn, or has left
)

// batch is what is written to one document together: opened once, written once, its runs completed under one lock.
type batch struct {
	of     *Gathering
	by     *Editor
	ref    site.Ref
	ctx    context.Context // ends when no job wants the batch any more
	cancel context.CancelFunc
	empty  chan struct{} // closed when all jobs have left
	over   chan struct{} // closed when the document is free again

	// Under Gathering.mu:
	jobs    []*Job
	wanted  int       // jobs whose attempts have not ended
	members int       // jobs that have not left
	served  bool      // a goroutine works on the batch
	asked   time.Time // when it began to wait for the document; zero while it gathers
	has     bool      // the document
}

// Gathering lets the attempts of this process that want to write to the same spreadsheet do it together: one batch at a time is
// written, and all who come meanwhile make up the next.
type Gathering struct {
	writer  *Editor
	mu      sync.Mutex
	open    map[site.Ref]*batch // takes jobs
	serving map[site.Ref]*batch // is waiting for the document or has it; until it has, it is open too
}

// NewGathering returns one of those who want a writer to write.
func NewGathering(w *Editor) *Gathering {
	return &Gathering{writer: w, open: map[site.Ref]*batch{}, serving: map[site.Ref]*batch{}}
}

// newBatch returns a batch for a job of that context, whose values it keeps.
func newBatch(d *Gathering, ref site.Ref, ctx context.Context) *batch {
	b := &batch{of: d, by: d.writer, ref: ref, empty: make(chan struct{}), over: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// Join adds a job, of tasks in one document, to the batch of the document that is open, or opens one.
func (d *Gathering) Join(ctx context.Context, ref site.Ref, m *Peer, tasks []*Task) *Job {
	j := &Job{of: d, ctx: ctx, member: m, tasks: tasks, done: make(chan struct{})}
	for _, o := range tasks {
		o.job = j
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(ref, j)
	if b := d.open[ref]; d.serving[ref] == nil {
		d.serve(b)
	}
	return j
}

func (d *Gathering) add(ref site.Ref, j *Job) {
	b := d.open[ref]
	if b == nil {
		b = newBatch(d, ref, j.ctx)
		d.open[ref] = b
	}
	j.batch = b
	if j.joined.IsZero() {
		j.joined = time.Now()
	}
	b.jobs = append(b.jobs, j)
	b.wanted++
	b.members++
}

// serve starts the work on a batch; leave waits for it.
func (d *Gathering) serve(b *batch) {
	d.serving[b.ref] = b
	b.served = true
	go b.serve()
}

// next ends the work on a batch, and starts that on the batch which gathered meanwhile.
func (d *Gathering) next(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.serving, b.ref)
	if following := d.open[b.ref]; following != nil {
		d.serve(following)
	}
}

// asks notes when a batch began to wait for its document.
func (d *Gathering) asks(b *batch, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.asked = at
}

// shut ends the gathering and returns the jobs to write. Two jobs on the same placement cannot be written together: the later one goes
// into the next batch.
func (d *Gathering) shut(b *batch) []*Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[b.ref] == b {
		delete(d.open, b.ref)
	}
	b.has = true
	var jobs, later []*Job
	taken := map[blockRef]bool{}
	for _, j := range b.jobs {
		switch {
		case j.state != jobWaits:
		case j.takes(taken):
			jobs = append(jobs, j)
		default:
			later = append(later, j)
		}
	}
	b.jobs = jobs
	for _, j := range later {
		b.wanted--
		b.members--
		d.add(b.ref, j)
	}
	return jobs
}

// takes adds the blocks of the job to those that are taken, unless one of them is among these.
func (j *Job) takes(taken map[blockRef]bool) bool {
	for _, o := range j.tasks {
		if taken[o.ref()] {
			return false
		}
	}
	for _, o := range j.tasks {
		taken[o.ref()] = true
	}
	return true
}

// ErrHeld says that another run has the document.
var ErrHeld = errors.New("another run writes to the document")

// Wait waits until the job is done. When its attempt ends before the write, or another run has the document for longer than patience, it
// withdraws, and nothing of it is written: then the error is why, ErrHeld for the latter. An attempt that ends during the write waits for it.
func (j *Job) Wait(patience time.Duration) ([]Receipt, error) {
	tooLong := time.NewTimer(patience)
	defer tooLong.Stop()
	for {
		select {
		case <-j.done:
			return j.outs, j.err
		case <-tooLong.C:
			left, gone := j.withdraw(patience)
			if gone {
				return nil, ErrHeld
			}
			tooLong.Reset(left)
			continue
		case <-j.ctx.Done():
		}
		if j.part(jobAbandons) {
			return nil, context.Cause(j.ctx)
		}
		<-j.done
		return j.outs, j.err
	}
}

// withdraw takes the job out of its batch if that has waited for the document for so long; else it returns how long the job is to wait before
// it asks again. That the batch gathers those who will write with it is no wait for other runs.
func (j *Job) withdraw(patience time.Duration) (left time.Duration, gone bool) {
	d := j.of
	d.mu.Lock()
	b, from := j.batch, j.joined
	if b.served {
		from = b.asked
	}
	if left = patience - time.Since(from); j.state != jobWaits || b.has || b.served && b.asked.IsZero() {
		left = patience
	}
	if left > 0 {
		d.mu.Unlock()
		return left, false
	}
	_, last := j.partLocked(jobAbandons)
	d.mu.Unlock()
	b.ends(last)
	return 0, true
}

// Leave says that the attempt has stored what came of the job. The document stays locked until all jobs of its batch have left.
func (j *Job) Leave() { j.part(jobGone) }

// part takes the job out of its batch: at once, if nothing of it is written or it leaves; else it stays, and the write is cancelled
// when no other job wants it any more. The last job out waits for the batch to end.
func (j *Job) part(as jobState) (out bool) {
	d := j.of
	d.mu.Lock()
	b := j.batch
	out, last := j.partLocked(as)
	d.mu.Unlock()
	b.ends(last)
	return out
}

// ends waits for the end of a batch whose last job is out.
func (b *batch) ends(last bool) {
	if last && b.served {
		<-b.over
	}
}

// partLocked is part under Gathering.mu; last says that no job is left in the batch.
func (j *Job) partLocked(as jobState) (out, last bool) {
	d, b := j.of, j.batch
	if j.state == jobGone {
		return true, false
	}
	if j.state != jobAbandons {
		b.wanted--
	}
	if b.wanted == 0 {
		b.cancel()
	}
	if out = as == jobGone || j.state == jobWaits; !out {
		j.state = as
		return false, false
	}
	j.state = jobGone
	b.members--
	if last = b.members == 0; last {
		close(b.empty)
		if d.open[b.ref] == b {
			delete(d.open, b.ref)
		}
	}
	return true, last
}

// Waiting returns how many jobs wait for documents that others write.
func (d *Gathering) Waiting() (jobs int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.open {
		jobs += b.wanted
	}
	return jobs
}

// Idle reports whether nothing writes to a document, or waits for one.
func (d *Gathering) Idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)+len(d.serving) == 0
}
