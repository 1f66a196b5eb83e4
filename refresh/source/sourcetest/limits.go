package sourcetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// limits proves that a result is whole or a fault: at a limit it passes, one beyond it does not, and the smaller of the query's
// and the source's limit counts.
func (s Subject) limits(t *testing.T) {
	const rows, cells = 20, 21 * 2 // of s.Rows(20), the header included
	_, table := Table(t, s.open(t, nil), s.Rows(rows))
	bytes := source.Size(table.Size())
	for _, c := range []struct {
		name   string
		query  source.Query
		limits source.Limits
		whole  bool
	}{
		{"no limit of one's own", source.Query{}, source.Limits{}, true},
		{"as many rows as the query allows", source.Query{MaxRows: rows}, source.Limits{}, true},
		{"more rows than the query allows", source.Query{MaxRows: rows - 1}, source.Limits{}, false},
		{"more rows than the source allows", source.Query{}, source.Limits{MaxRows: rows - 1}, false},
		{"a query cannot raise the source's limit", source.Query{MaxRows: rows}, source.Limits{MaxRows: rows - 1}, false},
		{"as many cells as the query allows", source.Query{MaxCells: cells}, source.Limits{}, true},
		{"more cells than the query allows", source.Query{MaxCells: cells - 1}, source.Limits{}, false},
		{"more cells than the source allows", source.Query{}, source.Limits{MaxCells: cells - 1}, false},
		{"a header beyond the limit", source.Query{MaxCells: 1}, source.Limits{}, false},
		{"as many bytes as the query allows", source.Query{MaxBytes: bytes + s.Slack}, source.Limits{}, true},
		{"more bytes than the query allows", source.Query{MaxBytes: bytes - 1}, source.Limits{}, false},
		{"more bytes than the source allows", source.Query{}, source.Limits{MaxBytes: bytes - 1}, false},
		{"a query cannot raise the source's bytes", source.Query{MaxBytes: bytes + s.Slack}, source.Limits{MaxBytes: bytes - 1}, false},
		{"a header of too many bytes", source.Query{MaxBytes: 1}, source.Limits{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := s.open(t, func(to *source.Limits) {
				to.MaxRows, to.MaxCells, to.MaxBytes = c.limits.MaxRows, c.limits.MaxCells, c.limits.MaxBytes
			})
			q := s.Rows(rows)
			q.MaxRows, q.MaxCells, q.MaxBytes = c.query.MaxRows, c.query.MaxCells, c.query.MaxBytes
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
	t.Run("a value that the driver would hold whole", s.largeValue)
	t.Run("memory that all results share", s.memory)
	if s.Unending.SQL == "" {
		return
	}
	t.Run("rows beyond the limit are not waited for", func(t *testing.T) { s.unending(t, source.Limits{MaxRows: rows}) })
	t.Run("bytes beyond the limit are not waited for", func(t *testing.T) { s.unending(t, source.Limits{MaxBytes: 1 << 20}) })
}

func (s Subject) unending(t *testing.T, limits source.Limits) {
	src := s.open(t, func(l *source.Limits) { l.MaxRows, l.MaxBytes = limits.MaxRows, limits.MaxBytes })
	_, err := src.Query(context.Background(), s.Unending, new(checksum.Builder))
	s.wantFault(t, err, placements.Structure)
	Table(t, src, s.Rows(1))
}

// largeValue proves that maxBytes bounds one value before it is appended, in what the driver holds of it, and that its fault names the key.
func (s Subject) largeValue(t *testing.T) {
	const limit = 1 << 20
	src := s.open(t, func(l *source.Limits) { l.MaxBytes = limit })
	if _, grid := Table(t, src, s.Large(limit/4)); grid.Size() < limit/4 {
		t.Errorf("a value of %d bytes comes as %d", limit/4, grid.Size())
	}
	for _, size := range []int{limit + 1, 8 * limit} {
		var b checksum.Builder
		_, err := src.Query(context.Background(), s.Large(size), &b)
		s.wantFault(t, err, placements.Structure)
		if err != nil && !strings.Contains(err.Error(), "maxBytes") {
			t.Errorf("message %q does not name maxBytes", err)
		}
		if b.Size() > limit {
			t.Errorf("%d bytes were appended, beyond the limit", b.Size())
		}
	}
	Table(t, src, s.Rows(1))
}

// errFull is what memory without room says.
var errFull = &placements.Fault{Class: placements.Transient, Message: "no room"}

// shared is memory of that many bytes.
type shared struct{ left int }

func (m *shared) Grow(bytes int) error {
	if m.left -= bytes; m.left < 0 {
		return errFull
	}
	return nil
}

// memory proves that a result reserves what it takes as it grows, and ends with the memory's own error where there is no room.
func (s Subject) memory(t *testing.T) {
	src := s.open(t, nil)
	q, all := s.Rows(10_000), 1<<30
	enough := &shared{left: all}
	q.Memory = enough
	_, grid := Table(t, src, q)
	if taken := all - enough.left; taken < grid.Size() {
		t.Errorf("%d bytes were reserved for a result of %d", taken, grid.Size())
	}
	q.Memory = &shared{left: grid.Size() / 2}
	var b checksum.Builder
	columns, err := src.Query(context.Background(), q, &b)
	if !errors.Is(err, errFull) {
		t.Errorf("without room: %v, want the memory's error", err)
	}
	if b.Rows() > 0 && len(columns) != 2 {
		t.Errorf("without room: %d rows of %d columns, want two", b.Rows(), len(columns))
	}
	Table(t, src, s.Rows(1))
}
