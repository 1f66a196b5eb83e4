package refresh

import (
	"context"
	"errors"
	"time"

	"mooring/refresh/site"
)

// join adds a job to the batch of the document that is open, or opens one.
func (e *Engine) join(ref site.Ref, j *job) {
	d := &e.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(e, ref, j)
	if b := d.open[ref]; d.serving[ref] == nil {
		d.serve(b)
	}
}

func (d *documents) add(e *Engine, ref site.Ref, j *job) {
	if d.open == nil {
		d.open, d.serving = map[site.Ref]*batch{}, map[site.Ref]*batch{}
	}
	b := d.open[ref]
	if b == nil {
		b = newBatch(e, ref, j.ctx)
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
func (d *documents) serve(b *batch) {
	d.serving[b.ref] = b
	b.served = true
	go b.serve()
}

// next ends the work on a batch, and starts that on the batch which gathered meanwhile.
func (d *documents) next(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.serving, b.ref)
	if following := d.open[b.ref]; following != nil {
		d.serve(following)
	}
}

// asks notes when a batch began to wait for its document.
func (d *documents) asks(b *batch, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.asked = at
}

// shut ends the gathering and returns the jobs to write. Two jobs on the same placement cannot be written together: the later one goes
// into the next batch.
func (d *documents) shut(b *batch) []*job {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[b.ref] == b {
		delete(d.open, b.ref)
	}
	b.has = true
	var jobs, later []*job
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
		d.add(b.Engine, b.ref, j)
	}
	return jobs
}

// takes adds the blocks of the job to those that are taken, unless one of them is among these.
func (j *job) takes(taken map[blockRef]bool) bool {
	for _, b := range j.blocks {
		if taken[b.ref()] {
			return false
		}
	}
	for _, b := range j.blocks {
		taken[b.ref()] = true
	}
	return true
}

// errHeld: another run has the document.
var errHeld = errors.New("another run writes to the document")

// wait waits until the job is done. When its attempt ends before the write, or another run has the document for longer than patience, it
// withdraws, and nothing of it is written: then the error is why, errHeld for the latter. An attempt that ends during the write waits for it.
func (j *job) wait(patience time.Duration) error {
	tooLong := time.NewTimer(patience)
	defer tooLong.Stop()
	for {
		select {
		case <-j.done:
			return j.err
		case <-tooLong.C:
			left, gone := j.withdraw(patience)
			if gone {
				return errHeld
			}
			tooLong.Reset(left)
			continue
		case <-j.ctx.Done():
		}
		if j.part(jobAbandons) {
			return context.Cause(j.ctx)
		}
		<-j.done
		return j.err
	}
}

// withdraw takes the job out of its batch if that has waited for the document for so long; else it returns how long the job is to wait before
// it asks again. That the batch gathers those who will write with it is no wait for other runs.
func (j *job) withdraw(patience time.Duration) (left time.Duration, gone bool) {
	d := &j.attempt.documents
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

// leave says that the attempt has stored what came of the job. The document stays locked until all jobs of its batch have left.
func (j *job) leave() { j.part(jobGone) }

// part takes the job out of its batch: at once, if nothing of it is written or it leaves; else it stays, and the write is cancelled
// when no other job wants it any more. The last job out waits for the batch to end.
func (j *job) part(as jobState) (out bool) {
	d := &j.attempt.documents
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

// partLocked is part under documents.mu; last says that no job is left in the batch.
func (j *job) partLocked(as jobState) (out, last bool) {
	d, b := &j.attempt.documents, j.batch
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
