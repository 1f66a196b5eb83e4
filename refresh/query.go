package refresh

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage"
)

// result is a report's table as it goes into a spreadsheet. It is shared between placements: nobody changes it.
type result struct {
	grid    *checksum.Grid
	block   func() checksum.Block // of grid, computed once, by whoever first compares
	formats []string              // number format a column
	took    time.Duration
}

// tally is what a run says of the result.
func (r *result) tally() storage.Tally {
	return storage.Tally{Rows: r.grid.Rows(), Columns: r.grid.Columns(), QueryMs: r.took.Milliseconds()}
}

// queryKey names what decides a result's cells: the deployment, the query and on whose behalf it runs.
type queryKey struct {
	deployment    storage.Deployment
	queryChecksum string
	user          string // see attempt.behalf
}

// queries runs the same query once when several runs want it at the same moment.
type queries struct {
	mu      sync.Mutex
	flights map[queryKey]*flight
}

type flight struct {
	since  time.Time // the query started later than this, on the store's clock
	done   chan struct{}
	cancel context.CancelFunc
	users  int
	result *result
	err    error
}

// do joins a query that started after asked, when the caller's run was asked for, or runs it: an older one might not have seen what the
// caller wants to see. begun is now on the store's clock. The query is cancelled when nobody waits for it any more.
func (q *queries) do(ctx context.Context, key queryKey, asked, begun time.Time, run func(context.Context) (*result, error)) (*result, error) {
	f := q.join(ctx, key, asked, begun, run)
	defer q.leave(key, f)
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (q *queries) join(ctx context.Context, key queryKey, asked, begun time.Time, run func(context.Context) (*result, error)) *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f := q.flights[key]; f != nil && !f.since.Before(asked) {
		f.users++
		return f
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{since: begun, done: make(chan struct{}), cancel: cancel, users: 1}
	if q.flights == nil {
		q.flights = make(map[queryKey]*flight)
	}
	q.flights[key] = f
	go func() {
		defer close(f.done)
		// A source that panics must not end the agent.
		defer func() {
			if p := recover(); p != nil {
				f.err = fmt.Errorf("query panicked: %v", p)
			}
		}()
		f.result, f.err = run(own)
	}()
	return f
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
}

// Result runs the report's query on behalf of by and gives the table as it would be placed, row 0 being its header, and a number format
// for each column. The query is cancelled with ctx. Errors are *placements.Fault.
func (e *Engine) Result(ctx context.Context, d storage.Deployment, r *storage.Report, by storage.Actor) (*checksum.Grid, []string, error) {
	dep, fault := e.source(d)
	if fault != nil {
		return nil, nil, fault
	}
	t, err := table(ctx, dep.Source, r, userOf(d, by), dep.Location)
	if err != nil {
		return nil, nil, asFault(err)
	}
	return t.grid, t.formats, nil
}

// userOf is an actor as sources know users.
func userOf(d storage.Deployment, by storage.Actor) source.User {
	return source.User{Tenant: d.Tenant, ID: by.ID, Email: by.Email, Roles: by.Roles}
}

// table runs the report's query and turns it into the table to place.
func table(ctx context.Context, src source.Source, r *storage.Report, user source.User, loc *time.Location) (*result, error) {
	start := time.Now()
	var b checksum.Builder
	q := source.Query{SQL: r.SQLQuery, JSON: r.JSONQuery, User: user, Location: loc}
	columns, err := src.Query(ctx, q, &b)
	if err != nil {
		return nil, err
	}
	if b.Rows() == 0 {
		return nil, &placements.Fault{Class: placements.Structure, Message: "the query has no columns: it must be a SELECT that names at least one"}
	}
	grid, formats := b.Grid(), formatsOf(columns)
	if p := r.PivotItems; p != nil {
		computed, err := computedTotals(ctx, src, q, grid.Rows()-1, *p)
		if err != nil {
			return nil, err
		}
		if grid, formats, err = Pivot(grid, columns, *p, computed); err != nil {
			return nil, err
		}
	}
	return &result{grid: grid, block: sync.OnceValue(grid.Block), formats: formats, took: time.Since(start)}, nil
}
