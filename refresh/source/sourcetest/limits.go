package sourcetest

import (
	"context"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// limits proves that a result is whole or a fault: at a limit it passes, one beyond it does not, and the smaller of the query's
// and the source's limit counts.
func (s Subject) limits(t *testing.T) {
	const rows, cells = 20, 21 * 2 // of s.Rows(20), the header included
	for _, c := range []struct {
		name   string
		query  source.Query
		config source.Config
		whole  bool
	}{
		{"no limit of one's own", source.Query{}, source.Config{}, true},
		{"as many rows as the query allows", source.Query{MaxRows: rows}, source.Config{}, true},
		{"more rows than the query allows", source.Query{MaxRows: rows - 1}, source.Config{}, false},
		{"more rows than the source allows", source.Query{}, source.Config{MaxRows: rows - 1}, false},
		{"a query cannot raise the source's limit", source.Query{MaxRows: rows}, source.Config{MaxRows: rows - 1}, false},
		{"as many cells as the query allows", source.Query{MaxCells: cells}, source.Config{}, true},
		{"more cells than the query allows", source.Query{MaxCells: cells - 1}, source.Config{}, false},
		{"more cells than the source allows", source.Query{}, source.Config{MaxCells: cells - 1}, false},
		{"a header beyond the limit", source.Query{MaxCells: 1}, source.Config{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := s.open(t, func(to *source.Config) { to.MaxRows, to.MaxCells = c.config.MaxRows, c.config.MaxCells })
			q := s.Rows(rows)
			q.MaxRows, q.MaxCells = c.query.MaxRows, c.query.MaxCells
			var b checksum.Builder
			_, err := src.Query(context.Background(), q, &b)
			if !c.whole {
				s.wantFault(t, err, placements.Structure)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if b.Rows() != rows+1 {
				t.Errorf("%d rows, want %d", b.Rows(), rows+1)
			}
		})
	}
	if s.Unending.SQL == "" {
		return
	}
	t.Run("rows beyond the limit are not waited for", func(t *testing.T) {
		src := s.open(t, func(c *source.Config) { c.MaxRows = rows })
		_, err := src.Query(context.Background(), s.Unending, new(checksum.Builder))
		s.wantFault(t, err, placements.Structure)
		Table(t, src, s.Rows(1))
	})
}
