package runs

import (
	"context"
	"errors"
	"strconv"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/history"
	"mooring/web/request"
)

// show answers with a run.
func (a *API) show(ctx context.Context, c *request.Call, run *record.Run) (any, error) {
	shows, err := c.Included(request.IncludeNames)
	if err != nil || shows == nil {
		return run, err
	}
	names, err := access.ReferredBy(a.Store, c).OfRun(ctx, run)
	return namedRun{run, names}, err
}

// ofReport answers with the latest runs of a report.
func (a *API) ofReport(ctx context.Context, c *request.Call, report *storage.Report) (any, error) {
	runs, err := a.Store.Queue().Runs.OfReport(ctx, c.At, report.ID)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		history.HideValues(c.Caller, run, report)
	}
	return history.Page(c, runs)
}

// find loads the path's run and its report. A path that goes through a report finds that report's runs only.
func (a *API) find(ctx context.Context, c *request.Call) (*record.Run, *storage.Report, error) {
	run, err := a.Store.Queue().Runs.Get(ctx, c.At, c.Param("runId"))
	if err != nil {
		return nil, nil, request.Absent(err, "run")
	}
	if through := c.Param("reportId"); through != "" && through != strconv.FormatInt(run.ReportID, 10) {
		return nil, nil, request.NotFound("run")
	}
	report, err := a.Store.Reports().Get(ctx, c.At, run.ReportID)
	return run, report, request.Absent(err, "run")
}

// readable loads the path's run if the caller may read its report.
func (a *API) readable(ctx context.Context, c *request.Call) (*record.Run, error) {
	run, report, err := a.find(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := access.Demand(c.Caller.Level(&report.Definition), record.MayRead, "run"); err != nil {
		return nil, err
	}
	history.HideValues(c.Caller, run, report)
	return run, nil
}

// stoppable loads the path's run if the caller may stop it.
func (a *API) stoppable(ctx context.Context, c *request.Call) (*record.Run, error) {
	run, report, err := a.find(ctx, c)
	if err != nil {
		return nil, err
	}
	onReport := c.Caller.Level(&report.Definition)
	if err := access.Demand(onReport, record.MayRead, "run"); err != nil {
		return nil, err
	}
	history.HideValues(c.Caller, run, report)
	return run, mayStop(c.Caller, run, onReport)
}

// mayStop refuses to stop a run that another person asked for, unless the caller may edit its report: it would keep their cells from being
// true.
func mayStop(caller *auth.Caller, run *record.Run, onReport record.Level) error {
	if caller.MayStop(run, onReport) {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another person asked for run %s, or owns its schedule: stopping it needs edit access to report %d; ask them, or ask for that.",
		run.ID, run.ReportID)
}

// stop asks a run to stop. One that has ended stays as it is, and is answered as it ended.
func (a *API) stop(ctx context.Context, c *request.Call, run *record.Run) (any, error) {
	err := a.Engine.Stop(ctx, c.At, run)
	if errors.Is(err, queue.ErrEnded) {
		return a.readable(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	return request.Accepted{Value: run}, nil
}
