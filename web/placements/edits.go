package placements

import (
	"context"
	"encoding/json"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/request"
)

// maxReturned is how many cells one request may give back; a list has no more.
const maxReturned = 10_000

// editsBody is the body of returnEdits; without cells all are given back (decisions.md §7a).
type editsBody struct {
	request.MayBeMissing
	cells []string
}

// Members implements request.Body.
func (b *editsBody) Members(o *bind.Object) {
	o.List("cells", &b.cells, 0, maxReturned, bind.AnyLength)
}

// edits answers with the cells of a placement's block that a person edited and that the last run kept.
func (a *API) edits(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	l, err := a.level(ctx, c, id, "report")
	if err != nil {
		return nil, err
	}
	return a.pageOfEdits(ctx, c, id, l, c.Query("after"), first)
}

// returnEdits returns edited cells to the source: the next run takes the source's values there. It needs read access as a refresh does,
// and edit access where another user placed the report: it decides what is written into a spreadsheet.
func (a *API) returnEdits(ctx context.Context, c *request.Call) (any, error) {
	var in editsBody
	id, err := read(c, &in)
	if err != nil {
		return nil, err
	}
	caller, l := c.Caller, record.MayNothing
	err = a.Store.Placements().ReturnEdits(ctx, c.At, id, c.Param("placementId"), in.cells, caller.Actor,
		func(r *storage.Report, p *placements.Placement) error {
			l = caller.Level(&r.Definition)
			return mayReturnEdits(caller, l, p)
		})
	if err != nil {
		return nil, request.Absent(err, "placement")
	}
	return a.pageOfEdits(ctx, c, id, l, "", request.DefaultPage)
}

// pageOfEdits is a page of a placement's edits for a caller with that level on its report.
func (a *API) pageOfEdits(ctx context.Context, c *request.Call, reportID int64, l record.Level, after string, first int) (any, error) {
	page, err := a.Store.Placements().Edits(ctx, c.At, reportID, c.Param("placementId"), after, first)
	if err != nil {
		return nil, request.Absent(err, "placement")
	}
	values := c.Caller.SeesCells(page.Placement.ValuesOf(), l)
	return request.EncodedPage(page.Items, page.HasNextPage, page.EndCursor, func(e record.Edit) ([]byte, error) {
		return encodeEdit(e, page.Placement, values)
	})
}

// shownEdit is the wire form of an edited cell (decisions.md §6).
type shownEdit struct {
	Cell     string          `json:"cell"` // such as Data!C7
	Row      int             `json:"row"`  // the sheet's row number, from 1
	Column   string          `json:"column"`
	Yours    json.RawMessage `json:"yours,omitempty"`
	Source   json.RawMessage `json:"source,omitempty"`
	SeenAt   string          `json:"seenAt"`
	Inserted bool            `json:"inserted,omitempty"`
	Returned bool            `json:"returned,omitempty"`

	TextAmongNumbers bool `json:"textAmongNumbers,omitempty"`
}

// encodeEdit returns the wire form of an edit of p; values says that the caller may see what cells hold (decisions.md §3).
func encodeEdit(e record.Edit, p placements.Placement, values bool) ([]byte, error) {
	at := e.At(p)
	out := shownEdit{
		Cell: at.String(), Row: at.Anchor.Row + 1, Column: e.Name, SeenAt: e.SeenAt, Inserted: e.Inserted, Returned: e.Returned,
		TextAmongNumbers: e.TextAmongNumbers,
	}
	if !values {
		return record.EncodeBytes(out)
	}
	var err error
	if out.Yours, err = record.EncodeBytes(e.Yours); err != nil {
		return nil, err
	}
	if !e.Inserted {
		out.Source, err = record.EncodeBytes(e.Source)
	}
	if err != nil {
		return nil, err
	}
	return record.EncodeBytes(out)
}
