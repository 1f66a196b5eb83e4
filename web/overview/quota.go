package overview

import (
	"context"
	"errors"
	"slices"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/request"
)

// quota is the wire form of what the caller's tenant may ask of others, and the caller of the service.
type quota struct {
	Items     []accountQuota `json:"items"`
	Schedules scheduleQuota  `json:"schedules"`
	Requests  requestQuota   `json:"requests"`
}

// accountQuota is the wire form of a quota of a spreadsheet host's account.
type accountQuota struct {
	Account      string          `json:"account"`
	Host         placements.Host `json:"host"`
	Spreadsheets string          `json:"spreadsheets"` // the name of the host
	Limit        int             `json:"limit"`
	Per          string          `json:"per"`
	Remaining    int             `json:"remaining"`
	Waiting      []waitingRun    `json:"waiting"`
}

// waitingRun is the wire form of a run that waits for a quota.
type waitingRun struct {
	DeploymentID int64  `json:"deploymentId"`
	RunID        string `json:"runId"`
	Document     string `json:"document"` // empty: its report stands in none any more
	Until        string `json:"until"`

	at string // the name of the spreadsheet's host; empty: not known
}

type scheduleQuota struct {
	OfUser   countedLimit `json:"ofUser"`
	OfTenant countedLimit `json:"ofTenant"`
}

// countedLimit is the wire form of a use against a limit.
type countedLimit struct {
	Used  int  `json:"used"`
	Limit *int `json:"limit"` // nil: none
}

type requestQuota struct {
	Limit *int   `json:"limit"` // of each token; nil: none
	Per   string `json:"per"`
}

// perMinute is the period of all quotas.
const perMinute = "minute"

// Quota returns the quotas of the tenant's spreadsheet hosts with the runs that wait for them, and the limits of the service.
func (o *API) Quota(ctx context.Context, c *request.Call) (any, error) {
	use, err := o.Store.Schedules().Use(ctx, c.Caller.Tenant, c.Caller.ID)
	if err != nil {
		return nil, err
	}
	out := quota{
		Items: []accountQuota{},
		Schedules: scheduleQuota{
			OfUser: countedLimit{use.OfUser, limitOf(use.Limits.PerUser)}, OfTenant: countedLimit{use.OfTenant, limitOf(use.Limits.PerTenant)},
		},
		Requests: requestQuota{limitOf(o.Gate.RatePerMinute()), perMinute},
	}
	if o.Engine == nil {
		return out, nil
	}
	list, err := o.Engine.Quotas(ctx, c.Caller.Tenant)
	if err != nil {
		return nil, err
	}
	seen := map[placements.Host]bool{}
	for _, q := range list {
		out.Items = append(out.Items, accountQuota{q.Account, q.Host, q.Spreadsheets, q.PerMinute, perMinute, q.Left, []waitingRun{}})
	}
	for _, q := range list {
		if seen[q.Host] {
			continue
		}
		seen[q.Host] = true
		runs, err := o.waiting(ctx, c, q.Host)
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			at := scarcest(list, q.Host, run.at)
			out.Items[at].Waiting = append(out.Items[at].Waiting, run)
		}
	}
	return out, nil
}

// limitOf is a limit as answers show it.
func limitOf(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// scarcest is the quota of a host of which the smallest part is left: its runs wait for that one. A name that no host of the kind has stands
// for any of them.
func scarcest(list []refresh.QuotaUse, host placements.Host, name string) int {
	known := slices.ContainsFunc(list, func(q refresh.QuotaUse) bool { return q.Host == host && q.Spreadsheets == name })
	best := -1
	for i, q := range list {
		if q.Host == host && (!known || q.Spreadsheets == name) && (best < 0 || q.Left*list[best].PerMinute < list[best].Left*q.PerMinute) {
			best = i
		}
	}
	return best
}

// The bounds of the runs that are looked at, of each deployment and host, and shown.
const (
	waitingPages = 5
	mostWaiting  = 100
)

// waiting lists the runs on a host that wait for a quota and that the caller may read.
func (o *API) waiting(ctx context.Context, c *request.Call, host placements.Host) (list []waitingRun, err error) {
	for _, d := range o.deployments(c) {
		runs, err := o.waitingIn(ctx, c, d, host)
		if err != nil {
			return nil, err
		}
		for _, run := range runs[:min(len(runs), mostWaiting-len(list))] {
			document, at, err := o.documentOf(ctx, d, run, host)
			if err != nil {
				return nil, err
			}
			list = append(list, waitingRun{d.ID, run.ID, document, run.NextAttemptAt, at})
		}
	}
	return list, nil
}

// waitingIn lists those of a deployment.
func (o *API) waitingIn(ctx context.Context, c *request.Call, d record.Deployment, host placements.Host) (list []*record.Run, err error) {
	filter, after := record.RunFilter{State: placements.RunQueued, Host: host}, ""
	for range waitingPages {
		page, err := o.Store.Queue().Runs.List(ctx, d, filter, after, request.MaxPage, true)
		if err != nil {
			return nil, err
		}
		for _, run := range page.Runs {
			def := page.Definitions[run.ReportID]
			if run.ErrorClass == placements.Quota && def != nil && c.Caller.Level(def) >= record.MayRead {
				list = append(list, run)
			}
		}
		if after = page.End; !page.HasNextPage {
			break
		}
	}
	return list, nil
}

// documentOf is the spreadsheet on a kind of host that a run refreshes, the first of those that it was asked for, and the name of its host.
func (o *API) documentOf(
	ctx context.Context, d record.Deployment, run *record.Run, host placements.Host,
) (document, at string, err error) {
	report, err := o.Store.Reports().Get(ctx, d, run.ReportID)
	if err != nil {
		return run.ExternalWorkbookID, "", ignoreGone(err)
	}
	aimed, err := o.Store.Sites().Aim(ctx, d.Tenant, run.Target())
	if err != nil {
		return run.ExternalWorkbookID, "", err
	}
	for _, p := range report.Placements {
		if p.Host == host && aimed.Has(p.Placement) {
			return p.WorkbookID, p.Spreadsheets, nil
		}
	}
	return run.ExternalWorkbookID, "", nil
}

// ignoreGone leaves out that an asset was deleted meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, record.ErrNotFound) {
		return nil
	}
	return err
}
