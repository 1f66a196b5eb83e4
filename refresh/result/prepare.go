package result

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/pivot"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// Prepared is what is known of a report's table before its query runs.
type Prepared struct {
	// Columns are the headings of the table; nil where the source cannot tell them. Where Flat is set they are the columns of the query's
	// result, since the pivot makes headings of the values in its rows.
	Columns []string
	Flat    bool
	// Err is why there will be no table: a *placements.Fault, within a *source.PositionError where the source knows its place in the query.
	Err error
}

// MaxPrepared is how many queries one call prepares side by side. A source lets no more through than it has connections.
const MaxPrepared = 16

// Prepare checks the queries of reports on behalf of by, without running them. The result is as long as list. A source that cannot check a
// query finds no fault and knows no columns.
func Prepare(ctx context.Context, d record.Deployment, from Origin, list []*record.Definition, by record.Actor) []Prepared {
	out := make([]Prepared, len(list))
	var running sync.WaitGroup
	slots := make(source.Slots, MaxPrepared)
	for i, r := range list {
		if err := slots.Take(ctx); err != nil {
			out[i].Err = fault.Of(err)
			continue
		}
		running.Go(func() {
			defer slots.Give()
			out[i] = prepareSafely(ctx, Question{Deployment: d, From: from, Of: r, For: by})
		})
	}
	running.Wait()
	return out
}

// prepareSafely turns a panic of a source into a fault: one query must not end the server.
func prepareSafely(ctx context.Context, q Question) (p Prepared) {
	defer func() {
		if v := recover(); v != nil {
			p = Prepared{Err: fault.Of(fmt.Errorf("prepare panicked: %v", v))}
		}
	}()
	p, err := prepare(ctx, q)
	if _, known := errors.AsType[*placements.Fault](err); err != nil && !known {
		err = fault.Of(err)
	}
	p.Err = err
	return p
}

func prepare(ctx context.Context, q Question) (p Prepared, err error) {
	preparer, ok := q.From.Source.(source.Preparer)
	if !ok {
		return p, nil
	}
	p.Columns, err = preparer.Prepare(ctx, q.query())
	if err != nil || p.Columns == nil || q.Of.PivotItems == nil {
		return p, err
	}
	p.Flat = len(q.Of.PivotItems.Columns) > 0
	pivoted, err := pivotOf(p.Columns, *q.Of.PivotItems)
	if err == nil && !p.Flat {
		p.Columns = pivoted
	}
	return p, err
}

// Types returns the types of the columns of a report's query, by their names, as far as the source knows them without running it.
func Types(ctx context.Context, d record.Deployment, from Origin, of *record.Definition, by record.Actor) map[string]source.FieldType {
	describer, ok := from.Source.(source.Describer)
	if !ok || !of.HasQuery() {
		return nil
	}
	columns, err := describer.Describe(ctx, Question{Deployment: d, From: from, Of: of, For: by}.query())
	if err != nil {
		return nil // a query that runs no more has no types
	}
	types := map[string]source.FieldType{}
	for _, c := range columns {
		if c.Type != source.TypeOther {
			types[c.Name] = c.Type
		}
	}
	return types
}

// pivotOf returns the headings of the pivot of a result without rows. Its fault is that of items which name no column.
func pivotOf(columns []string, items record.PivotItems) ([]string, error) {
	var flat checksum.Builder
	list := make([]pivot.Column, len(columns))
	for i, name := range columns {
		list[i].Name = name
		flat.Text(name)
	}
	flat.EndRow()
	grid, _, err := pivot.Table(flat.Grid(), list, pivot.Items(items), nil, source.DefaultMaxCells)
	if err != nil {
		return nil, err
	}
	return Headings(grid.Cells(0, nil)), nil
}
