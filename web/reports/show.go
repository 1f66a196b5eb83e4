package reports

import (
	"cmp"
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
	"mooring/web/wire"
)

// report loads the path's report if the caller may read it.
func (a *API) report(ctx context.Context, c *request.Call) (*storage.Report, error) {
	return access.Report(ctx, a.Store, c)
}

// show answers with a report and its placements.
func (*API) show(_ context.Context, _ *request.Call, r *storage.Report) (any, error) {
	return wire.ReportAnswer{ReportView: r.View()}, nil
}

// byPublicID loads the report that has the path's publicId, stored or synthesized.
func (a *API) byPublicID(ctx context.Context, c *request.Call) (*storage.Report, error) {
	publicID := c.Param("publicId")
	r, err := a.Store.Reports().ByPublicID(ctx, c.At, publicID)
	if placements.CodeOf(err) == placements.CodeAmbiguous {
		return nil, a.toldApart(ctx, c, publicID, err)
	}
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return r, access.MayRead(c.Caller, r)
}

// toldApart is the conflict about several reports that show an id, for a caller who may read one of them; for others there is none.
func (a *API) toldApart(ctx context.Context, c *request.Call, publicID string, conflict error) error {
	caller := c.Caller
	visible := func(r *storage.Report) bool { return caller.Level(&r.Definition) >= record.MayRead }
	for _, err := range a.Store.Reports().List(ctx, c.At, record.ListQuery{PublicID: publicID}, visible) {
		return cmp.Or(err, conflict)
	}
	return request.NotFound("report")
}

// list answers with the reports that the caller may read (decisions.md §4).
func (a *API) list(ctx context.Context, c *request.Call) (any, error) {
	q, shows, err := c.ListQuery(request.IncludeMeta, request.IncludeChecksums)
	if err != nil {
		return nil, err
	}
	if q.WorkbookID, err = c.QueryID("workbookId"); err != nil {
		return nil, err
	}
	if q.PublicID = c.Query("publicId"); q.PublicID != "" && !record.IsPublicID(q.PublicID) {
		return nil, placements.Errorf(placements.CodeParameter, "publicId must be 12 characters, each 0-9, A-Z or a-z.")
	}
	q.ExternalWorkbookID = c.Query("externalWorkbookId")
	caller := c.Caller
	items := a.Store.Reports().List(ctx, c.At, q, func(r *storage.Report) bool {
		return caller.Level(&r.Definition) >= record.MayRead
	})
	return request.List[*storage.Report]{First: q.First, Items: items, Encode: func(item list.Item[*storage.Report]) ([]byte, error) {
		if r := item.Asset; item.Err == nil {
			v := r.View()
			if !slices.Contains(shows, request.IncludeChecksums) {
				for i, p := range v.Placements {
					v.Placements[i] = p.WithoutChecksum()
				}
			}
			return wire.AppendReport(nil, v, caller.Level(&r.Definition))
		}
		return access.Unreadable(a.Log, c, item.Asset.Type, item.Asset.ID, item.Err)
	}}, nil
}
