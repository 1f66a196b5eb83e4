package cube

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/refresh/source"
)

var _ source.Totaler = (*layer)(nil)

// Totals implements Totaler for a jsonQuery.
func (c *layer) Totals(ctx context.Context, q source.Query, rows int, keep []string, b *checksum.Builder) ([]source.Column, error) {
	if strings.TrimSpace(q.JSON) == "" {
		return nil, source.ErrNoTotals
	}
	columns, err := c.total(ctx, q, rows, keep, b)
	return columns, c.unquoted(ctx, err, q)
}

func (c *layer) total(ctx context.Context, q source.Query, rows int, keep []string, b *checksum.Builder) ([]source.Column, error) {
	load, err := parseLoad(q)
	if err != nil {
		return nil, err
	}
	if !load.canTotal(rows, keep) {
		return nil, source.ErrNoTotals
	}
	totals, err := load.totals(keep)
	if err != nil {
		return nil, err
	}
	return c.within(ctx, func(ctx context.Context) ([]source.Column, error) { return c.load(ctx, totals, q, b) })
}

// canTotal reports whether the query without its other dimensions returns the totals of its rows. It does not where rows were left out by
// a limit, an offset or a condition on a measure, which the totals would have counted.
func (l loadQuery) canTotal(rows int, keep []string) bool {
	cut := l.offset > 0 || l.limit > 0 && rows >= l.limit
	if len(l.measures) == 0 || l.ungrouped || cut || slices.ContainsFunc(l.filters, l.onMeasure) {
		return false
	}
	for _, name := range keep {
		if slices.Contains(l.measures, name) || !slices.Contains(l.columns(), name) {
			return false
		}
	}
	return true
}

// onMeasure reports whether a filter may look at a measure: one of the query's own, or, of the members that the query does not show and
// whose kind it does not tell, one that is compared by size.
func (l loadQuery) onMeasure(f loadFilter) bool {
	switch member := cmp.Or(f.Member, f.Dimension); {
	case slices.ContainsFunc(f.And, l.onMeasure), slices.ContainsFunc(f.Or, l.onMeasure):
		return true
	case slices.Contains(l.measures, member):
		return true
	case slices.Contains(l.dimensions, member):
		return false
	}
	return slices.Contains([]string{"gt", "gte", "lt", "lte"}, f.Operator)
}

// totals is the query grouped by keep alone.
func (l loadQuery) totals(keep []string) (loadQuery, error) {
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
