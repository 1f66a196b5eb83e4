package placements

import (
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// change is the wire form of what a run changed in the block of a placement.
type change struct {
	RunID   string              `json:"runId"`
	At      string              `json:"at"`
	Columns []string            `json:"columns"`
	Counts  record.ChangeCounts `json:"counts"`
	// Restorable is how many cells the caller may have put back. Restores is the run whose change this one put back.
	Restorable int    `json:"restorable"`
	Restores   string `json:"restores,omitempty"`
}

// reader is who reads the changes of a placement.
type reader struct {
	*auth.Caller
	level record.Level
	of    placements.Placement
}

// reader returns the path's report, and the caller as a reader of what changed in its placement; noun is what they ask for.
func (a *API) reader(ctx context.Context, c *request.Call, noun string) (report int64, r reader, err error) {
	if report, err = c.PathID("reportId", "report"); err != nil {
		return 0, r, err
	}
	of, err := a.Store.Reports().Get(ctx, c.At, report)
	if err != nil {
		return 0, r, request.Absent(err, noun)
	}
	placed, _ := of.Find(c.Param("placementId"))
	r = reader{c.Caller, c.Caller.Level(&of.Definition), placed.Placement}
	if r.level < record.MayRead {
		return 0, r, request.NotFound(noun)
	}
	return report, r, nil
}

// sees reports whether they may see what cells held.
func (r *reader) sees(c *record.BlockChange) bool { return r.SeesCells(c.RunAs, r.level) }

// shown is c for them. The headings of a pivot are cells of its source.
func (r *reader) shown(c record.BlockChange) change {
	if !r.sees(&c) {
		c.Columns = []string{}
	}
	return change{c.RunID, c.At, c.Columns, c.Counts, r.Restorable(&c, &r.of, r.level), c.Restores}
}

// listedChange is a change in a list.
type listedChange struct {
	change
	Kept bool `json:"kept"`
}

// changes returns what the last runs that wrote the block of a placement changed there, the last one first.
func (a *API) changes(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	report, by, err := a.reader(ctx, c, "placement")
	if err != nil {
		return nil, err
	}
	list, err := a.Store.History().Changes(ctx, c.At, report, c.Param("placementId"))
	if err != nil {
		return nil, request.Absent(err, "placement")
	}
	if after != "" {
		at := slices.IndexFunc(list, func(one record.BlockChange) bool { return one.RunID == after })
		if at < 0 {
			return nil, request.ForeignCursor()
		}
		list = list[at+1:]
	}
	more, end := len(list) > first, ""
	items := []listedChange{}
	for _, one := range list[:min(first, len(list))] {
		items = append(items, listedChange{by.shown(one), one.Kept})
		end = one.RunID
	}
	return request.PageOf(items, more, end), nil
}

// What of a change's cells is told.
const (
	valuesShown   = "shown"
	valuesHidden  = "hidden"  // the caller neither manages the report nor is whom the run wrote for
	valuesDropped = "dropped" // they were too many to keep
)

// wholeChange is a change with its rows.
type wholeChange struct {
	change
	Values string              `json:"values"`
	Rows   []record.ChangedRow `json:"rows"`
}

// change returns what a run changed in the block of a placement, row by row.
func (a *API) change(ctx context.Context, c *request.Call) (any, error) {
	report, by, err := a.reader(ctx, c, "change")
	if err != nil {
		return nil, err
	}
	kept, rows, err := a.Store.History().Change(ctx, c.At, report, c.Param("placementId"), c.Param("runId"))
	if err != nil {
		return nil, request.Absent(err, "change")
	}
	out := wholeChange{by.shown(kept), valuesShown, rows}
	switch {
	case !kept.Kept:
		out.Values, out.Rows = valuesDropped, []record.ChangedRow{}
	case !by.sees(&kept):
		out.Values = valuesHidden
		for i := range rows {
			hideCells(&rows[i])
		}
	}
	return out, nil
}

// hideCells leaves of a row only whether it was there.
func hideCells(row *record.ChangedRow) {
	if row.Before != nil {
		row.Before = []any{}
	}
	if row.After != nil {
		row.After = []any{}
	}
}
