package workbooks

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/request"
)

// readable loads the path's workbook if the caller may read it.
func (a *API) readable(ctx context.Context, c *request.Call) (*record.Workbook, error) {
	if err := checkInclude(c); err != nil {
		return nil, err
	}
	return a.find(ctx, c, record.MayRead)
}

// editable loads the path's workbook for a caller who may edit it.
func (a *API) editable(ctx context.Context, c *request.Call) (*record.Workbook, error) {
	return a.find(ctx, c, record.MayEdit)
}

// named loads the workbook that has the path's slug, if the caller may read it.
func (a *API) named(ctx context.Context, c *request.Call) (*record.Workbook, error) {
	if err := checkInclude(c); err != nil {
		return nil, err
	}
	slug, wrong := record.NormalSlug(c.Param("slug"))
	if wrong != "" {
		return nil, request.NotFound("workbook")
	}
	wb, err := a.Store.Workbooks().BySlug(ctx, c.At, slug)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return wb, access.Demand(c.Caller.OnWorkbook(wb.CreatedBy), record.MayRead, "workbook")
}

// find loads the path's workbook for a caller with that level on it.
func (a *API) find(ctx context.Context, c *request.Call, want record.Level) (*record.Workbook, error) {
	id, err := c.PathID("workbookId", "workbook")
	if err != nil {
		return nil, err
	}
	return a.byID(ctx, c, id, want)
}

// byID loads the workbook with that id for a caller with that level on it.
func (a *API) byID(ctx context.Context, c *request.Call, id int64, want record.Level) (*record.Workbook, error) {
	wb, err := a.Store.Workbooks().Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return wb, access.Demand(c.Caller.OnWorkbook(wb.CreatedBy), want, "workbook")
}

// mayChange is the access check of writes, asked with the workbook as stored.
func mayChange(c *request.Call, want record.Level, expected placements.Optional[int64]) func(*record.Workbook) error {
	return func(wb *record.Workbook) error {
		if err := access.Demand(c.Caller.OnWorkbook(wb.CreatedBy), want, "workbook"); err != nil {
			return err
		}
		if err := c.Match(edition(wb)); err != nil {
			return err
		}
		return request.ExpectVersion(expected, wb.Version)
	}
}

// mayCreate refuses a caller whose token itself has not WorkbookEdit (decisions.md §3).
func mayCreate(c *auth.Caller) error {
	if !c.MayCreateWorkbook() {
		return placements.Errorf(placements.CodeForbidden,
			"Creating a workbook needs the action WorkbookEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// mayStart is the access check of an upsert that would create.
func mayStart(c *request.Call, expected placements.Optional[int64]) error {
	caller := c.Caller
	if caller.OnWorkbook(0) < record.MayRead {
		return request.NotFound("workbook")
	}
	if err := mayCreate(caller); err != nil {
		return err
	}
	return c.ExpectNone(expected)
}
