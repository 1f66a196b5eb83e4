package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/sheet"
)

// The bounds of a preview: the rows that are shown, where none and at most, and their bytes.
const (
	defaultRows = 20
	maxRows     = 200
	maxBytes    = 1 << 20
)

// previewBody is the body of a preview: what decides the cells of a report, and of which one.
type previewBody struct {
	record.ReportInput
	first  placements.Optional[int64]
	report placements.Optional[int64]
	values map[string]placements.ParameterValue
}

// Members implements request.Body.
func (b *previewBody) Members(o *bind.Object) {
	members.Query(o, &b.ReportInput)
	members.Declared(o, "declares", &b.ReportInput)
	o.OptionalWhole("first", &b.first, 1)
	o.OptionalWhole("reportId", &b.report, 1)
	members.Values(o, &b.values)
}

// Check bounds the rows.
func (b *previewBody) Check(_ *request.Call, f *bind.Faults) {
	if b.first.OrZero() > maxRows {
		f.Join(placements.Detail{Pointer: "/first", Code: placements.CodeInvalid, Message: fmt.Sprintf("must be at most %d", maxRows)})
	}
}

// rows is how many rows are asked for.
func (b *previewBody) rows() int {
	if n := int(b.first.OrZero()); n > 0 {
		return n
	}
	return defaultRows
}

// trial is a preview that the caller may have.
type trial struct {
	in    previewBody
	draft *refresh.Draft
}

// wanted reads what is to be tried. With a report that the caller may edit nothing else is needed.
func (a *API) wanted(ctx context.Context, c *request.Call) (*trial, error) {
	t := &trial{draft: &refresh.Draft{By: c.Caller.Actor, Person: person(c)}}
	if err := c.Read(&t.in); err != nil {
		return nil, err
	}
	if t.in.report.Value == nil {
		t.draft.Definition = draftOf(record.Definition{}, &t.in.ReportInput)
		if err := mayAuthor(c.Caller); err != nil {
			return nil, err
		}
		return t, t.setValues()
	}
	r, err := a.editable(ctx, c, *t.in.report.Value)
	if err != nil {
		return nil, err
	}
	t.draft.Of, t.draft.Definition = r, draftOf(r.Definition, &t.in.ReportInput)
	return t, t.setValues()
}

// setValues sets the values that the draft is tried with. Of a parameter that its report does not declare yet they say the type, unless all that
// it is to declare were sent.
func (t *trial) setValues() error {
	d := &t.draft.Definition
	if t.draft.Declares = t.in.Parameters.Sent; !t.draft.Declares {
		d.Parameters = placements.WithInferred(d.Parameters, t.in.values)
	}
	if wrong := placements.ParameterFaults(d.Parameters); len(wrong) > 0 {
		return placements.Faulty(t.atDeclares(wrong)...)
	}
	with, wrong := placements.GivenArguments(d.Parameters, t.in.values)
	if len(wrong) > 0 {
		return placements.Faulty(wrong...)
	}
	t.draft.With = with
	return nil
}

// atDeclares leads faults of parameters to where they were sent.
func (t *trial) atDeclares(wrong []placements.Detail) []placements.Detail {
	for i, one := range wrong {
		if rest, ok := strings.CutPrefix(one.Pointer, "/parameters"); ok && t.draft.Declares {
			wrong[i].Pointer = "/declares" + rest
		}
	}
	return wrong
}

// person names who previews are counted for.
func person(c *request.Call) string {
	if c.Caller.ID == 0 {
		return c.Caller.TokenID
	}
	return fmt.Sprint(c.Caller.ID)
}

// editable loads a report that the caller may edit.
func (a *API) editable(ctx context.Context, c *request.Call, id int64) (*storage.Report, error) {
	r, err := a.Store.Reports().Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return r, access.Demand(c.Caller.Level(&r.Definition), record.MayEdit, "report")
}

// draftOf is a definition with the query that was sent. One that is sent is sent alone: the other kind is not that of the report any more.
func draftOf(d record.Definition, in *record.ReportInput) record.Definition {
	if in.SQLQuery.Sent || in.JSONQuery.Sent {
		d.SQLQuery, d.JSONQuery = in.SQLQuery.OrZero(), in.JSONQuery.OrZero()
	}
	in.PivotItems.SetNullable(&d.PivotItems)
	if in.Parameters.Sent {
		d.Parameters = in.Parameters.OrZero()
	}
	return d
}

// previewAnswer is a preview as answers show it.
type previewAnswer struct {
	Columns   []sheet.TableColumn `json:"columns"`
	Rows      json.RawMessage     `json:"rows"`
	RowCount  int                 `json:"rowCount"`
	Truncated bool                `json:"truncated"`
	Faults    []previewFault      `json:"faults"`
	Changes   *previewChanges     `json:"changes,omitempty"`
}

// previewFault is what is wrong with what was tried, and where.
type previewFault struct {
	Message string          `json:"message"`
	Code    placements.Code `json:"code,omitempty"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Pointer string          `json:"pointer"`
}

// preview runs a query that is not a report's yet. What is wrong with it is its answer.
func (a *API) preview(ctx context.Context, c *request.Call, t *trial) (any, error) {
	if err := a.note(ctx, c, journal.Preview); err != nil {
		return nil, err
	}
	found, err := a.Engine.Try(ctx, c.At, t.draft)
	c.Pace() // the query may have taken longer than any other answer
	if err != nil {
		return nil, notTried(err)
	}
	out := previewAnswer{Columns: []sheet.TableColumn{}, Rows: json.RawMessage("[]"), Faults: []previewFault{}, Changes: changesOf(found.Changes)}
	for _, f := range t.atDeclares(found.Named) {
		out.Faults = append(out.Faults, previewFault{f.Message, f.Code, f.Line, f.Column, f.Pointer})
	}
	if f := found.Fault; f != nil {
		out.Faults = append(out.Faults, previewFault{Message: f.Message, Line: f.Line, Column: f.Column, Pointer: f.Pointer})
	}
	if found.Answer == nil {
		return out, nil
	}
	defer found.Close()
	out.Columns, out.RowCount = sheet.Columns(found.Grid, found.Formats), found.Grid.Rows()-1
	out.Rows, out.Truncated = firstRows(found.Grid, t.in.rows())
	out.Truncated = out.Truncated || found.Cut
	return out, nil
}

// firstRows are the first rows below the header, as many as maxBytes have room for; truncated: not all of them.
func firstRows(grid *checksum.Grid, first int) (rows json.RawMessage, truncated bool) {
	rows = append(rows, '[')
	var cells []checksum.Cell
	for i := 1; i < min(grid.Rows(), first+1); i++ {
		cells = grid.Cells(i, cells[:0])
		before := len(rows)
		if i > 1 {
			rows = append(rows, ',')
		}
		if rows = sheet.AppendCells(rows, cells, grid.Columns()); len(rows) > maxBytes {
			return append(slices.Clip(rows[:before]), ']'), true
		}
	}
	return append(rows, ']'), false
}

// notTried is the refusal of a preview that the source did not look at.
func notTried(err error) error {
	if errors.Is(err, refresh.ErrNoRoom) {
		return sheet.QueryFault(err)
	}
	return sourceDown(err)
}
