package overview

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
)

// Runs returns the runs of the deployment that the caller may read, the latest first. A page may be short, even empty, and have a next
// one: so many runs are looked at for each.
func (o *Operations) Runs(ctx context.Context, c Call) (any, error) {
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	filter, err := c.runFilter()
	if err != nil {
		return nil, err
	}
	if filter.Documents, err = o.idsOf(ctx, c.At.Tenant, c.Query.Get("document")); err != nil {
		return nil, err
	}
	after, err := c.after(record.CheckRunPlace)
	if err != nil {
		return nil, err
	}
	manages := c.Caller.OnReport(0, nil) >= record.MayManage
	definitions := map[int64]*record.Definition{}
	page, err := visible(&c, first, after, func(after string, first int) (l listed[*record.Run], err error) {
		p, err := o.Store.Queue().Runs.List(ctx, c.At, filter, after, first, !manages)
		maps.Copy(definitions, p.Definitions)
		return listed[*record.Run]{p.Runs, p.Places, p.HasNextPage, p.End}, err
	}, func(run *record.Run) bool {
		d := definitions[run.ReportID]
		return manages || d != nil && c.Caller.Level(d) >= record.MayRead
	})
	if err == nil && !manages {
		for _, run := range page.Items {
			HideValues(c.Caller, run, &storage.Report{ReportHead: record.ReportHead{Definition: *definitions[run.ReportID]}})
		}
	}
	return page, err
}

// idsOf are the ids of the document that one names; none for an empty one. Runs are listed under the id that their placements had then.
func (o *Operations) idsOf(ctx context.Context, tenant, document string) ([]string, error) {
	if document == "" {
		return nil, nil
	}
	l, err := o.Store.Links().Get(ctx, tenant, document)
	if err != nil {
		return nil, err
	}
	if l == nil || len(l.IDs) == 0 {
		return []string{document}, nil
	}
	var ids []string
	for _, id := range append([]string{document}, l.IDs...) {
		ids = append(ids, placements.Spellings(id)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// The values of the filters of runs.
var (
	runStates = []placements.RunState{
		placements.RunQueued, placements.RunRunning, placements.RunSucceeded, placements.RunFailed,
		placements.RunSkipped, placements.RunStopped, placements.RunSuperseded, record.RunConflict,
	}
	hosts = []placements.Host{placements.SheetsA, placements.SheetsB}
)

// runFilter reads the filters of a list of runs.
func (c *Call) runFilter() (f record.RunFilter, err error) {
	f.State, err = choice(c, "state", runStates, "one of QUEUED, RUNNING, SUCCEEDED, FAILED, SKIPPED, STOPPED, SUPERSEDED, CONFLICT")
	if err != nil {
		return f, err
	}
	if f.Host, err = c.host(); err != nil {
		return f, err
	}
	if f.Report, err = c.id("report"); err != nil {
		return f, err
	}
	if f.Owner, err = c.id("owner"); err != nil {
		return f, err
	}
	f.Since, err = c.since()
	return f, err
}

// HideValues takes out of a run of a report what cells held that the caller may not see (record.Actor.SeesCells): they are shown only in
// which rows it replaced something. Who takes a placement over sees nothing of the runs before.
func HideValues(c *auth.Caller, run *record.Run, report *storage.Report) {
	for _, p := range run.Placements {
		placed, _ := report.Find(p.PlacementID)
		of := cmp.Or(p.RunAsUserID, placed.PlacedByUserID) // the latter for runs from before the former was recorded
		if p.OthersValues {
			of = 0
		}
		if c.SeesCells(of, c.Level(&report.Definition)) {
			continue
		}
		for i := range p.Overwritten {
			p.Overwritten[i].Values = nil
		}
	}
}
