package placements

import (
	"context"
	"slices"

	"mooring/storage/record"
	"mooring/web/request"
)

// change is the wire form of what a run changed in the block of a placement.
type change struct {
	RunID   string              `json:"runId"`
	At      string              `json:"at"`
	Columns []string            `json:"columns"`
	Counts  record.ChangeCounts `json:"counts"`
}

// shownChange is c for a caller who may see its cells or not. The headings of a pivot are cells of its source.
func shownChange(c record.BlockChange, cells bool) change {
	if !cells {
		c.Columns = []string{}
	}
	return change{c.RunID, c.At, c.Columns, c.Counts}
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
	report, level, err := a.readable(ctx, c, "placement")
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
		items = append(items, listedChange{shownChange(one, c.Caller.SeesCells(one.RunAs, level)), one.Kept})
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
	report, level, err := a.readable(ctx, c, "change")
	if err != nil {
		return nil, err
	}
	kept, rows, err := a.Store.History().Change(ctx, c.At, report, c.Param("placementId"), c.Param("runId"))
	if err != nil {
		return nil, request.Absent(err, "change")
	}
	cells := c.Caller.SeesCells(kept.RunAs, level)
	out := wholeChange{shownChange(kept, cells), valuesShown, rows}
	switch {
	case !kept.Kept:
		out.Values, out.Rows = valuesDropped, []record.ChangedRow{}
	case !cells:
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
