package refresh

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/pivot"
	"mooring/refresh/source"
	"mooring/storage"
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

// maxPrepared is how many queries one call prepares side by side. A source lets no more through than it has connections.
const maxPrepared = 16

// Prepare checks the queries of reports on behalf of by, without running them. The result is as long as list. A source that cannot check a
// query finds no fault and knows no columns.
func (e *Engine) Prepare(ctx context.Context, d record.Deployment, list []*record.Definition, by record.Actor) []Prepared {
	out := make([]Prepared, len(list))
	dep, fault := e.source(d)
	if fault != nil {
		for i := range out {
			out[i].Err = fault
		}
		return out
	}
	var running sync.WaitGroup
	slots := make(source.Slots, maxPrepared)
	for i, r := range list {
		if err := slots.Take(ctx); err != nil {
			out[i].Err = asFault(err)
			continue
		}
		running.Go(func() {
			defer slots.Give()
			out[i] = prepareSafely(ctx, dep, r, userOf(d, by))
		})
	}
	running.Wait()
	return out
}

// prepareSafely turns a panic of a source into a fault: one query must not end the server.
func prepareSafely(ctx context.Context, dep Deployment, r *record.Definition, user source.User) (p Prepared) {
	defer func() {
		if v := recover(); v != nil {
			p = Prepared{Err: asFault(fmt.Errorf("prepare panicked: %v", v))}
		}
	}()
	p, err := prepare(ctx, dep, r, user)
	if _, known := errors.AsType[*placements.Fault](err); err != nil && !known {
		err = asFault(err)
	}
	p.Err = err
	return p
}

func prepare(ctx context.Context, dep Deployment, r *record.Definition, user source.User) (p Prepared, err error) {
	preparer, ok := dep.Source.(source.Preparer)
	if !ok {
		return p, nil
	}
	q := source.Query{SQL: r.SQLQuery, JSON: r.JSONQuery, User: user, Location: dep.Location}
	p.Columns, err = preparer.Prepare(ctx, q)
	if err != nil || p.Columns == nil || r.PivotItems == nil {
		return p, err
	}
	p.Flat = len(r.PivotItems.Columns) > 0
	pivoted, err := pivotOf(p.Columns, *r.PivotItems)
	if err == nil && !p.Flat {
		p.Columns = pivoted
	}
	return p, err
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
	return headings(grid.Cells(0, nil)), nil
}

// LastHeadings is a placement and the headings that its last run left there.
type LastHeadings struct {
	Placement storage.Placed
	Columns   []string // nil where no run wrote the block, or an add-in wrote it since

	where  host.Block
	extent checksum.Extent // that the last run left
}

// LastHeadings returns those of the report's placements, in their order, without those that are gone meanwhile.
func (e *Engine) LastHeadings(ctx context.Context, d record.Deployment, r *storage.Report) ([]LastHeadings, error) {
	queries := make([]storage.BlockQuery, len(r.Placements))
	for i, p := range r.Placements {
		queries[i] = storage.BlockQuery{Deployment: d, ReportID: r.ID, Known: p}
	}
	blocks, err := e.queue.Blocks(ctx, d.Tenant, queries)
	if err != nil {
		return nil, err
	}
	var list []LastHeadings
	for _, b := range blocks {
		if !b.Found {
			continue
		}
		one, err := lastHeadings(b)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

func lastHeadings(b storage.Block) (LastHeadings, error) {
	h := LastHeadings{Placement: b.Placed}
	last, _, err := lastWritten(b.Placed.Placement, b.Rows, 0, "")
	if err != nil || last.Completed == nil {
		return h, err
	}
	a, _ := b.Placed.Address()
	h.where = host.Block{Document: a.Document, PlacementID: b.Placed.ID, SheetID: b.Placed.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	h.Columns, h.extent = headings(last.Completed.Header), last.Completed.Extent()
	return h, nil
}

// headings are the texts of a table's first row; nil for no row.
func headings(cells []checksum.Cell) []string {
	if cells == nil {
		return nil
	}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.Text
		if c.Kind == checksum.Number {
			names[i] = strconv.FormatFloat(c.Number, 'g', -1, 64)
		}
	}
	return names
}
