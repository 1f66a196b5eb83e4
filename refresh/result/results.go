package result

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/source"
	"mooring/refresh/trace"
)

// Results runs the queries of reports: once for all who want the same at the same moment, within the memory that there is.
type Results struct {
	// Runs and Clients are the memory of the runs of agents and of clients: a client that reads slowly keeps no run waiting.
	Runs, Clients *Room

	queries queries
	kept    keptResults
}

// NewResults returns Results that hold so many bytes at one time, encoded, of which the largest takes whole. Runs and clients have half of
// it each; where a half does not hold the largest, both share all of it.
func NewResults(size, whole source.Size) *Results {
	if size/2 < whole {
		both := NewRoom(int(size), int(whole))
		return &Results{Runs: both, Clients: both}
	}
	return &Results{Runs: NewRoom(int(size/2), int(whole)), Clients: NewRoom(int(size-size/2), int(whole))}
}

// Want is what an attempt of a run wants to see: the answer to a question, which was asked of the source no earlier than the run was asked for.
type Want struct {
	Question
	RunID          string
	Behalf         string    // equal for two who are shown the same rows; see Behalf
	Asked          time.Time // when the run was asked for, by the store's clock
	Begun, Started time.Time // the same moment by the store's clock and by our own
	Waiter         Waiter    // nil: ErrLater where it would wait
}

// Waiter is told that a query waits for memory until other results have been written.
type Waiter interface{ WaitsForMemory() }

// ErrLater ends a query that would have to wait for memory while its caller holds some.
var ErrLater = errors.New("no memory beside the other results")

// Behalf names on whose behalf a query runs, where the rows depend on that: it is equal for two who are shown the same rows.
func Behalf(personal bool, as placements.RunAs) string {
	if !personal {
		return ""
	}
	return fmt.Sprintf("%d %v %q", as.UID, slices.Sorted(slices.Values(as.Roles)), as.Email)
}

// key names the result of w.
func (w Want) key() queryKey {
	return queryKey{w.Deployment, w.Of.CurrentChecksum, w.With.Key(), w.Behalf, w.Room}
}

// Get returns the table that is wanted: the one that is kept for the run, one whose query runs already, or its own. The caller releases it.
func (r *Results) Get(ctx context.Context, w Want) (t *Answer, err error) {
	if t := r.kept.take(w.RunID, w.key()); t != nil {
		return t, nil
	}
	ctx, span := trace.Start(ctx, "query")
	defer func() { endQuery(span, t, err) }()
	return r.queries.do(ctx, w.key(), w.Asked, w.Begun, func(ctx context.Context, waits func()) (*Answer, error) {
		t, err := w.ask(ctx, waits)
		if err == nil {
			t.AsOf = w.Begun.Add(t.asked.Sub(w.Started))
		}
		return t, err
	}, w.Waiter)
}

// Alone runs the query of a question for its caller alone, who closes the table. An error that wraps ErrNoRoom says that there was no room
// for it as long as q has patience.
func (r *Results) Alone(ctx context.Context, q Question) (*Answer, error) {
	return q.ask(ctx, func() {})
}

// Keep keeps a table that a client run will want again, in a while.
func (r *Results) Keep(w Want, t *Answer) { r.kept.put(w.RunID, w.key(), t) }

// endQuery ends the span of a query.
func endQuery(span trace.Span, t *Answer, err error) {
	if t != nil && span.On() {
		span.Count("mooring.rows", int64(t.Grid.Rows()))
		span.Count("mooring.columns", int64(t.Grid.Columns()))
	}
	fault.Mark(span, err)
	span.End()
}
