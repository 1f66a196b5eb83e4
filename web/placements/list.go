package placements

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/request"
)

// list returns the placements of the deployment whose reports the caller may read, the latest placed first. A page may be short, even
// empty, and have a next one: so many placements are looked at for each.
func (a *API) list(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	filter, err := filters(c)
	if err != nil {
		return nil, err
	}
	if filter.Document != "" {
		if filter.Document, err = a.Store.Sites().Home(ctx, c.At.Tenant, filter.Document); err != nil {
			return nil, err
		}
	}
	stance, err := request.Choice(c, "stance", stances, "one of UP_TO_DATE, CHANGED, UNKNOWN, REFRESHING, NEEDS_YOU, WAITS")
	if err != nil {
		return nil, err
	}
	isPlace := standing.CheckPlace
	if stance != "" {
		if filter.Status != "" || filter.Reason != "" {
			return nil, placements.Errorf(placements.CodeParameter, "stance says which status and reason are meant: send it without these.")
		}
		isPlace = stance.checkPart
	}
	after, err := c.After(isPlace)
	if err != nil {
		return nil, err
	}
	page, err := request.Visible(c.Caller.OnReport(0, nil) >= record.MayRead, first, after, func(after string, first int) (l request.Listed[record.DocumentPlacement], err error) {
		if stance != "" {
			return a.read(ctx, c.At, stance, filter, after, first)
		}
		p, err := a.Store.Standing().Placements(ctx, c.At, filter, after, first)
		l = request.Listed[record.DocumentPlacement]{Items: p.Items, More: p.HasNextPage, End: p.End}
		for _, d := range p.Items {
			l.Places = append(l.Places, d.Member)
		}
		return l, err
	}, func(d record.DocumentPlacement) bool { return c.Caller.Level(d.Definition) >= record.MayRead })
	if err != nil {
		return nil, err
	}
	shown := request.PageAnswer[placement]{Items: make([]placement, len(page.Items)), PageInfo: page.PageInfo}
	for i, d := range page.Items {
		d.View = d.View.WithoutChecksum()
		if shown.Items[i], err = granted(d); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// inDocument answers with every placement in a spreadsheet, over all reports of the tenant.
func (a *API) inDocument(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	shows, err := c.Included(request.IncludeChecksums)
	if err != nil {
		return nil, err
	}
	p, err := a.Store.Placements().InDocument(ctx, c.Caller.Tenant, document(c), c.Query("after"), first)
	if err != nil {
		return nil, err
	}
	return request.EncodedPage(p.Items, p.HasNextPage, p.EndCursor, func(d record.DocumentPlacement) ([]byte, error) {
		return encode(c.Caller, d, shows)
	})
}

// statuses are the values of the filter of placements and spreadsheets.
var statuses = []placements.Status{
	placements.UpToDate, placements.Changed, placements.Unknown, placements.Refreshing, placements.Failed, placements.Conflicted, standing.Edited, standing.Waiting,
}

// status reads a filter of that name.
func status(c *request.Call) (placements.Status, error) {
	return request.Choice(c, "status", statuses, "one of UP_TO_DATE, CHANGED, UNKNOWN, REFRESHING, FAILED, CONFLICT, EDITED, WAITING")
}

// filters reads the filters of a list of placements.
func filters(c *request.Call) (f standing.Filter, err error) {
	if f.Status, err = status(c); err != nil {
		return f, err
	}
	if f.Reason, err = request.Choice(c, "reason", placements.Waits(), "one of locked, missing, quota, held, source"); err != nil {
		return f, err
	}
	if f.Host, err = c.Host(); err != nil {
		return f, err
	}
	if f.Report, err = c.FilterID("report"); err != nil {
		return f, err
	}
	if f.Owner, err = c.FilterID("owner"); err != nil {
		return f, err
	}
	f.Document = c.Query("document")
	f.Since, err = c.Since()
	return f, err
}
