package storagetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// agent is who works on the runs that Fill makes.
const agent = "filler"

// workOn makes the runs of list, begins them and ends them.
func (f *filler) workOn(ctx context.Context, list []*filling) error {
	if err := f.order(ctx, list); err != nil {
		return err
	}
	waiting := map[string]*filling{}
	for _, n := range list {
		if n.state != placements.RunSkipped {
			waiting[n.run.ID] = n
		}
	}
	entries, err := f.work.Queue.Take(ctx, agent, len(waiting), -1)
	if err != nil || len(entries) != len(waiting) {
		return fmt.Errorf("%d of %d runs are in the queue: %w", len(entries), len(waiting), err)
	}
	err = each(ctx, len(entries), func(ctx context.Context, i int) error { return f.attempt(ctx, entries[i], waiting[entries[i].RunID]) })
	for _, n := range list {
		f.runs = append(f.runs, n.run)
	}
	return err
}

// attempt begins the run of an entry and ends it as n says.
func (f *filler) attempt(ctx context.Context, e queue.Entry, n *filling) error {
	a, err := f.work.Queue.Begin(ctx, agent, e)
	if err != nil {
		return err
	}
	n.run = a.Run
	if n.state == placements.RunRunning {
		return f.work.Queue.MarkRunning(ctx, f.Deployment, n.run, []string{n.run.PlacementID})
	}
	end(n)
	var o work.Outcome
	if n.class == placements.Structure {
		o.Failure = n.run.Error
	}
	if n.leaves != nil && n.state != placements.RunStopped {
		if err := f.leave(ctx, a, n, &o); err != nil {
			return err
		}
	}
	return f.work.Complete(ctx, a, o)
}

// end makes n's run what it is after its only attempt.
func end(n *filling) {
	n.run.State, n.run.ErrorClass, n.run.EndedAt = n.state, n.class, placements.Time(time.Now())
	switch n.class {
	case placements.Conflict:
		n.run.Error = "Cells of the block are not ours: clear them, or connect the report elsewhere."
	case placements.Structure:
		n.run.Error = "The query names a column that is not there: mend the query."
	}
	if n.run.PlacementID == "" || n.state == placements.RunStopped {
		return
	}
	one := record.RunPlacement{PlacementID: n.run.PlacementID, State: n.state, ErrorClass: n.class, Error: n.run.Error}
	if n.leaves != nil {
		one.RunAsUserID = n.leaves.RunAs.UID
	}
	if n.state == placements.RunSucceeded {
		one.Rows, one.Columns, one.HostCalls = 12, 3, 1
		n.run.Tally = one.Tally
	}
	n.run.Placements = []record.RunPlacement{one}
}

// leave adds what n's run leaves on its placement.
func (f *filler) leave(ctx context.Context, a *queue.Attempt, n *filling, o *work.Outcome) error {
	r, err := f.work.Load(ctx, a)
	if err != nil {
		return err
	}
	run, p := n.run, n.leaves
	before := r.Placements[slices.IndexFunc(r.Placements, func(now storage.Placed) bool { return now.ID == p.ID })]
	one := work.PlacementOutcome{Before: before, Placement: before.Placement, LastRun: placements.LastRun{
		RunID: run.ID, State: run.State, Attempt: run.Attempt, ErrorClass: run.ErrorClass, Error: run.Error,
		StartedAt: run.StartedAt, EndedAt: run.EndedAt,
	}}
	if run.State == placements.RunSucceeded {
		user := run.RequestedBy.User()
		o.Refreshed = &user
		write(&one, run, p, r.CurrentChecksum)
		p.Placement = one.Placement
	}
	o.Placements = []work.PlacementOutcome{one}
	return nil
}

// write makes one the outcome of a run that wrote p's block; where p is to be changed, with a query that is not the report's any more.
func write(one *work.PlacementOutcome, run *record.Run, p *StandingPlacement, query string) {
	one.Written, one.Rows = true, []byte("fingerprints")
	one.Placement.EndResultCell, one.Placement.QueryChecksum = "", query
	one.Placement.RefreshedAt, one.Placement.RefreshedByUserID = run.EndedAt, run.RequestedBy.ID
	one.Placement.AsOf = run.StartedAt
	if p.Status == placements.Changed {
		one.Placement.QueryChecksum = "an earlier query"
	}
	if p.Edited {
		one.Edits = []record.Edit{
			{Row: 2, Column: 1, Name: "amount", Yours: 2.5, Source: 1.5, SeenAt: run.EndedAt},
			{Row: 3, Column: 1, Name: "amount", Yours: 7.0, Source: 3.0, SeenAt: run.EndedAt},
		}
	}
}
