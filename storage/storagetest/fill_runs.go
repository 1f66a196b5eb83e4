package storagetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// filling is a run that Fill makes, and how it ends.
type filling struct {
	run      *record.Run
	schedule *record.Schedule // nil: it is a manual run
	state    placements.RunState
	class    placements.Class
	leaves   *StandingPlacement // the placement of which it is the last run
}

// makeRuns makes the runs of all reports in turns, one of each report at a time: a target has one run at a time.
func (f *filler) makeRuns(ctx context.Context) error {
	var waiting []*filling
	for turn := range f.runsOf(0) {
		var list []*filling
		for report := range f.Reports {
			switch n := f.filling(report, turn); {
			case n == nil:
			case n.state == placements.RunQueued:
				waiting = append(waiting, n)
			default:
				list = append(list, n)
			}
		}
		if err := f.workOn(ctx, list); err != nil {
			return err
		}
	}
	for _, n := range waiting {
		f.runs = append(f.runs, n.run)
	}
	return f.order(ctx, waiting)
}

// runsOf is how many runs the report of that index has.
func (f *filler) runsOf(report int) int { return (f.Amounts.Runs + f.Reports - 1 - report) / f.Reports }

// placementsOf is how many placements it has.
func (f *filler) placementsOf(report int) int {
	return (f.Amounts.Placements + f.Reports - 1 - report) / f.Reports
}

// filling returns the run of a report's turn, nil when it has no more. The last ones are those that leave its placements as they stand, and
// one in fifty reports has a run that waits behind them.
func (f *filler) filling(report, turn int) *filling {
	runs, placed := f.runsOf(report), f.placementsOf(report)
	left, waits := runs-1-turn, report%50 == 1 && runs > placed
	n := &filling{run: &record.Run{
		ReportID: f.reports[report].ID, RequestedBy: f.owner(report + turn), Placements: []record.RunPlacement{},
	}}
	switch {
	case left < 0:
		return nil
	case waits && left == 0:
		n.state = placements.RunQueued
		return n
	case waits:
		left--
	}
	if left < placed {
		n.leaves = f.placed[report+left*f.Reports]
		n.run.PlacementID = n.leaves.ID
		n.state, n.class = endOf(n.leaves.Status)
		return n
	}
	f.earlier(n, report, turn)
	return n
}

// endOf is how a run ends that leaves a placement in a status.
func endOf(status placements.Status) (placements.RunState, placements.Class) {
	switch status {
	case placements.Conflicted:
		return placements.RunFailed, placements.Conflict
	case placements.Failed:
		return placements.RunFailed, placements.Structure
	case placements.Unknown:
		return placements.RunStopped, ""
	case placements.Refreshing:
		return placements.RunRunning, ""
	}
	return placements.RunSucceeded, ""
}

// earlier chooses what a run refreshes that is followed by others, by whom it is made and how it ends.
func (f *filler) earlier(n *filling, report, turn int) {
	n.state = placements.RunSucceeded
	switch chance := (turn*37 + report*11) % 100; {
	case chance < 4:
		n.state, n.class = placements.RunFailed, placements.Structure
	case chance < 6:
		n.state, n.class = placements.RunFailed, placements.Conflict
	case chance < 8:
		n.state = placements.RunStopped
	case chance < 9 && turn%2 == 0 && report < len(f.schedules):
		n.state = placements.RunSkipped
	}
	if placed := f.placementsOf(report); placed > 0 && turn%20 != 1 {
		n.run.PlacementID = f.placed[report+turn%placed*f.Reports].ID
	}
	if turn%2 == 0 && report < len(f.schedules) && !f.schedules[report].ScheduleSpec.Paused {
		n.schedule, n.run.PlacementID, n.run.RequestedBy = f.schedules[report], "", f.schedules[report].Owner
	} else if n.state == placements.RunSkipped {
		n.state = placements.RunSucceeded
	}
}

// atOnce is how many runs are made in one step.
const atOnce = 500

// order makes the runs of list.
func (f *filler) order(ctx context.Context, list []*filling) error {
	var orders []record.Order
	var firings []record.Firing
	now := tick(time.Now())
	for _, n := range list {
		if n.schedule == nil {
			orders = append(orders, record.Order{DeploymentID: f.Deployment.ID, Run: n.run})
		} else {
			firings = append(firings, f.firing(n, now))
		}
	}
	for some := range slices.Chunk(orders, atOnce) {
		refused, err := f.work.Queue.Runs.Enqueue(ctx, f.Deployment.Tenant, some...)
		if err = errors.Join(append(refused, err)...); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(firings, atOnce) {
		made, err := f.work.Queue.Ticks.Fire(ctx, some)
		if err != nil {
			return err
		}
		if slices.Contains(made, false) {
			return errors.New("a tick made no run")
		}
	}
	return nil
}

// firing is the tick of a schedule that makes n. The next one is when this one is made, so that its run is late by as much as all runs of
// the turns between take.
func (f *filler) firing(n *filling, now record.Tick) record.Firing {
	c := n.schedule
	n.run.ID, n.run.ScheduleID, n.run.Trigger = record.RunID(c.ID, c.Next), c.ID, record.TriggerSchedule
	n.run.State, n.run.FireTime, n.run.Due = placements.RunQueued, placements.Time(c.Next), c.Next
	if n.state == placements.RunSkipped {
		n.run.State, n.run.Error = placements.RunSkipped, "the tick was missed"
	}
	read := *c
	c.Next = now.At
	return record.Firing{Deployment: f.Deployment, Schedule: &read, Run: n.run, Next: now}
}
