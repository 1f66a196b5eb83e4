package sourcetest

import (
	"context"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// statements proves that a query is one statement that only reads.
func (s Subject) statements(t *testing.T) {
	src := s.open(t, nil)
	for _, sql := range append(s.Writes, s.Several...) {
		t.Run(sql, func(t *testing.T) {
			_, err := src.Query(context.Background(), source.Query{SQL: sql}, new(checksum.Builder))
			s.wantFault(t, err, placements.Structure)
		})
	}
	if s.Unchanged != nil {
		s.Unchanged(t)
	}
	// What was tried has left the source as able as before.
	if _, grid := Table(t, src, s.Rows(3)); grid.Rows() != 4 {
		t.Errorf("%d rows afterwards, want 4", grid.Rows())
	}
}
