package source

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"mooring/checksum"
)

// Totaler is a Source that can total a query by its own rules. Totals cannot be had from the query's rows: the sum of averages or
// of distinct counts is not theirs.
type Totaler interface {
	// Totals runs q anew, grouped by keep alone, which are some of q's dimensions by the names of their columns (none: one row
	// for all). Filters stay, order and limits go. The columns are keep and q's measures, in q's order.
	Totals(ctx context.Context, q Query, keep []string, b *checksum.Builder) ([]Column, error)
}

var _ Totaler = (*cube)(nil)

// Totals implements Totaler for a jsonQuery.
func (c *cube) Totals(ctx context.Context, q Query, keep []string, b *checksum.Builder) ([]Column, error) {
	load, err := parseLoad(q.JSON)
	if err != nil {
		return nil, err
	}
	totals, err := load.totals(keep)
	if err != nil {
		return nil, err
	}
	return c.within(ctx, func(ctx context.Context) ([]Column, error) { return c.load(ctx, totals, q, b) })
}

// totals is the query grouped by keep alone.
func (l loadQuery) totals(keep []string) (loadQuery, error) {
	switch {
	case len(l.measures) == 0:
		return l, structure(nil, "the jsonQuery has no measures to total")
	case l.ungrouped:
		return l, structure(nil, "the jsonQuery is ungrouped, which has no totals")
	}
	for _, name := range keep {
		if slices.Contains(l.measures, name) || !slices.Contains(l.columns(), name) {
			return l, structure(nil, "%q is no dimension of the jsonQuery; totals cannot be kept by it", name)
		}
	}
	t := l
	t.limit = 0
	t.dimensions = slices.DeleteFunc(slices.Clone(l.dimensions), func(d string) bool { return !slices.Contains(keep, d) })
	t.times = slices.Clone(l.times)
	for i, d := range t.times {
		if d.Granularity != "" && !slices.Contains(keep, d.column()) {
			t.times[i].Granularity = "" // its date range still filters
		}
	}
	t.members = maps.Clone(l.members)
	for _, name := range []string{"order", "limit", "rowLimit", "offset", "total"} {
		delete(t.members, name)
	}
	for name, value := range map[string]any{"dimensions": t.dimensions, "timeDimensions": t.times} {
		raw, err := json.Marshal(value)
		if err != nil {
			return l, err
		}
		if _, ok := l.members[name]; ok {
			t.members[name] = raw
		}
	}
	return t, nil
}
