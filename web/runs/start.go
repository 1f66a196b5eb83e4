package runs

import (
	"cmp"
	"context"
	"strings"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// options are the keys that say how a run treats the cells it finds (decisions.md §7): all that a run of a document takes.
type options struct {
	request.MayBeMissing
	placements.Options
}

// Members implements request.Body.
func (b *options) Members(o *bind.Object) {
	members.Options(o, &b.Options)
	members.NoSettings(o)
}

// request asks for a run of a target with these options.
func (b *options) request(c *auth.Caller, of record.RunTarget) refresh.Request {
	return refresh.Request{Target: of, Options: b.Over(placements.Options{}), By: c.Actor}
}

// startBody is the body of a run of a report.
type startBody struct {
	options
	record.RunTarget
	executor  record.Executor
	writeOver bool
}

// executors are what a request may say of who is to work on its run.
var executors = []record.Executor{record.ExecutorAgent, record.ExecutorClient}

// executorMember names who is to work on a run.
func executorMember(o *bind.Object, of *record.Executor) { bind.Choice(o, "executor", of, executors) }

// Members implements request.Body.
func (b *startBody) Members(o *bind.Object) {
	executorMember(o, &b.executor)
	o.Flag("writeOver", &b.writeOver)
	bind.Text(o, "placementId", &b.PlacementID, members.MaxText)
	bind.Text(o, "externalWorkbookId", &b.ExternalWorkbookID, members.MaxText)
	b.options.Members(o)
}

// Check refuses a run by an add-in that is not of one placement.
func (b *startBody) Check(_ *request.Call, f *bind.Faults) {
	if b.executor == record.ExecutorClient && b.PlacementID == "" {
		f.Join(placements.Detail{
			Pointer: "/placementId", Code: placements.CodeInvalid, Message: "is required for a run by a client: send it",
		})
	}
	if b.writeOver && b.PlacementID == "" {
		f.Join(placements.Detail{
			Pointer: "/placementId", Code: placements.CodeInvalid, Message: "is required with writeOver: send that of the block which was never written",
		})
	}
}

// order is a run that a caller may ask for.
type order struct {
	report *storage.Report
	refresh.Request
}

// report loads the path's report.
func (a *API) report(ctx context.Context, c *request.Call) (*storage.Report, error) {
	return access.Report(ctx, a.Store, c)
}

// wanted reads a request for a run of the path's report that the caller may ask for.
func (a *API) wanted(ctx context.Context, c *request.Call) (o order, err error) {
	if o.report, err = a.report(ctx, c); err != nil {
		return o, err
	}
	var in startBody
	if err := c.Read(&in); err != nil {
		return o, err
	}
	in.ReportID = o.report.ID
	aimed, err := a.Store.Sites().Aim(ctx, c.At.Tenant, in.RunTarget)
	if err != nil {
		return o, err
	}
	o.Request = in.request(c.Caller, aimed)
	o.WriteOver = in.writeOver
	if in.executor == record.ExecutorClient {
		o.Executor = in.executor
	}
	if err := access.OneTarget(o.Target); err != nil {
		return o, err
	}
	others := o.Target.NamesPartOthers(o.report.Places(), o.By.ID)
	return o, cmp.Or(mayOverwrite(c.Caller, o.Request, &o.report.Definition, others), mayWriteOver(c.Caller, o.Request, o.report))
}

// mayWriteOver refuses a run that would write over what stands where a block goes, in a document that does not count as the caller's.
func mayWriteOver(caller *auth.Caller, req refresh.Request, report *storage.Report) error {
	placed, found := report.Find(req.Target.PlacementID)
	if !req.WriteOver || !found || req.Executor == record.ExecutorClient || placed.InOwnDocument(caller.ID) ||
		caller.Level(&report.Definition) >= record.MayEdit {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"It is not known that the spreadsheet %.80q is yours, and writeOver replaces what stands there: place the report by the add-in in the open "+
			"spreadsheet, or have somebody do it who may edit report %d.", placed.WorkbookID, report.ID)
}

// mayOverwrite refuses a run that would overwrite what people typed into the block of another person's placement, or into one that still has
// rows of another person, or remove the signature of its workbook, unless the caller may edit the report of that definition. others says that
// the run names such a placement.
func mayOverwrite(caller *auth.Caller, req refresh.Request, d *record.Definition, others bool) error {
	if !req.Destroys() || !others || caller.Level(d) >= record.MayEdit {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		`Another person placed report %d there, or it has rows of theirs still: onEdit "overwrite" and breakSignature need edit access to the report; `+
			`send "keep" or "stop" and no breakSignature, or name a placement of your own.`, req.Target.ReportID)
}

// start asks for a refresh of a report's placements: one of them, those in one spreadsheet, or all. A run of one placement that the caller's
// add-in works on is answered with the hold on it (decisions.md §7d).
func (a *API) start(ctx context.Context, c *request.Call, o order) (any, error) {
	o.By = c.Caller.Actor // who by now has the Idempotency-Key, from which the run's id is made
	if err := o.Target.Refreshable(&o.report.Definition, o.report.Places()); err != nil {
		return nil, err
	}
	if o.Executor == record.ExecutorClient {
		placed, _ := o.report.Find(o.Target.PlacementID)
		lease, err := a.Engine.ClientRuns().Start(ctx, c.At, o.Request, placed.Placement)
		return leased(c, lease, &o.report.Definition), err
	}
	run, err := a.Engine.Start(ctx, c.At, o.Request)
	if err != nil {
		return nil, err
	}
	return started(c, run), nil
}

// showStarted answers as start did that made the run.
func (a *API) showStarted(ctx context.Context, c *request.Call, id string) (any, error) {
	run, err := a.Store.Queue().Runs.Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "run")
	}
	if run.Executor != record.ExecutorClient {
		return started(c, run), nil
	}
	report, err := a.Store.Reports().Get(ctx, c.At, run.ReportID)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	lease, err := a.Engine.ClientRuns().LeaseOf(ctx, c.At, run)
	return leased(c, lease, &report.Definition), err
}

// started is the answer with a run that an agent works on.
func started(c *request.Call, run *record.Run) request.Accepted {
	return request.Accepted{Value: map[string]string{"runId": run.ID}, Location: refreshesOf(c) + "/" + run.ID}
}

// refreshesOf is the path of the runs of the path's report, of which it is, or of one of whose placements.
func refreshesOf(c *request.Call) string {
	report, _, _ := strings.Cut(strings.TrimSuffix(c.Request.URL.Path, "/refreshes"), "/placements/")
	return report + "/refreshes"
}

// leased is the answer with the hold on a run of a report that has begun.
func leased(c *request.Call, l refresh.ClientLease, of *record.Definition) request.Accepted {
	shown := shownLease(l)
	if of.ShowsFilters() {
		shown["appliedFilters"] = true
	}
	return request.Accepted{Value: shown, Location: refreshesOf(c) + "/" + l.RunID}
}

// shownLease is a hold as answers show it.
func shownLease(l refresh.ClientLease) map[string]any {
	return map[string]any{"runId": l.RunID, "fence": l.Fence, "leaseUntil": placements.Time(l.Until)}
}
