package overview

import (
	"cmp"
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
)

// Runs returns the runs of the deployment that the caller may read, the latest first. A page may be short, even empty, and have a next
// one: the storage looks at so many runs at a time.
func (o *Operations) Runs(ctx context.Context, c Call) (any, error) {
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	filter, err := c.runFilter()
	if err != nil {
		return nil, err
	}
	after, err := c.after(record.CheckRunPlace)
	if err != nil {
		return nil, err
	}
	everything := c.Caller.OnReport(0, nil) >= record.MayManage
	page, err := o.Store.Queue().List(ctx, c.At, filter, after, first, !everything)
	if err != nil {
		return nil, err
	}
	runs := page.Runs
	if !everything {
		runs = slices.DeleteFunc(runs, func(run *record.Run) bool {
			d := page.Definitions[run.ReportID]
			if d == nil || c.Caller.Level(d) < record.MayRead {
				return true
			}
			HideValues(c.Caller, run, &storage.Report{ReportHead: record.ReportHead{Definition: *d}})
			return false
		})
	}
	return pageOf(runs, page.HasNextPage, page.End), nil
}

// The values of the filters of runs.
var (
	runStates = []placements.RunState{
		placements.RunQueued, placements.RunRunning, placements.RunSucceeded, placements.RunFailed,
		placements.RunSkipped, placements.RunStopped, record.RunConflict,
	}
	hosts = []placements.Host{placements.SheetsA, placements.SheetsB}
)

// runFilter reads the filters of a list of runs.
func (c *Call) runFilter() (f record.RunFilter, err error) {
	f.State, err = choice(c, "state", runStates, "one of QUEUED, RUNNING, SUCCEEDED, FAILED, SKIPPED, STOPPED, CONFLICT")
	if err != nil {
		return f, err
	}
	if f.Host, err = choice(c, "host", hosts, "SHEETS_A or SHEETS_B"); err != nil {
		return f, err
	}
	if f.Report, err = c.id("report"); err != nil {
		return f, err
	}
	if f.Owner, err = c.id("owner"); err != nil {
		return f, err
	}
	f.Document = c.Query.Get("document")
	f.Since, err = c.since()
	return f, err
}

// HideValues takes out of a run of a report what cells held that the caller may not see: what a run replaced is shown to the user on
// whose behalf it wrote there and to who may manage the report (decisions.md §3), to others only in which rows. Who takes a placement
// over sees nothing of the runs before.
func HideValues(c *auth.Caller, run *record.Run, report *storage.Report) {
	if c.Level(&report.Definition) >= record.MayManage {
		return
	}
	for _, p := range run.Placements {
		placed, _ := report.Find(p.PlacementID)
		if c.Is(cmp.Or(p.RunAsUserID, placed.PlacedByUserID)) { // the latter for runs from before the former was recorded
			continue
		}
		for i := range p.Overwritten {
			p.Overwritten[i].Values = nil
		}
	}
}
