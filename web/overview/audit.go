package overview

import (
	"context"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/web/request"
)

// Audit returns who changed what in the deployment, or outside of deployments in the account, the latest first. A page with a filter may be
// short, even empty, and have a next one: the storage looks at so many entries at a time.
func (o *API) Audit(ctx context.Context, c *request.Call) (any, error) {
	if err := mayAudit(c); err != nil {
		return nil, err
	}
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	filter, err := auditFilter(c)
	if err != nil {
		return nil, err
	}
	after, err := c.After(journal.IsPlace)
	if err != nil {
		return nil, err
	}
	page, err := o.Store.Journal().Entries(ctx, at(c), filter, after, first)
	if err != nil {
		return nil, err
	}
	return request.PageOf(page.Entries, page.HasNextPage, page.End), nil
}

// at is the deployment of the call; outside of deployments 0 of the caller's tenant.
func at(c *request.Call) record.Deployment {
	return record.Deployment{Tenant: c.Caller.Tenant, ID: c.At.ID}
}

// mayAudit checks that the caller may do everything where they ask.
func mayAudit(c *request.Call) error {
	switch {
	case !c.Caller.IsAdmin():
		return placements.Errorf(placements.CodeForbidden,
			"Reading the audit needs the action All in the token itself: ask for a token with it.")
	case c.At.ID == 0 && !c.Caller.ManagesAccount():
		return placements.Errorf(placements.CodeForbidden,
			"This token is for some deployments only: read their audits, or ask for a token with the action All for every deployment.")
	}
	return nil
}

var assetKinds = []journal.Subject{
	journal.Report, journal.Workbook, journal.Placement, journal.Schedule, journal.Settings, journal.Device, journal.Key,
	journal.Tenant, journal.Document,
}

// auditFilter reads the filters of the audit.
func auditFilter(c *request.Call) (f journal.Filter, err error) {
	if f.User, err = c.FilterID("user"); err != nil {
		return f, err
	}
	if sent := c.Query("asset"); sent != "" {
		kind, id, _ := strings.Cut(sent, ":")
		f.Kind, f.AssetID = journal.Subject(kind), id
		if !slices.Contains(assetKinds, f.Kind) {
			return f, placements.Errorf(placements.CodeParameter,
				"asset must be a kind and an id, such as report:17, workbook:3, schedule:2 or placement:ID.")
		}
	}
	f.Since, err = c.Since()
	return f, err
}
