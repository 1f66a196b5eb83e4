package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/storage"
	"mooring/storage/record"
)

// asker is what an attempt asks of the source.
type asker struct {
	ledger   *ledger
	results  *result.Results
	from     result.Origin
	none     *placements.Fault // why there is no source; nil with one
	room     *result.Room      // where its results are
	patience time.Duration     // how long it waits for room there; 0: as long as it goes on
	member   *document.Peer
	limit    *fault.Limit
	askings  []*asking    // one for each on whose behalf there is something to refresh
	total    record.Tally // of all queries
}

// asking is one query of an attempt: that with some values, on behalf of one person or, where the source shows all the same, of all.
type asking struct {
	queried string // see ledger.queried
	table   *result.Answer
	err     error
}

// query runs the report's query once for each person on whose behalf one of list is refreshed, and for all values with which one is, or joins
// such a query that runs already.
// It returns those that have a table now, and those that are to be queried once these tables are written: the first query waits for
// memory, those beside it must not, since the attempt holds what the first one got. Why the others have no table is said in the run.
func (a *asker) query(ctx context.Context, list []storage.Placed) (have, later []storage.Placed) {
	var running sync.WaitGroup
	list = a.answerable(list)
	for _, p := range list {
		if a.asking(p) != nil {
			continue
		}
		a.ledger.progress("querying the source")
		q := &asking{queried: a.ledger.queried(p)}
		if a.askings = append(a.askings, q); len(a.askings) == 1 {
			q.table, q.err = a.ask(ctx, p, a)
			a.limit.Resume()
			continue
		}
		running.Go(func() { q.table, q.err = a.ask(ctx, p, nil) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, nil
	}
	a.count()
	for _, p := range list {
		switch err := a.asking(p).err; {
		case err == nil:
			a.ledger.faults.answered(a.ledger.faults.ofSource())
			have = append(have, p)
		case errors.Is(err, result.ErrLater):
			later = append(later, p)
		default:
			a.ledger.failed(p, fault.OfSource(fault.Of(err)))
		}
	}
	return have, later
}

// answerable leaves out the placements that no query can be made for, and says in the run why.
func (a *asker) answerable(list []storage.Placed) (may []storage.Placed) {
	for _, p := range list {
		if _, err := a.ledger.arguments(p); err != nil {
			a.ledger.failed(p, fault.Of(err))
			continue
		}
		may = append(may, p)
	}
	return may
}

// WaitsForMemory notes that a query waits until other results have been written: nothing should wait for the attempt meanwhile, and the
// time is not its own.
func (a *asker) WaitsForMemory() {
	a.member.Ready()
	a.limit.Pause()
	a.ledger.progress("waiting for memory: as many results are in it as may be")
}

// ask runs the report's query on behalf of who placed it at p. w is told when it waits for memory.
func (a *asker) ask(ctx context.Context, p storage.Placed, w result.Waiter) (*result.Answer, error) {
	if a.none != nil {
		return nil, a.none
	}
	want, err := a.want(p)
	if err != nil {
		return nil, err
	}
	want.Waiter = w
	return a.results.Get(ctx, want)
}

// want is the report's table on behalf of who placed it at p.
func (a *asker) want(p storage.Placed) (result.Want, error) {
	with, err := a.ledger.arguments(p)
	if err != nil {
		return result.Want{}, err
	}
	asked, err := a.dataOf()
	return result.Want{
		Question: result.Question{
			Deployment: a.ledger.d, From: a.from, Of: &a.ledger.report.Definition, With: with, For: record.Behalf(p.Placement), Room: a.room, Patience: a.patience,
		},
		RunID: a.ledger.run.ID, Behalf: a.ledger.behalf(p), Asked: asked, Begun: a.ledger.begun, Started: a.ledger.started,
	}, err
}

// keep keeps a table for the next step of a client run.
func (a *asker) keep(p storage.Placed, t *result.Answer) {
	if want, err := a.want(p); err == nil {
		a.results.Keep(want, t)
	}
}

// count says in the run how large its largest result is, and how long its queries took.
func (a *asker) count() {
	all := &a.total
	for _, q := range a.askings {
		if q.table == nil {
			continue
		}
		t := q.table.Tally()
		a.ledger.tallies[q.queried] = t
		all.Rows, all.Columns, all.QueryMs = max(all.Rows, t.Rows), max(all.Columns, t.Columns), all.QueryMs+t.QueryMs
		a.ledger.progress(fmt.Sprintf("the result has %d rows and %d columns", t.Rows, t.Columns))
	}
	if all.Rows > 0 { // else an earlier attempt may have had a result
		a.ledger.run.Rows, a.ledger.run.Columns, a.ledger.run.QueryMs = all.Rows, all.Columns, all.QueryMs
	}
}

// asking returns the attempt's query for a placement, nil if there is none yet.
func (a *asker) asking(p storage.Placed) *asking {
	name := a.ledger.queried(p)
	i := slices.IndexFunc(a.askings, func(q *asking) bool { return q.queried == name })
	if i < 0 {
		return nil
	}
	return a.askings[i]
}

// drop says that the attempt needs its tables no more.
func (a *asker) drop() {
	for _, q := range a.askings {
		if q.table != nil {
			q.table.Release()
		}
	}
	a.askings = nil
	clear(a.ledger.tallies)
}

// dataOf is the time whose data the run must find: a query that began before may not serve it.
func (a *asker) dataOf() (time.Time, error) {
	asked, err := time.Parse(time.RFC3339, a.ledger.run.FireTime)
	if err != nil {
		return asked, fmt.Errorf("fire time %q: %w", a.ledger.run.FireTime, err)
	}
	if later := a.ledger.claim.Asked; later.After(asked) {
		return later, nil
	}
	return asked, nil
}
