package runs

import (
	"context"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/request"
)

// startIn asks for a refresh of everything in a spreadsheet that the caller may read, in one step.
func (a *API) startIn(ctx context.Context, c *request.Call, in documentOrder) (any, error) {
	answer := make([]startedRun, len(in.reports))
	orders, ordered := in.orders(c, answer)
	if len(orders) == 0 {
		return nil, nothingIn(c.Param("externalWorkbookId"), answer)
	}
	runs, refused, err := a.Engine.StartAll(ctx, c.Caller.Tenant, orders)
	if err != nil {
		return nil, err
	}
	for i, one := range ordered {
		one.RunID = runs[i].ID
		if refused[i] != nil {
			one.refuse(refused[i])
		}
	}
	return request.Accepted{Value: map[string]any{"runs": answer}}, nil
}

// orders returns an order for each report that the caller may have refreshed, with the place of its answer; the answers of the others say
// why there is none.
func (b *documentOrder) orders(c *request.Call, answer []startedRun) (orders []refresh.RunOrder, ordered []*startedRun) {
	for i, d := range b.reports {
		answer[i] = startedRun{DeploymentID: d.deployment, ReportID: d.report}
		req := b.request(c.Caller, record.RunTarget{ReportID: d.report, ExternalWorkbookID: c.Param("externalWorkbookId")})
		err := d.definition.Queried(d.report)
		if err == nil {
			err = mayOverwrite(c.Caller, req, d.definition, d.others)
		}
		if err != nil {
			answer[i].refuse(err)
			continue
		}
		orders = append(orders, refresh.RunOrder{DeploymentID: d.deployment, Request: req})
		ordered = append(ordered, &answer[i])
	}
	return orders, ordered
}

// startedRun is what became of the refresh of one report in a spreadsheet. With a code no run was made; runId is then that of the run in
// progress.
type startedRun struct {
	DeploymentID int64           `json:"deploymentId"`
	ReportID     int64           `json:"reportId"`
	RunID        string          `json:"runId,omitempty"`
	Code         placements.Code `json:"code,omitempty"`
	Message      string          `json:"message,omitempty"`
}

// refuse notes why no run was made.
func (r *startedRun) refuse(err error) {
	e := request.AsError(err)
	r.RunID, r.Code, r.Message = "", e.Code, e.Message
	if len(e.Details) > 0 {
		r.RunID = e.Details[0].RunID
	}
}

// nothingIn is the answer where none of the reports in a spreadsheet can be refreshed.
func nothingIn(document string, reports []startedRun) *placements.Error {
	for _, r := range reports {
		if r.Code == placements.CodeForbidden {
			return placements.Errorf(r.Code, "%s", r.Message)
		}
	}
	return placements.Errorf(placements.CodeNothing,
		"No report in the spreadsheet %.80q has a query: give one an sqlQuery or a jsonQuery first.", document)
}

// placedReport names a report with a placement in a spreadsheet.
type placedReport struct {
	deployment, report int64
	definition         *record.Definition
	others             bool // another person than the caller has placed it there
}

// documentOrder is a refresh of all in a spreadsheet that the caller may read.
type documentOrder struct {
	options
	reports []placedReport
}

// placedIn reads a request for a refresh of the path's spreadsheet, and lists the reports with a placement there that the caller may read;
// there is one at least.
func (a *API) placedIn(ctx context.Context, c *request.Call) (o documentOrder, err error) {
	if err := c.Read(&o.options); err != nil {
		return o, err
	}
	o.reports, err = a.reportsIn(ctx, c.Caller, c.Param("externalWorkbookId"))
	return o, err
}

// reportsIn lists the reports with a placement in a spreadsheet that the caller may read; there is one at least.
func (a *API) reportsIn(ctx context.Context, caller *auth.Caller, document string) ([]placedReport, error) {
	var list []placedReport
	seen := map[[2]int64]int{} // deployment and report -> index in list
	for after := ""; ; {
		p, err := a.Store.Placements().InDocument(ctx, caller.Tenant, document, after, request.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			name := [2]int64{d.DeploymentID, d.ReportID}
			if !access.MayReadPlaced(caller, d) {
				continue
			}
			at, known := seen[name]
			if !known {
				at, seen[name] = len(list), len(list)
				list = append(list, placedReport{d.DeploymentID, d.ReportID, d.Definition, false})
			}
			list[at].others = list[at].others || !d.Placement.Wholly(caller.ID)
		}
		if !p.HasNextPage {
			break
		}
		after = p.EndCursor
	}
	if len(list) == 0 {
		return nil, placements.Errorf(placements.CodeNothing,
			"No report that you may read stands in the spreadsheet %.80q: connect one to it first.", document)
	}
	return list, nil
}
