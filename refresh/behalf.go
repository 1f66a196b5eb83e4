package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
)

// asking is one query of an attempt: that on behalf of one person or, where the source shows all the same, of all.
type asking struct {
	behalf string
	table  *result
	err    error
}

// behalf names on whose behalf a placement is queried: it is equal for two if they are shown the same rows.
func (a *attempt) behalf(p storage.Placed) string {
	if !a.personal() {
		return ""
	}
	as := p.Behalf()
	return fmt.Sprintf("%d %v %q", as.UID, slices.Sorted(slices.Values(as.Roles)), as.Email)
}

// personal reports whether the rows depend on who is shown them.
func (a *attempt) personal() bool { return a.Engine.personal(a.d) }

// personal reports whether the rows of a deployment's reports depend on who is shown them.
func (e *Engine) personal(d record.Deployment) bool {
	dep, fault := e.source(d)
	return fault == nil && source.Personal(dep.Source)
}

// asking returns the attempt's query for a placement, nil if there is none yet.
func (a *attempt) asking(p storage.Placed) *asking {
	behalf := a.behalf(p)
	i := slices.IndexFunc(a.askings, func(q *asking) bool { return q.behalf == behalf })
	if i < 0 {
		return nil
	}
	return a.askings[i]
}

// errLater ends a query that would have to wait for memory while the attempt holds some.
var errLater = errors.New("no memory beside the other results")

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
			a.limit.goOn()
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
			a.failed(p, ofSource(asFault(err)))
		}
	}
	return have, later
}

// ofSource returns a fault of a source with the reason for which placements wait.
func ofSource(f *placements.Fault) *placements.Fault {
	if f.Class != placements.Transient || unclassified(f) {
		return f
	}
	down := *f
	down.Reason = placements.ReasonSource
	return &down
}

// waitsForMemory notes that a query waits until other results have been written: nothing should wait for the attempt meanwhile, and the
// time is not its own.
func (a *attempt) waitsForMemory() error {
	a.member.ready()
	a.limit.pause()
	a.progress("waiting for memory: as many results are in it as may be")
	return nil
}

// drop says that the attempt needs its tables no more.
func (a *attempt) drop() {
	for _, q := range a.askings {
		if q.table != nil {
			q.table.share.release()
		}
	}
	a.askings = nil
}

// queryKey names the result of the report's query on behalf of who placed it at p.
func (a *attempt) queryKey(p storage.Placed) queryKey {
	return queryKey{a.d, a.report.CurrentChecksum, a.behalf(p), a.results}
}

// dataOf is the time whose data the run must find: a query that began before may not serve it.
func (a *attempt) dataOf() (time.Time, error) {
	asked, err := time.Parse(time.RFC3339, a.run.FireTime)
	if err != nil {
		return asked, fmt.Errorf("fire time %q: %w", a.run.FireTime, err)
	}
	if later := a.claim.Asked; later.After(asked) {
		return later, nil
	}
	return asked, nil
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

// mayGoOn is a fault when the run belongs to a schedule whose owner may no longer read the report.
func (a *attempt) mayGoOn() *placements.Fault {
	owner := a.run.RequestedBy
	if a.run.ScheduleID == 0 || a.level(owner) >= record.MayRead {
		return nil
	}
	return auth("%s, who owns the schedule, may not read the report any more: "+
		"give them access again, or pause the schedule and have another person resume it", name(owner))
}

// level is what a person may do with the report as the attempt loaded it.
func (a *attempt) level(who record.Actor) record.Level {
	return who.OnReport(a.report.CreatedBy, a.report.RolesWithAccess)
}

// reached leaves out the placements that who asked for the run may not have refreshed, and says so in the run.
func (a *attempt) reached(list []storage.Placed) (may []storage.Placed) {
	for _, p := range list {
		if a.reaches(p) {
			may = append(may, p)
			continue
		}
		o := a.outcomeOf(p)
		o.State = placements.RunSkipped
		o.Error = fmt.Sprintf("another person placed the report at %s in %s: without edit access to the report "+
			"a schedule refreshes only its owner's placements, and overwrite takes one's own, with no rows of another person in it",
			p.ResultLocation, p.WorkbookID)
		a.setOutcome(o)
	}
	return may
}

// reaches reports whether who asked for the run may have p refreshed: without edit access, a schedule refreshes the placements of its owner
// only, and a run overwrites only theirs, with nothing in them of those from whom they took them over.
func (a *attempt) reaches(p storage.Placed) bool {
	by := a.run.RequestedBy
	switch {
	case a.level(by) >= record.MayEdit:
		return true
	case a.run.Destroys():
		return p.Wholly(by.ID)
	}
	return a.run.ScheduleID == 0 || p.PlacedFor(by.ID)
}

// admitted leaves out the placements that cannot be refreshed at all, and says why in the run.
func (a *attempt) admitted(list []storage.Placed) (may []storage.Placed) {
	for _, p := range list {
		if fault := a.refusal(p); fault != nil {
			a.failed(p, fault)
			continue
		}
		may = append(may, p)
	}
	return may
}

// refusal is why p cannot be refreshed at all, nil if it can.
func (a *attempt) refusal(p storage.Placed) *placements.Fault {
	if err := a.queue.Bounded(a.d, p.Placement); err != nil {
		return &placements.Fault{Class: placements.Permanent, Message: err.Error()}
	}
	as := record.Behalf(p.Placement)
	switch {
	case p.RunAs == nil && a.personal():
		return auth("it is not recorded on whose behalf this placement is refreshed, and the source shows each person other rows: " +
			"connect the report there again without addressOnly")
	case p.RunAs != nil && a.level(as) < record.MayRead:
		return auth("%s, on whose behalf this placement is refreshed, may not read the report any more: "+
			"give them access again, or connect the report there again without addressOnly", name(as))
	case !a.client() && !a.mayOpen(a.d, p.Placement):
		return auth("it is not known that the spreadsheet %.80q is meant for this report, since a person without edit access to the report "+
			"placed it there: have it added to documents in the configuration, refresh the report by the add-in in the open spreadsheet, or have "+
			"somebody with edit access to the report connect it there", p.WorkbookID)
	}
	return nil
}

// mayOpen reports whether an agent may open the document of p (decisions.md §3, Whose document it is): the configuration names it, or who
// placed the report there might edit the report. What was placed before that was recorded counts too, and so may, once there is one, a
// proof that the document was open in a user's pane: it would be checked here.
func (e *Engine) mayOpen(d record.Deployment, p placements.Placement) bool {
	return p.Placer != placements.PlacedByReader || e.queue.Admitted(d, p)
}

func auth(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Auth, Message: fmt.Sprintf(format, args...)}
}

// name names a person for people.
func name(who record.Actor) string { return cmp.Or(who.Email, fmt.Sprintf("user %d", who.ID)) }
