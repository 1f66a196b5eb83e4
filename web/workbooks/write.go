package workbooks

import (
	"cmp"
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/request"
)

// create makes a workbook.
func (a *API) create(ctx context.Context, c *request.Call) (any, error) {
	var in workbookBody
	if err := a.read(ctx, c, &in); err != nil {
		return nil, err
	}
	wb, err := a.Store.Workbooks().Create(ctx, c.At, in.WorkbookInput, c.Caller.Actor)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return a.show(ctx, c, wb)
}

// showMade answers as create did that made the workbook, with what it is now.
func (a *API) showMade(ctx context.Context, c *request.Call, id int64) (any, error) {
	if err := checkInclude(c); err != nil {
		return nil, err
	}
	wb, err := a.byID(ctx, c, id, record.MayRead)
	if err != nil {
		return nil, err
	}
	wb.Effect = record.Created
	return a.show(ctx, c, wb)
}

// update sets the fields sent and replaces meta; it needs edit access.
func (a *API) update(ctx context.Context, c *request.Call) (any, error) {
	var in workbookBody
	id, err := a.readFor(ctx, c, &in)
	if err != nil {
		return nil, err
	}
	allow := func(wb *record.Workbook) error {
		return cmp.Or(mayChange(c, record.MayEdit, in.expected)(wb), in.repeats(in.keptDraft(c, wb)))
	}
	wb, err := a.Store.Workbooks().Update(ctx, c.At, id, in.WorkbookInput, c.Caller.Actor, allow)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return a.show(ctx, c, wb)
}

// upsert creates the workbook with the path's slug or updates the one that has it, merging meta (interface.md, Create or update a workbook by
// slug).
func (a *API) upsert(ctx context.Context, c *request.Call) (any, error) {
	var in workbookBody
	if err := a.read(ctx, c, &in); err != nil {
		return nil, err
	}
	slug, _ := record.NormalSlug(c.Param("slug"))
	allow := func(wb *record.Workbook) error {
		if wb == nil {
			return cmp.Or(mayStart(c, in.expected), in.repeats(nil))
		}
		return cmp.Or(mayChange(c, record.MayEdit, in.expected)(wb), in.repeats(in.keptDraft(c, wb)))
	}
	wb, err := a.Store.Workbooks().Upsert(ctx, c.At, slug, in.WorkbookInput, c.Caller.Actor, allow)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return a.show(ctx, c, wb)
}

// remove removes a workbook with its dashboards; it needs manage access.
func (a *API) remove(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("workbookId", "workbook")
	if err != nil {
		return nil, err
	}
	allow := mayChange(c, record.MayManage, placements.Optional[int64]{})
	if err := a.Store.Workbooks().Delete(ctx, c.At, id, c.Caller.Actor, allow); err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return request.Deleted{ID: id}, nil
}

// updateDashboard replaces the draft of a workbook's dashboard; viewers keep seeing the published one (interface.md, Update workbook
// dashboard).
func (a *API) updateDashboard(ctx context.Context, c *request.Call) (any, error) {
	var in dashboardBody
	id, err := a.readFor(ctx, c, &in)
	if err != nil {
		return nil, err
	}
	may := mayChange(c, record.MayEdit, in.expected)
	wb, err := a.Store.Workbooks().UpdateDashboard(ctx, c.At, id, in.draft.OrZero(), c.Caller.Actor, may)
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return a.showDashboards(ctx, c, wb)
}

// publish makes the draft visible; publishing it again changes nothing (interface.md, States and transitions).
func (a *API) publish(ctx context.Context, c *request.Call, found *record.Workbook) (any, error) {
	if err := checkInclude(c); err != nil {
		return nil, err
	}
	var in versionBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	wb, err := a.Store.Workbooks().Publish(ctx, c.At, found.ID, c.Caller.Actor, mayChange(c, record.MayEdit, in.expected))
	if err != nil {
		return nil, request.Absent(err, "workbook")
	}
	return a.show(ctx, c, wb)
}
