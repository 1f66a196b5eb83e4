package overview

import (
	"cmp"
	"context"
	"slices"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/request"
)

// Document is a spreadsheet in which the deployment has placements.
type Document struct {
	ExternalWorkbookID string            `json:"externalWorkbookId"`
	WorkbookName       string            `json:"workbookName,omitempty"` // of the placement that was placed last, as its host
	Host               placements.Host   `json:"host"`
	Status             placements.Status `json:"status"` // the worst of its placements
	Placements         standing.Counts   `json:"placements"`
	Lost               bool              `json:"lost,omitempty"` // no agent reaches it
	Link               *refresh.LinkView `json:"link,omitempty"` // with include=link only
}

// Documents returns the spreadsheets of the deployment, by id. Their placements are counted whosever they are, so the caller must be able to
// read every report.
func (o *API) Documents(ctx context.Context, c *request.Call) (any, error) {
	if err := readsAll(c, "The spreadsheets of a deployment"); err != nil {
		return nil, err
	}
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	status, err := status(c)
	if err != nil {
		return nil, err
	}
	host, err := c.Host()
	if err != nil {
		return nil, err
	}
	after, err := c.After(func(string) bool { return true }) // any text may be the id of a spreadsheet
	if err != nil {
		return nil, err
	}
	reach, err := request.Choice(c, "reach", []string{reachLost}, reachLost)
	if err != nil {
		return nil, err
	}
	shows, err := c.Included(includeLink)
	if err != nil {
		return nil, err
	}
	read := func(after string, first int) (standing.DocumentPage, error) {
		return o.Store.Standing().Documents(ctx, c.At, status, host, after, first)
	}
	if reach == reachLost {
		all := read
		read = func(after string, first int) (standing.DocumentPage, error) {
			return o.lost(c.At.Tenant, after, first, all)
		}
	}
	page, err := read(after, first)
	if err != nil {
		return nil, err
	}
	shown, err := o.showDocuments(ctx, c.At.Tenant, page.Items, shows)
	return request.PageOf(shown, page.HasNextPage, page.End), err
}

// reachLost is the value of the filter reach, and includeLink that of include.
const (
	reachLost   = "lost"
	includeLink = "link"
)

// lost returns the first spreadsheets of a list that no agent reaches.
func (o *API) lost(
	tenant, after string, first int, read func(after string, first int) (standing.DocumentPage, error),
) (p standing.DocumentPage, err error) {
	for range request.HiddenPages {
		some, err := read(cmp.Or(p.End, after), request.MaxPage)
		if err != nil {
			return p, err
		}
		for _, d := range some.Items {
			if !o.isLost(tenant, d) {
				continue
			}
			if len(p.Items) == first {
				p.HasNextPage, p.End = true, p.Items[first-1].ID
				return p, nil
			}
			p.Items = append(p.Items, d)
		}
		if p.End, p.HasNextPage = some.End, some.HasNextPage; !p.HasNextPage {
			break
		}
	}
	return p, nil
}

// isLost reports whether no agent reaches a spreadsheet.
func (o *API) isLost(tenant string, d standing.Document) bool {
	return o.Engine == nil || !o.Engine.Reached(tenant, d.Latest)
}

// showDocuments are spreadsheets as answers show them, each with what is known of where it is if shows includes that.
func (o *API) showDocuments(ctx context.Context, tenant string, list []standing.Document, shows []string) ([]Document, error) {
	shown, latest := make([]Document, len(list)), make([]placements.Placement, len(list))
	for i, d := range list {
		shown[i] = Document{d.ID, d.Latest.WorkbookName, d.Latest.Host, d.Counts.Worst(), d.Counts, o.isLost(tenant, d), nil}
		latest[i] = d.Latest
		latest[i].WorkbookID = d.ID
	}
	if o.Engine == nil || !slices.Contains(shows, includeLink) {
		return shown, nil
	}
	links, err := o.Engine.LinkViews(ctx, tenant, latest)
	if err != nil {
		return nil, err
	}
	for i := range links {
		links[i].Copy, links[i].Merged = false, nil
		if list[i].Latest.WorkbookID != "" {
			shown[i].Link = &links[i]
		}
	}
	return shown, nil
}

// readsAll refuses a caller whose token does not let them read every report of the deployment.
func readsAll(c *request.Call, what string) error {
	if c.Caller.OnReport(0, nil) >= record.MayRead {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"%s are counted over all reports, and your token shows you some: ask for a token with the action ReportRead.", what)
}
