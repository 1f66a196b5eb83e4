package result

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// Answer is a report's table as it goes into a spreadsheet. It is shared between placements and never changed.
type Answer struct {
	Grid    *checksum.Grid
	Block   func() checksum.BlockRows // of grid, computed once, by the first comparison
	Formats []string                  // number format a column
	Filters []source.Filter           // what its query filters by, as far as the source can tell
	Summed  bool                      // its totals are sums, of a source that can total other queries
	asked   time.Time                 // when its query was started, by our own clock
	AsOf    time.Time                 // the same by the store's clock, as the attempt that started it knows it; zero outside of runs
	took    time.Duration
	share   *share // of the memory, until every user of the result has released it
}

// Release says that its caller needs the result no more.
func (r *Answer) Release() { r.share.release() }

// Close releases the result, and frees the memory of those that nothing uses any more. Nothing of it may be used afterwards.
func (r *Answer) Close() {
	of := r.share.of
	if r.share.release() {
		r.Grid, r.Block = nil, nil // who called may still have r
	}
	of.Collect()
}

// maxFiltersText bounds FiltersText, in characters: every spreadsheet holds as much in a cell.
const maxFiltersText = 4000

// FiltersText is what the query filters by as the cell above a block says it; empty for nothing.
func (r *Answer) FiltersText() string {
	texts := make([]string, len(r.Filters))
	for i, f := range r.Filters {
		texts[i] = f.Text
	}
	text := []rune(strings.Join(texts, "; "))
	if len(text) > maxFiltersText {
		text = append(text[:maxFiltersText-1], '…')
	}
	return string(text)
}

// Tally is what a run says of the result.
func (r *Answer) Tally() record.Tally {
	return record.Tally{Rows: r.Grid.Rows(), Columns: r.Grid.Columns(), QueryMs: r.took.Milliseconds()}
}

// queryKey names what decides a result's cells, the deployment, the query, its values and on whose behalf it runs, and where the result is kept.
type queryKey struct {
	deployment    record.Deployment
	queryChecksum string
	values        string // see placements.Arguments.Key
	user          string // see Behalf
	results       *Room
}

// queries runs the same query once when several runs want it at the same moment.
type queries struct {
	mu      sync.Mutex
	flights map[queryKey]*flight
}

type flight struct {
	since  time.Time // the query started later than this, on the store's clock
	done   chan struct{}
	waits  chan struct{} // closed when the query first waits for memory
	cancel context.CancelFunc
	users  int
	result *Answer
	err    error
}

// do joins a query that started after asked, when the caller's run was asked for, or runs it: an older one might not have seen what the
// caller wants to see. begun is now on the store's clock. The query is cancelled when no caller waits for it any more. w is told when it
// waits for memory; without one that is ErrLater. The caller releases the result.
func (q *queries) do(ctx context.Context, key queryKey, asked, begun time.Time, run query, w Waiter) (*Answer, error) {
	f := q.join(ctx, key, asked, begun, run)
	defer q.leave(key, f)
	for waiting := f.waits; ; {
		select {
		case <-f.done:
			if f.result != nil {
				f.result.share.keep()
			}
			return f.result, f.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-waiting:
			if waiting = nil; w == nil {
				return nil, ErrLater
			}
			w.WaitsForMemory()
		}
	}
}

// query makes a result, and calls waits before it waits for memory.
type query func(ctx context.Context, waits func()) (*Answer, error)

func (q *queries) join(ctx context.Context, key queryKey, asked, begun time.Time, run query) *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f := q.flights[key]; f != nil && !f.since.Before(asked) {
		f.users++
		return f
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{since: begun, done: make(chan struct{}), waits: make(chan struct{}), cancel: cancel, users: 1}
	if q.flights == nil {
		q.flights = make(map[queryKey]*flight)
	}
	q.flights[key] = f
	go q.fly(own, f, run)
	return f
}

// fly runs the query of f. A result that no caller waits for any more is released.
func (q *queries) fly(ctx context.Context, f *flight, run query) {
	// A source that panics must not end the agent.
	defer func() {
		if p := recover(); p != nil {
			f.err = fmt.Errorf("query panicked: %v", p)
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		close(f.done)
		if f.users == 0 && f.result != nil {
			f.result.share.release()
		}
	}()
	f.result, f.err = run(ctx, sync.OnceFunc(func() { close(f.waits) }))
}

func (q *queries) leave(key queryKey, f *flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f.users--
	if f.users > 0 {
		return
	}
	f.cancel()
	if q.flights[key] == f {
		delete(q.flights, key)
	}
	select {
	case <-f.done:
		if f.result != nil {
			f.result.share.release()
		}
	default: // fly does it
	}
}
