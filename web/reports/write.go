package reports

import (
	"context"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
	"mooring/web/wire"
)

// create makes a report for a caller who may (decisions.md §3).
func (a *API) create(ctx context.Context, c *request.Call) (any, error) {
	var in reportBody
	if err := a.read(ctx, c, &in); err != nil {
		return nil, err
	}
	if err := in.inWorkbook(nil); err != nil {
		return nil, err
	}
	return written(a.Store.Reports().Create(ctx, c.At, in.ReportInput, c.Caller.Actor))
}

// showMade answers as create did that made the report, with what it is now.
func (a *API) showMade(ctx context.Context, c *request.Call, id int64) (any, error) {
	r, err := a.Store.Reports().Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	if err := access.MayRead(c.Caller, r); err != nil {
		return nil, err
	}
	r.Effect = record.Created
	return written(r, nil)
}

// update sets the fields sent; it needs edit access.
func (a *API) update(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	var in reportBody
	if err := a.read(ctx, c, &in); err != nil {
		return nil, err
	}
	allow := func(r *storage.Report) error { return mayRedefine(c, r, &in) }
	return written(a.Store.Reports().Update(ctx, c.At, id, in.ReportInput, c.Caller.Actor, allow))
}

// upsert creates the report with the path's publicId or updates the one that has it (interface.md, Create or update a report by publicId).
func (a *API) upsert(ctx context.Context, c *request.Call) (any, error) {
	var in reportBody
	if err := a.read(ctx, c, &in); err != nil {
		return nil, err
	}
	allow := func(r *storage.Report) error {
		if r == nil {
			return mayStart(c, &in)
		}
		return mayRedefine(c, r, &in)
	}
	return written(a.Store.Reports().Upsert(ctx, c.At, c.Param("publicId"), in.ReportInput, c.Caller.Actor, allow))
}

// setAccess replaces the roles that may do something with a report; it needs manage access.
func (a *API) setAccess(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	var in accessBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	allow := func(r *storage.Report) error { return mayChange(c, r, record.MayManage, in.expected) }
	return written(a.Store.Reports().UpdateAccess(ctx, c.At, id, in.roles, c.Caller.Actor, allow))
}

// written is the answer to a write that returned this.
func written(r *storage.Report, err error) (any, error) {
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return wire.ReportAnswer{ReportView: r.View()}, nil
}
