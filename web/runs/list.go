package runs

import (
	"context"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/history"
	"mooring/web/request"
)

// list returns the runs of the deployment that the caller may read, the latest first. A page may be short, even empty, and have a next
// one: so many runs are looked at for each.
func (a *API) list(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	filter, err := runFilter(c)
	if err != nil {
		return nil, err
	}
	if filter.Documents, err = idsOf(ctx, a.Store, c.At.Tenant, c.Query("document")); err != nil {
		return nil, err
	}
	after, err := c.After(record.CheckRunPlace)
	if err != nil {
		return nil, err
	}
	shows, err := c.Included(request.IncludeNames)
	if err != nil {
		return nil, err
	}
	manages := c.Caller.OnReport(0, nil) >= record.MayManage
	definitions := map[int64]*record.Definition{}
	page, err := request.Visible(c.Caller.OnReport(0, nil) >= record.MayRead, first, after, func(after string, first int) (l request.Listed[*record.Run], err error) {
		p, err := a.Store.Queue().Runs.List(ctx, c.At, filter, after, first, !manages)
		maps.Copy(definitions, p.Definitions)
		return request.Listed[*record.Run]{Items: p.Runs, Places: p.Places, More: p.HasNextPage, End: p.End}, err
	}, func(run *record.Run) bool {
		d := definitions[run.ReportID]
		return manages || d != nil && c.Caller.Level(d) >= record.MayRead
	})
	if err == nil && !manages {
		for _, run := range page.Items {
			history.HideValues(c.Caller, run, &storage.Report{ReportHead: record.ReportHead{Definition: *definitions[run.ReportID]}})
		}
	}
	if err != nil || shows == nil {
		return page, err
	}
	return a.named(ctx, c, page)
}

// namedRun is a run with what people call what it refreshes.
type namedRun struct {
	*record.Run
	Names *access.Titles `json:"names,omitempty"` // nil: the report is gone
}

// named is a page of runs with their names.
func (a *API) named(ctx context.Context, c *request.Call, page request.PageAnswer[*record.Run]) (any, error) {
	reports := access.ReferredBy(a.Store, c)
	out := request.PageAnswer[namedRun]{Items: make([]namedRun, len(page.Items)), PageInfo: page.PageInfo}
	for i, run := range page.Items {
		names, err := reports.OfRun(ctx, run)
		if err != nil {
			return nil, err
		}
		out.Items[i] = namedRun{run, names}
	}
	return out, nil
}

// idsOf are the ids of the document that one names; none for an empty one. Runs are listed under the id that their placements had then.
func idsOf(ctx context.Context, store *storage.Store, tenant, document string) ([]string, error) {
	if document == "" {
		return nil, nil
	}
	l, err := store.Links().Get(ctx, tenant, document)
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
)

// runFilter reads the filters of a list of runs.
func runFilter(c *request.Call) (f record.RunFilter, err error) {
	f.State, err = request.Choice(c, "state", runStates, "one of QUEUED, RUNNING, SUCCEEDED, FAILED, SKIPPED, STOPPED, SUPERSEDED, CONFLICT")
	if err != nil {
		return f, err
	}
	if f.Host, err = c.Host(); err != nil {
		return f, err
	}
	if f.Report, err = c.FilterID("report"); err != nil {
		return f, err
	}
	if f.Owner, err = c.FilterID("owner"); err != nil {
		return f, err
	}
	f.Since, err = c.Since()
	return f, err
}
