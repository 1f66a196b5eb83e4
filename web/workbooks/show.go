package workbooks

import (
	"context"
	"encoding/json"

	"mooring/placements"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// edition is the version of a workbook that ETags name.
func edition(wb *record.Workbook) request.Edition {
	return request.Edition{Kind: "workbook", Deployment: wb.DeploymentID, ID: wb.ID, CreatedAt: wb.CreatedAt, Version: wb.Version}
}

// show answers with a workbook and both its dashboards, under its ETag.
func (a *API) show(ctx context.Context, c *request.Call, wb *record.Workbook) (any, error) {
	if err := a.nameReports(ctx, c, wb); err != nil {
		return nil, err
	}
	body, err := record.EncodeBytes(wb)
	return request.Tagged{Edition: edition(wb), Effect: wb.Effect, JSON: body}, err
}

// list answers with the workbooks that the caller may read.
func (a *API) list(ctx context.Context, c *request.Call) (any, error) {
	q, _, err := c.ListQuery(request.IncludeMeta, request.IncludePublicIDs)
	if err != nil {
		return nil, err
	}
	if sent := c.Query("slug"); sent != "" {
		var wrong string
		if q.Slug, wrong = record.NormalSlug(sent); wrong != "" {
			return nil, placements.Errorf(placements.CodeParameter, "slug: %s", wrong)
		}
	}
	caller := c.Caller
	items := a.Store.Workbooks().List(ctx, c.At, q, func(wb *record.Workbook) bool {
		return caller.OnWorkbook(wb.CreatedBy) >= record.MayRead
	})
	encode := func(item list.Item[*record.Workbook]) ([]byte, error) {
		switch wb := item.Asset; {
		case item.Err != nil:
			return access.Unreadable(a.Log, c, wb.Type, wb.ID, item.Err)
		case q.Meta:
			return record.EncodeBytes(wb)
		default:
			return record.EncodeBytes(bareWorkbook{Workbook: wb})
		}
	}
	return request.List[*record.Workbook]{First: q.First, Items: items, Encode: encode}, nil
}

// bareWorkbook is a workbook without what may be large.
type bareWorkbook struct {
	*record.Workbook
	Meta               *struct{} `json:"meta,omitempty"`
	DashboardDraft     *struct{} `json:"dashboardDraft,omitempty"`
	DashboardPublished *struct{} `json:"dashboardPublished,omitempty"`
}

// showDashboards answers with both dashboards of a workbook; one that does not exist yet is null.
func (a *API) showDashboards(ctx context.Context, c *request.Call, wb *record.Workbook) (any, error) {
	if err := a.nameReports(ctx, c, wb); err != nil {
		return nil, err
	}
	body, err := record.EncodeBytes(struct {
		Draft     json.RawMessage `json:"dashboardDraft"`
		Published json.RawMessage `json:"dashboardPublished"`
	}{wb.DashboardDraft, wb.DashboardPublished})
	return request.Tagged{Edition: edition(wb), Effect: wb.Effect, JSON: body}, err
}

// checkInclude checks the parameter include of an operation that answers with dashboards: reportPublicId makes their charts name reports by
// publicId as well.
func checkInclude(c *request.Call) error {
	_, err := c.Included(request.IncludePublicIDs)
	return err
}

// nameReports makes the charts of wb name reports as the request, which checkInclude has checked, asks.
func (a *API) nameReports(ctx context.Context, c *request.Call, wb *record.Workbook) error {
	if c.Query("include") == "" {
		return nil
	}
	return a.Store.Workbooks().NameReports(ctx, c.At, wb)
}
