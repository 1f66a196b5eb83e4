package refresh

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mooring/refresh/fault"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
)

// query runs the report's query once for each person on whose behalf one of list is refreshed, or joins such a query that runs already.
// It returns those that have a table now, and those that are to be queried once these tables are written: the first query waits for
// memory, those beside it must not, since the attempt holds what the first one got. Why the others have no table is said in the run.
func (a *attempt) query(ctx context.Context, list []storage.Placed) (have, later []storage.Placed) {
	var running sync.WaitGroup
	for _, p := range list {
		if a.asking(p) != nil {
			continue
		}
		a.progress("querying the source")
		q := &asking{behalf: a.behalf(p)}
		if a.askings = append(a.askings, q); len(a.askings) == 1 {
			q.table, q.err = a.ask(ctx, p, a.waitsForMemory)
			a.limit.Resume()
			continue
		}
		running.Go(func() { q.table, q.err = a.ask(ctx, p, func() error { return errLater }) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, nil
	}
	a.count()
	for _, p := range list {
		switch err := a.asking(p).err; {
		case err == nil:
			have = append(have, p)
		case errors.Is(err, errLater):
			later = append(later, p)
		default:
			a.failed(p, fault.OfSource(fault.Of(err)))
		}
	}
	return have, later
}

// waitsForMemory notes that a query waits until other results have been written: nothing should wait for the attempt meanwhile, and the
// time is not its own.
func (a *attempt) waitsForMemory() error {
	a.member.ready()
	a.limit.Pause()
	a.progress("waiting for memory: as many results are in it as may be")
	return nil
}

// ask runs the report's query on behalf of who placed it at p, and calls waits before it waits for memory.
func (a *attempt) ask(ctx context.Context, p storage.Placed, waits func() error) (t *result, err error) {
	dep, fault := a.source(a.d)
	if fault != nil {
		return nil, fault
	}
	asked, err := a.dataOf()
	if err != nil {
		return nil, err
	}
	key := a.queryKey(p)
	if t := a.kept.take(a.run.ID, key); t != nil {
		return t, nil
	}
	ctx, span := trace.Start(ctx, "query")
	defer func() { endQuery(span, t, err) }()
	report, user := a.report, userOf(a.d, record.Behalf(p.Placement))
	results, patience, begun, started := a.results, a.patience, a.begun, a.started
	return a.queries.do(ctx, key, asked, begun, func(ctx context.Context, waits func()) (*result, error) {
		t, err := results.table(ctx, dep, report, user, patience, waits)
		if err == nil {
			t.asOf = begun.Add(t.asked.Sub(started))
		}
		return t, err
	}, waits)
}

// count says in the run how large its largest result is, and how long its queries took.
func (a *attempt) count() {
	all := &a.total
	for _, q := range a.askings {
		if q.table == nil {
			continue
		}
		t := q.table.tally()
		all.Rows, all.Columns, all.QueryMs = max(all.Rows, t.Rows), max(all.Columns, t.Columns), all.QueryMs+t.QueryMs
		a.progress(fmt.Sprintf("the result has %d rows and %d columns", t.Rows, t.Columns))
	}
	if all.Rows > 0 { // else an earlier attempt may have had a result
		a.run.Rows, a.run.Columns, a.run.QueryMs = all.Rows, all.Columns, all.QueryMs
	}
}
