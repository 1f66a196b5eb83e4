package refresh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/pivot"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// Result is a report's table as it would be placed, row 0 being its header. It takes memory until it is closed.
type Result struct {
	Grid    *checksum.Grid
	Formats []string // number format a column

	share *share
}

// Close releases the table's memory. Nothing of it may be used afterwards.
func (r *Result) Close() {
	r.Grid = nil
	r.share.release()
	r.share.of.collect()
}

// Result runs the report's query on behalf of by. The query is cancelled with ctx. The caller closes the result. Errors are
// *placements.Fault; one that wraps ErrNoRoom says that there was no room for the result for as long as the configuration says.
func (e *Engine) Result(ctx context.Context, d record.Deployment, r *storage.Report, by record.Actor) (*Result, error) {
	dep, f := e.source(d)
	if f != nil {
		return nil, f
	}
	t, err := e.rooms.clients.table(ctx, dep, r, userOf(d, by), e.roomWait, func() {})
	if err != nil {
		return nil, fault.Of(err)
	}
	return &Result{t.grid, t.formats, t.share}, nil
}

// userOf is an actor as sources know users.
func userOf(d record.Deployment, by record.Actor) source.User {
	return source.User{Tenant: d.Tenant, ID: by.ID, Email: by.Email, Roles: by.Roles}
}

// table runs the report's query within the room, and again once a whole result fits if it outgrew what there was. It waits for that for
// so long, 0: as long as ctx goes on.
func (m *room) table(
	ctx context.Context, dep Deployment, r *storage.Report, user source.User, patience time.Duration, waits func(),
) (*result, error) {
	s, err := m.firstShare(ctx, patience, waits)
	if err != nil {
		return nil, err
	}
	t, err := table(ctx, dep, r, user, s)
	if !errors.Is(err, ErrNoRoom) {
		return t, err
	}
	m.collect()
	if s, err = m.wholeShare(ctx, patience, waits); err != nil {
		return nil, err
	}
	return table(ctx, dep, r, user, s)
}

// table runs the report's query and turns it into the table to place, which has s from now on.
func table(ctx context.Context, dep Deployment, r *storage.Report, user source.User, s *share) (*result, error) {
	defer s.release() // the result keeps it for its users
	start := time.Now()
	var b checksum.Builder
	q := source.Query{SQL: r.SQLQuery, JSON: r.JSONQuery, User: user, Location: dep.Location, MaxBytes: dep.maxBytes(), Memory: s}
	columns, err := dep.Source.Query(ctx, q, &b)
	if err != nil {
		return nil, err
	}
	if b.Rows() == 0 {
		return nil, &placements.Fault{
			Class:   placements.Structure,
			Message: "the query has no columns: it must be a SELECT that names at least one",
		}
	}
	var items record.PivotItems // none: the flat result is the table
	if r.PivotItems != nil {
		items = *r.PivotItems
	}
	grid, formats, err := pivoted(ctx, dep, q, b.Grid(), columns, items)
	if err != nil {
		return nil, err
	}
	s.finished(grid.Size())
	s.keep()
	return &result{grid: grid, block: sync.OnceValue(grid.Block), formats: formats, asked: start, took: time.Since(start), share: s}, nil
}

// pivoted is the flat result of q as p describes. The pivot takes memory beside it.
func pivoted(
	ctx context.Context, dep Deployment, q source.Query, flat *checksum.Grid, columns []source.Column, p record.PivotItems,
) (*checksum.Grid, []string, error) {
	computed, err := computedTotals(ctx, dep.Source, q, flat.Rows()-1, p)
	if err != nil {
		return nil, nil, err
	}
	grid, formats, err := pivot.Table(flat, pivotColumns(columns), pivot.Items(p), computed, source.DefaultMaxCells)
	if err != nil || grid == flat {
		return grid, formats, err
	}
	if size := grid.Size(); source.Size(size) > q.MaxBytes {
		return nil, nil, &placements.Fault{
			Class:   placements.Structure,
			Message: fmt.Sprintf("the pivot has more than %s: take members with fewer values, or raise maxBytes", q.MaxBytes),
		}
	}
	return grid, formats, q.Memory.Grow(grid.Size())
}

// computedTotals asks the source for the totals that p shows, of a result with so many rows. nil: it has none, or none are shown.
func computedTotals(ctx context.Context, src source.Source, q source.Query, rows int, p record.PivotItems) (*pivot.Totals, error) {
	totaler, ok := src.(source.Totaler)
	if !ok || !p.ShowColumnTotals || len(p.Rows) == 0 || len(p.Measures) == 0 {
		return nil, nil
	}
	var b checksum.Builder
	columns, err := totaler.Totals(ctx, q, rows, p.Columns, &b)
	if errors.Is(err, source.ErrNoTotals) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pivot.Totals{Grid: b.Grid(), Columns: pivotColumns(columns)}, nil
}

func pivotColumns(columns []source.Column) []pivot.Column {
	list := make([]pivot.Column, len(columns))
	for i, c := range columns {
		list[i] = pivot.Column(c)
	}
	return list
}
