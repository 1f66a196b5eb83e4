package overview

import (
	"context"
	"encoding/json"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
)

// Placement is a placement of any report, for a caller who may read that.
type Placement struct {
	Access       string          `json:"access"` // GRANTED
	DeploymentID int64           `json:"deploymentId"`
	ReportID     int64           `json:"reportId"`
	ReportName   string          `json:"reportName"`
	Placement    json.RawMessage `json:"placement"`
}

// Show returns d as a caller is shown it who may read its report.
func Show(d record.DocumentPlacement) (Placement, error) {
	text, err := d.View.Append(nil, d.Definition.CurrentChecksum)
	return Placement{"GRANTED", d.DeploymentID, d.ReportID, d.Definition.Name, text}, err
}

// Placements returns the placements of the deployment whose reports the caller may read, the latest placed first. A page may be short, even
// empty, and have a next one: so many placements are looked at for each.
func (o *Operations) Placements(ctx context.Context, c Call) (any, error) {
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	filter, err := c.placementFilter()
	if err != nil {
		return nil, err
	}
	if filter.Document != "" {
		if filter.Document, err = o.Store.Sites().Home(ctx, c.At.Tenant, filter.Document); err != nil {
			return nil, err
		}
	}
	after, err := c.after(standing.CheckPlace)
	if err != nil {
		return nil, err
	}
	page, err := visible(&c, first, after, func(after string, first int) (l listed[record.DocumentPlacement], err error) {
		p, err := o.Store.Standing().Placements(ctx, c.At, filter, after, first)
		l = listed[record.DocumentPlacement]{items: p.Items, more: p.HasNextPage, end: p.End}
		for _, d := range p.Items {
			l.places = append(l.places, d.Member)
		}
		return l, err
	}, func(d record.DocumentPlacement) bool { return c.Caller.Level(d.Definition) >= record.MayRead })
	if err != nil {
		return nil, err
	}
	shown := Page[Placement]{Items: make([]Placement, len(page.Items)), PageInfo: page.PageInfo}
	for i, d := range page.Items {
		d.View = d.View.WithoutChecksum()
		if shown.Items[i], err = Show(d); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// statuses are the values of the filter of placements and spreadsheets.
var statuses = []placements.Status{
	placements.UpToDate, placements.Changed, placements.Unknown, placements.Refreshing, placements.Failed, placements.Conflicted, standing.Edited, standing.Waiting,
}

// status reads a filter of that name.
func (c *Call) status() (placements.Status, error) {
	return choice(c, "status", statuses, "one of UP_TO_DATE, CHANGED, UNKNOWN, REFRESHING, FAILED, CONFLICT, EDITED, WAITING")
}

// host reads a filter of that name.
func (c *Call) host() (placements.Host, error) {
	return choice(c, "host", hosts, "SHEETS_A or SHEETS_B")
}

// placementFilter reads the filters of a list of placements.
func (c *Call) placementFilter() (f standing.Filter, err error) {
	if f.Status, err = c.status(); err != nil {
		return f, err
	}
	if f.Reason, err = choice(c, "reason", placements.Waits(), "one of locked, missing, quota, held, source"); err != nil {
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
	f.Document = c.Query.Get("document")
	f.Since, err = c.since()
	return f, err
}
