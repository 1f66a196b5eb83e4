package overview

import (
	"context"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
)

// Audit returns who changed what in the deployment, or outside of deployments in the account, the latest first. A page with a filter may be
// short, even empty, and have a next one: the storage looks at so many entries at a time.
func (o *Operations) Audit(ctx context.Context, c Call) (any, error) {
	if err := c.mayAudit(); err != nil {
		return nil, err
	}
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	filter, err := c.auditFilter()
	if err != nil {
		return nil, err
	}
	after, err := c.after(journal.IsPlace)
	if err != nil {
		return nil, err
	}
	page, err := o.Store.Journal().Entries(ctx, c.at(), filter, after, first)
	if err != nil {
		return nil, err
	}
	return pageOf(page.Entries, page.HasNextPage, page.End), nil
}

// at is the deployment of the call; outside of deployments 0 of the caller's tenant.
func (c *Call) at() record.Deployment { return record.Deployment{Tenant: c.Caller.Tenant, ID: c.At.ID} }

// mayAudit checks that the caller may do everything where they ask.
func (c *Call) mayAudit() error {
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
func (c *Call) auditFilter() (f journal.Filter, err error) {
	if f.User, err = c.id("user"); err != nil {
		return f, err
	}
	if sent := c.Query.Get("asset"); sent != "" {
		kind, id, _ := strings.Cut(sent, ":")
		f.Kind, f.AssetID = journal.Subject(kind), id
		if !slices.Contains(assetKinds, f.Kind) {
			return f, placements.Errorf(placements.CodeParameter,
				"asset must be a kind and an id, such as report:17, workbook:3, schedule:2 or placement:ID.")
		}
	}
	f.Since, err = c.since()
	return f, err
}
