package runs

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/sheet"
)

// previewBody is the body of a preview: what an add-in has read, and the options of the run that it would make.
type previewBody struct {
	sheet.Content
	placements.Options
}

// Members implements request.Body.
func (b *previewBody) Members(o *bind.Object) {
	b.Content.Members(o)
	members.Options(o, &b.Options)
}

// Check implements request's rules of a body.
func (b *previewBody) Check(_ *request.Call, f *bind.Faults) { b.Content.Check(f) }

// preview answers with what a refresh by the caller's add-in would do to the sheet that it has read, or with what else of it must be sent.
func (a *API) preview(ctx context.Context, c *request.Call, report *storage.Report) (any, error) {
	var in previewBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	placed, found := report.Find(c.Param("placementId"))
	if !found {
		return nil, request.NotFound("placement")
	}
	target := record.RunTarget{ReportID: report.ID, PlacementID: placed.ID}
	wanted := refresh.Request{Target: target, Options: in.Over(placements.Options{}), By: c.Caller.Actor}
	if err := mayOverwrite(c.Caller, wanted, &report.Definition, target.NamesPartOthers(report.Places(), c.Caller.ID)); err != nil {
		return nil, err
	}
	if err := target.Refreshable(&report.Definition, report.Places()); err != nil {
		return nil, err
	}
	would, err := a.Engine.ClientRuns().Preview(ctx, c.At, report, placed, wanted.Options, c.Caller.Actor, in.Sheet())
	c.Pace() // the query may have taken longer than any other answer
	if need, ok := errors.AsType[*refresh.NeedError](err); ok {
		return map[string]any{"need": sheet.NeedOf(need)}, nil
	}
	if placements.CodeOf(err) != "" {
		return nil, err
	}
	if err != nil {
		return nil, planFault(err)
	}
	return previewed(would), nil
}

// shownPreview is the wire form of a preview.
type shownPreview struct {
	Rows         int    `json:"rows"`
	InsertedRows int    `json:"insertedRows"`
	Formulas     *int   `json:"formulas,omitempty"`
	Message      string `json:"message"`
}

func previewed(p refresh.Preview) shownPreview {
	out := shownPreview{Rows: p.Rows, InsertedRows: p.Inserts, Message: p.Message}
	if p.Follow != nil {
		out.Formulas = &p.Follow.Formulas
	}
	return out
}
