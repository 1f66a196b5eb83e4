package placements

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/standing"
	"mooring/web/access"
	"mooring/web/request"
)

// spreadsheet is one in which the deployment has placements.
type spreadsheet struct {
	ExternalWorkbookID string            `json:"externalWorkbookId"`
	WorkbookName       string            `json:"workbookName,omitempty"` // of the placement that was placed last, as its host
	Host               placements.Host   `json:"host"`
	Status             placements.Status `json:"status"` // the worst of its placements
	Placements         standing.Counts   `json:"placements"`
	Lost               bool              `json:"lost,omitempty"` // no agent reaches it
	Link               *refresh.LinkView `json:"link,omitempty"` // with include=link only
}

// documents returns the spreadsheets of the deployment, by id. Their placements are counted whosever they are, so the caller must be able to
// read every report.
func (a *API) documents(ctx context.Context, c *request.Call) (any, error) {
	if err := access.All(c, "The spreadsheets of a deployment"); err != nil {
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
		return a.Store.Standing().Documents(ctx, c.At, status, host, after, first)
	}
	if search := strings.ToLower(c.Query("search")); reach == reachLost || search != "" {
		all := read
		read = func(after string, first int) (standing.DocumentPage, error) {
			return matching(after, first, all, func(d standing.Document) bool {
				return (reach == "" || a.isLost(c.At.Tenant, d)) && strings.Contains(strings.ToLower(d.Latest.WorkbookName+"\n"+d.ID), search)
			})
		}
	}
	page, err := read(after, first)
	if err != nil {
		return nil, err
	}
	shown, err := a.showDocuments(ctx, c.At.Tenant, page.Items, shows)
	return request.PageOf(shown, page.HasNextPage, page.End), err
}

// reachLost is the value of the filter reach, and includeLink that of include.
const (
	reachLost   = "lost"
	includeLink = "link"
)

// matching returns the first spreadsheets of a list that are wanted.
func matching(
	after string, first int, read func(after string, first int) (standing.DocumentPage, error), wanted func(standing.Document) bool,
) (p standing.DocumentPage, err error) {
	for range request.HiddenPages {
		some, err := read(cmp.Or(p.End, after), request.MaxPage)
		if err != nil {
			return p, err
		}
		for _, d := range some.Items {
			if !wanted(d) {
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
func (a *API) isLost(tenant string, d standing.Document) bool {
	return a.Engine == nil || !a.Engine.Reached(tenant, d.Latest)
}

// showDocuments are spreadsheets as answers show them, each with what is known of where it is if shows includes that.
func (a *API) showDocuments(ctx context.Context, tenant string, list []standing.Document, shows []string) ([]spreadsheet, error) {
	shown, latest := make([]spreadsheet, len(list)), make([]placements.Placement, len(list))
	for i, d := range list {
		shown[i] = spreadsheet{d.ID, d.Latest.WorkbookName, d.Latest.Host, d.Counts.Worst(), d.Counts, a.isLost(tenant, d), nil}
		latest[i] = d.Latest
		latest[i].WorkbookID = d.ID
	}
	if a.Engine == nil || !slices.Contains(shows, includeLink) {
		return shown, nil
	}
	links, err := a.Engine.LinkViews(ctx, tenant, latest)
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
