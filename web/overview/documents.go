package overview

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
)

// Document is a spreadsheet in which the deployment has placements.
type Document struct {
	ExternalWorkbookID string            `json:"externalWorkbookId"`
	WorkbookName       string            `json:"workbookName,omitempty"` // of the placement that was placed last, as its host
	Host               placements.Host   `json:"host"`
	Status             placements.Status `json:"status"` // the worst of its placements
	Placements         standing.Counts   `json:"placements"`
}

// Documents returns the spreadsheets of the deployment, by id. Their placements are counted whosever they are, so the caller must be able to
// read every report.
func (o *Operations) Documents(ctx context.Context, c Call) (any, error) {
	if err := c.readsAll("The spreadsheets of a deployment"); err != nil {
		return nil, err
	}
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	status, err := c.status()
	if err != nil {
		return nil, err
	}
	host, err := c.host()
	if err != nil {
		return nil, err
	}
	after, err := c.after(func(string) bool { return true }) // any text may be the id of a spreadsheet
	if err != nil {
		return nil, err
	}
	page, err := o.Store.Standing().Documents(ctx, c.At, status, host, after, first)
	if err != nil {
		return nil, err
	}
	shown := make([]Document, len(page.Items))
	for i, d := range page.Items {
		shown[i] = Document{d.ID, d.Name, d.Host, d.Counts.Worst(), d.Counts}
	}
	return pageOf(shown, page.HasNextPage, page.End), nil
}

// readsAll refuses a caller whose token does not let them read every report of the deployment.
func (c *Call) readsAll(what string) error {
	if c.Caller.OnReport(0, nil) >= record.MayRead {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"%s are counted over all reports, and your token shows you some: ask for a token with the action ReportRead.", what)
}
