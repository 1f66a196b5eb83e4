package refresh

import (
	"context"
	"sync"
	"time"

	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/site"
	"mooring/storage/record"
)

const (
	gatherLimit = 10 * time.Second // how long a batch waits for the cohorts of its jobs
	tellAfter   = time.Second      // how long a wait for a document goes unmentioned
)

// batch is what is written to one document together: opened once, written once, its runs completed under one lock.
type batch struct {
	*Engine
	ref    site.Ref
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

// member is one attempt's part in its cohort. Its methods are for one goroutine.
type member struct {
	cohort *cohort
	loaded bool
	will   []site.Ref // write there
}

// documents lets the attempts of this process that want to write to the same spreadsheet do it together: one batch at a time is
// written, and all who come meanwhile make up the next.
type documents struct {
	mu      sync.Mutex
	open    map[site.Ref]*batch // takes jobs
	serving map[site.Ref]*batch // is waiting for the document or has it; until it has, it is open too
}

// cohort is the attempts that an agent took from the queues together. They were made together, for example by a refresh of a whole
// document, so each document waits for those of them that will write to it, and is written once.
type cohort struct {
	mu      sync.Mutex
	loading int              // members that have not said where they will write
	coming  map[site.Ref]int // members that will write there, and still query
	changed chan struct{}    // closed at the next change
}

// newCohort returns the n members of a cohort.
func newCohort(n int) []*member {
	c := &cohort{loading: n, coming: map[site.Ref]int{}, changed: make(chan struct{})}
	members := make([]*member, n)
	for i := range members {
		members[i] = &member{cohort: c}
	}
	return members
}

// newBatch returns a batch for a job of that context, whose values it keeps.
func newBatch(e *Engine, ref site.Ref, ctx context.Context) *batch {
	b := &batch{Engine: e, ref: ref, empty: make(chan struct{}), over: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}
