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

// ParameterFault is the fault of a parameter, or of where a query names one.
type ParameterFault struct{ placements.Detail }

func (f ParameterFault) Error() string { return f.Message }

// Unwrap is the fault that it is to a run.
func (f ParameterFault) Unwrap() error {
	return &placements.Fault{Class: placements.Structure, Message: f.Message}
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
			out[i] = prepareSafely(ctx, sampled(d, from, r, by))
		})
	}
	running.Wait()
	return out
}

// sampled is a report's query with any values that its parameters admit: which, does not matter to a query that is not run.
func sampled(d record.Deployment, from Origin, of *record.Definition, by record.Actor) Question {
	return Question{Deployment: d, From: from, Of: of, For: by, With: placements.SampleArguments(of.Parameters)}
}

// ParameterFaults are what is wrong with how the query of a report names the parameters that the report has, at the pointers of the report. The
// text of a report without any is not looked at.
func (o Origin) ParameterFaults(of *record.Definition) []placements.Detail {
	return source.ParameterFaults(o.Source, source.Query{SQL: of.SQLQuery, JSON: of.JSONQuery}, of.Parameters)
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
	if wrong := q.From.ParameterFaults(q.Of); len(wrong) > 0 {
		return p, ParameterFault{wrong[0]}
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
	columns, err := describer.Describe(ctx, sampled(d, from, of, by).query())
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
