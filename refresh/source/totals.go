package source

import (
	"context"
	"errors"

	"mooring/checksum"
)

// ErrNoTotals is why a Totaler refuses a query that it cannot total, or whose totals would not be those of its rows. Sums are what is left.
var ErrNoTotals = errors.New("the source cannot total this query")

// Totaler is a Source that can total a query by its own rules. Totals cannot be had from the query's rows: the sum of averages or
// of distinct counts is not theirs.
type Totaler interface {
	// Totals runs q anew, whose result had so many rows, grouped by keep alone, which are some of q's dimensions by the names of
	// their columns (none: one row for all). Filters stay, order and limits go. The columns are keep and q's measures, in q's order.
	// Its error is ErrNoTotals where sums are all that can be had.
	Totals(ctx context.Context, q Query, rows int, keep []string, b *checksum.Builder) ([]Column, error)
}
