package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/bulk"
	"mooring/web/members"
	"mooring/web/request"
)

// action is what a request does with every run that its filter matches.
type action string

const (
	retry action = "retry"
	stop  action = "stop"
)

// bulkBody is the body of an action on runs.
type bulkBody struct {
	action   action
	filter   filterMembers
	expected int
}

// Members implements request.Body.
func (b *bulkBody) Members(o *bind.Object) {
	bind.Choice(o, "action", &b.action, []action{retry, stop})
	o.Object("filter", b.filter.Members)
	bind.Whole(o, "expectedCount", &b.expected, 0)
	o.Required("action", "filter", "expectedCount")
}

// actOnAll stops the runs that a filter matches, or runs their targets again.
func (a *API) actOnAll(ctx context.Context, c *request.Call) (any, error) {
	var in bulkBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	runs, err := a.matching(ctx, c.At, &in.filter)
	if err != nil {
		return nil, err
	}
	if err := bulk.CheckCount(len(runs), in.expected); err != nil {
		return nil, err
	}
	out := bulk.NewEffects[string](len(runs))
	if in.action == stop {
		return out, a.stopAll(ctx, c, runs, out)
	}
	return out, a.retryAll(ctx, c, runs, out)
}

// stopAll asks runs to stop, each by the rules of stopping it alone. One that has ended stays as it is.
func (a *API) stopAll(ctx context.Context, c *request.Call, runs []*record.Run, out *bulk.Effects[string]) error {
	reports := access.ReferredBy(a.Store, c)
	for _, run := range runs {
		err := request.Absent(a.stopOf(ctx, c, reports, run), "run")
		if err == nil || errors.Is(err, queue.ErrEnded) {
			continue
		}
		if err := out.Refuse(run.ID, err); err != nil {
			return err
		}
	}
	return nil
}

// stopOf asks one of many runs to stop. One whose report is gone is theirs who may edit every report, beside who asked for it.
func (a *API) stopOf(ctx context.Context, c *request.Call, reports *access.Referred, run *record.Run) error {
	report, err := reports.Report(ctx, run.ReportID)
	if err != nil {
		return err
	}
	caller, of := c.Caller, record.Definition{}
	if report != nil {
		of = report.Definition
	}
	if err := mayStop(caller, run, caller.Level(&of)); err != nil {
		return err
	}
	return a.Engine.Stop(ctx, c.At, run)
}

// retriesAtOnce is how many runs one step makes: other requests wait for the storage meanwhile.
const retriesAtOnce = 100

// retryAll makes a manual run of the target of each run that has ended, with its options.
func (a *API) retryAll(ctx context.Context, c *request.Call, runs []*record.Run, out *bulk.Effects[string]) error {
	reports := access.ReferredBy(a.Store, c)
	for some := range slices.Chunk(runs, retriesAtOnce) {
		var orders []refresh.RunOrder
		var ids []string
		for _, run := range some {
			order, err := a.retryOf(ctx, c, reports, run)
			if err == nil {
				orders, ids = append(orders, order), append(ids, run.ID)
			} else if err := out.Refuse(run.ID, err); err != nil {
				return err
			}
		}
		_, refused, err := a.Engine.StartAll(ctx, c.Caller.Tenant, orders)
		if err != nil {
			return err
		}
		for i, why := range refused {
			if why == nil {
				continue
			}
			if err := out.Refuse(ids[i], request.Absent(why, "report")); err != nil {
				return err
			}
		}
	}
	return nil
}

// retryOf asks for a run like one that has ended, by the rules of any run that the caller asks for.
func (a *API) retryOf(ctx context.Context, c *request.Call, reports *access.Referred, run *record.Run) (order refresh.RunOrder, err error) {
	if run.EndedAt == "" {
		return order, placements.Errorf(placements.CodeRunning, "Run %s has not ended: wait for it or stop it.", run.ID)
	}
	target, caller := run.Target(), c.Caller
	if target.PlacementID != "" {
		target.ExternalWorkbookID = "" // a run of an add-in names both
	}
	report, err := reports.Report(ctx, target.ReportID)
	if err != nil {
		return order, err
	}
	if report == nil {
		return order, request.NotFound("report")
	}
	if err := access.MayRead(caller, report); err != nil {
		return order, err
	}
	if target, err = a.Store.Sites().Aim(ctx, c.At.Tenant, target); err != nil {
		return order, err
	}
	if err := target.Refreshable(&report.Definition, report.Places()); err != nil {
		return order, err
	}
	req := refresh.Request{Target: target, Options: run.Options, WriteOver: run.WriteOver, By: caller.Actor}
	if run.Restores != "" {
		placed, _ := report.Find(run.PlacementID)
		if req.Restores, err = a.restorable(ctx, c, report, placed, run.Restores); err != nil {
			return order, err
		}
	}
	order = refresh.RunOrder{DeploymentID: c.At.ID, Request: req}
	others := target.NamesPartOthers(report.Places(), caller.ID)
	denied := mayOverwrite(caller, req, &report.Definition, others)
	if denied == nil {
		denied = mayWriteOver(caller, req, report)
	}
	return order, denied
}

// filterMembers are the filters of a list of runs as members of an object.
type filterMembers struct {
	record.RunFilter
	document, since string
}

// Members names them.
func (m *filterMembers) Members(o *bind.Object) {
	bind.Choice(o, "state", &m.State, runStates)
	bind.Choice(o, "host", &m.Host, members.Hosts)
	bind.Text(o, "document", &m.document, maxDocument)
	bind.Whole(o, "report", &m.Report, 1)
	bind.Whole(o, "owner", &m.Owner, 1)
	bind.Text(o, "since", &m.since, len(time.RFC3339Nano), sinceRule)
}

// maxDocument is how long the id of a spreadsheet may be.
const maxDocument = 1 << 20

func sinceRule(sent string) (placements.Code, string) {
	if _, err := time.Parse(time.RFC3339, sent); err != nil {
		return placements.CodeInvalid, "must be a time such as 2026-11-22T07:00:00Z"
	}
	return "", ""
}

// matching returns the runs of the deployment that filters match, the latest first; of more than bulk.CheckCount admits, some more than that.
func (a *API) matching(ctx context.Context, d record.Deployment, m *filterMembers) (runs []*record.Run, err error) {
	f := m.RunFilter
	f.Since, _ = time.Parse(time.RFC3339, m.since) // the rule has checked it
	if f.Documents, err = idsOf(ctx, a.Store, d.Tenant, m.document); err != nil {
		return nil, err
	}
	for after := ""; len(runs) <= bulk.Max; {
		page, err := a.Store.Queue().Runs.List(ctx, d, f, after, request.MaxPage, false)
		if err != nil {
			return nil, err
		}
		runs = slices.Concat(runs, page.Runs)
		if after = page.End; !page.HasNextPage {
			break
		}
	}
	return runs, nil
}
