package result

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/pivot"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// Origin is where the results of a deployment come from. Location is the wall time of its dates.
type Origin struct {
	source.Source
	Location *time.Location
	MaxBytes source.Size // of a result, encoded; 0: source.DefaultMaxBytes
}

// Most is how large a result may be.
func (o Origin) Most() source.Size { return cmp.Or(o.MaxBytes, source.DefaultMaxBytes) }

// Question is a report's query, on behalf of a person.
type Question struct {
	Deployment record.Deployment
	From       Origin
	Of         *record.Definition
	With       placements.Arguments // of its parameters
	For        record.Actor
	Room       *Room         // where its result is
	Patience   time.Duration // how long it waits for room there; 0: as long as its context goes on
}

// query is the question as sources know it.
func (q Question) query() source.Query {
	return source.Query{SQL: q.Of.SQLQuery, JSON: q.Of.JSONQuery, User: UserOf(q.Deployment, q.For), Location: q.From.Location, Parameters: q.With}
}

// UserOf is an actor as sources know users.
func UserOf(d record.Deployment, by record.Actor) source.User {
	return source.User{Tenant: d.Tenant, ID: by.ID, Email: by.Email, Roles: by.Roles}
}

// ask runs the query within the room, and again once a whole result fits if it outgrew what there was. waits is called before it waits for
// that.
func (q Question) ask(ctx context.Context, waits func()) (*Answer, error) {
	s, err := q.Room.firstShare(ctx, q.Patience, waits)
	if err != nil {
		return nil, err
	}
	t, err := q.within(ctx, s)
	if !errors.Is(err, ErrNoRoom) {
		return t, err
	}
	q.Room.Collect()
	if s, err = q.Room.wholeShare(ctx, q.Patience, waits); err != nil {
		return nil, err
	}
	return q.within(ctx, s)
}

// within runs the query and turns its result into the table to place, which has s from now on.
func (q Question) within(ctx context.Context, s *share) (*Answer, error) {
	defer s.release() // the result keeps it for its users
	start := time.Now()
	var b checksum.Builder
	in := q.query()
	in.MaxBytes, in.Memory = q.From.Most(), s
	if err := source.Bindable(q.From.Source, in); err != nil {
		return nil, err
	}
	columns, err := q.From.Source.Query(ctx, in, &b)
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
	if q.Of.PivotItems != nil {
		items = *q.Of.PivotItems
	}
	a := &Answer{asked: start, share: s}
	if a.Filters, err = source.AppliedFilters(q.From.Source, in); err != nil {
		return nil, err
	}
	if err := a.pivot(ctx, q.From.Source, in, b.Grid(), columns, pivot.Items(items)); err != nil {
		return nil, err
	}
	s.finished(a.Grid.Size())
	s.keep()
	a.Block, a.took = sync.OnceValue(a.Grid.Block), time.Since(start)
	return a, nil
}

// pivot makes the flat result of q, as p describes, the table. The pivot takes memory beside it.
func (r *Answer) pivot(
	ctx context.Context, from source.Source, q source.Query, flat *checksum.Grid, columns []source.Column, p pivot.Items,
) error {
	computed, err := computedTotals(ctx, from, q, flat.Rows()-1, p)
	if r.Summed = errors.Is(err, source.ErrNoTotals); err != nil && !r.Summed {
		return err
	}
	r.Grid, r.Formats, err = pivot.Table(flat, pivotColumns(columns), p, computed, source.DefaultMaxCells)
	if err != nil {
		return PivotFault{err}
	}
	if r.Grid == flat {
		return nil
	}
	if size := r.Grid.Size(); source.Size(size) > q.MaxBytes {
		return &placements.Fault{
			Class:   placements.Structure,
			Message: fmt.Sprintf("the pivot has more than %s: take members with fewer values, or raise maxBytes", q.MaxBytes),
		}
	}
	return q.Memory.Grow(r.Grid.Size())
}

// computedTotals asks the source for the totals that p shows, of a result with so many rows. nil without an error: it totals no queries, or
// none are shown.
func computedTotals(ctx context.Context, src source.Source, q source.Query, rows int, p pivot.Items) (*pivot.Totals, error) {
	totaler, ok := src.(source.Totaler)
	byColumn, byRow := p.TotalsColumns(), p.TotalsRows()
	if !ok || !byColumn && !byRow {
		return nil, nil
	}
	var t pivot.Totals
	for _, part := range []struct {
		shown bool
		by    []string
		into  **pivot.Group
	}{{byColumn, p.Columns, &t.ByColumn}, {byRow, p.Rows, &t.ByRow}, {byColumn && byRow, nil, &t.All}} {
		if !part.shown {
			continue
		}
		var b checksum.Builder
		columns, err := totaler.Totals(ctx, q, rows, part.by, &b)
		if err != nil {
			return nil, err
		}
		*part.into = &pivot.Group{Grid: b.Grid(), Columns: pivotColumns(columns)}
	}
	return &t, nil
}

func pivotColumns(columns []source.Column) []pivot.Column {
	list := make([]pivot.Column, len(columns))
	for i, c := range columns {
		list[i] = pivot.Column(c)
	}
	return list
}

// Headings are the texts of a table's first row; nil for no row.
func Headings(cells []checksum.Cell) []string {
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
