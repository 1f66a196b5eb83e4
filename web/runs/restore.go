package runs

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/request"
)

// restoreBody is the body of a run that puts back what an earlier one changed.
type restoreBody struct {
	request.MayBeMissing
	executor record.Executor
}

// Members implements request.Body.
func (b *restoreBody) Members(o *bind.Object) { executorMember(o, &b.executor) }

// restoring reads a request for a run that puts back what the path's run changed in the block of the path's placement, which the caller may ask
// for.
func (a *API) restoring(ctx context.Context, c *request.Call) (o order, err error) {
	if o.report, err = a.report(ctx, c); err != nil {
		return o, err
	}
	var in restoreBody
	if err := c.Read(&in); err != nil {
		return o, err
	}
	placed, found := o.report.Find(c.Param("placementId"))
	if !found {
		return o, request.NotFound("placement")
	}
	if o.Restores, err = a.restorable(ctx, c, o.report, placed, c.Param("runId")); err != nil {
		return o, err
	}
	if in.executor == record.ExecutorClient {
		o.Executor = in.executor
	}
	o.Options, o.By = placements.Options{OnEdit: placements.Sent(placements.Keep)}, c.Caller.Actor
	o.Target, err = a.Store.Sites().Aim(ctx, c.At.Tenant, record.RunTarget{ReportID: o.report.ID, PlacementID: placed.ID})
	return o, err
}

// restorable returns the run of that id if the caller may have put back what it changed in the block of a placement.
func (a *API) restorable(ctx context.Context, c *request.Call, report *storage.Report, placed storage.Placed, run string) (string, error) {
	if !placed.PlacedFor(c.Caller.ID) && c.Caller.Level(&report.Definition) < record.MayManage {
		return "", othersChange(run, report, placed)
	}
	change, _, err := a.Store.History().Change(ctx, c.At, report.ID, placed.ID, run)
	if err != nil {
		return "", request.Absent(err, "change")
	}
	return change.RunID, mayRestore(c.Caller, report, placed, &change)
}

// mayRestore refuses to put back a change whose cells are not the caller's, and one that has none.
func mayRestore(caller *auth.Caller, report *storage.Report, placed storage.Placed, c *record.BlockChange) error {
	level := caller.Level(&report.Definition)
	switch {
	case caller.Restorable(c, &placed.Placement, level) > 0:
		return nil
	case c.Kept && c.Restorable > 0:
		return othersChange(c.RunID, report, placed)
	case !c.Kept:
		return placements.Errorf(placements.CodeNothingToPut,
			"Run %s changed more rows than are kept: there is nothing to put back.", c.RunID)
	}
	return placements.Errorf(placements.CodeNothingToPut,
		"Run %s replaced no cell of the block at %.80s: there is nothing to put back.", c.RunID, placed.ResultLocation)
}

// othersChange refuses to put back what is another person's.
func othersChange(run string, report *storage.Report, placed storage.Placed) error {
	return placements.Errorf(placements.CodeForbidden,
		"Another person placed the report at %.80s, or run %s wrote there on their behalf: to put back what it changed, ask them, or who may "+
			"manage report %d.", placed.ResultLocation, run, report.ID)
}
