package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mooring/checksum"
	"mooring/placements"
	sources "mooring/refresh/source"
)

// row is a row of a table of the source.
type row struct {
	key    string
	values [2]float64
}

// version is a state of a table.
type version struct {
	rows []row
	wide bool // it has the second value, too
}

// table is what a query returns, and all that it has returned.
type table struct {
	version
	last   int // the number that was used last
	served []served
}

// served is a version that was returned.
type served struct {
	at time.Time
	version
}

// newTable makes a table of some rows.
func newTable(n int) *table {
	t := &table{version: version{wide: true}}
	for range n {
		t.rows = append(t.rows, t.newRow())
	}
	return t
}

func (t *table) newRow() row {
	t.last++
	return row{key: fmt.Sprintf("k%d", t.last), values: [2]float64{t.next(), t.next()}}
}

// next is a number that stands nowhere else in the table: below a million, which are a person's.
func (t *table) next() float64 {
	t.last++
	return float64(t.last)
}

// change changes some rows, adds and deletes some, and returns what it did.
func (t *table) change(r *rand.Rand) string {
	t.rows = slices.Clone(t.rows) // versions share nothing
	switch r.IntN(8) {
	case 0:
		t.rows = slices.Insert(t.rows, r.IntN(len(t.rows)+1), t.newRow())
		return "row added"
	case 1:
		if len(t.rows) > 2 {
			i := r.IntN(len(t.rows))
			t.rows = slices.Delete(t.rows, i, i+1)
		}
		return "row deleted"
	case 2:
		r.Shuffle(len(t.rows), func(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] })
		return "rows in another order"
	case 3:
		if r.IntN(4) == 0 {
			t.wide = !t.wide
			return "columns changed"
		}
	}
	for range 1 + r.IntN(2) {
		t.rows[r.IntN(len(t.rows))].values[r.IntN(2)] = t.next()
	}
	return "values changed"
}

// grid is the version as a source returns it.
func (v version) grid() [][]checksum.Cell {
	cells := [][]checksum.Cell{{checksum.Str("key"), checksum.Str("a"), checksum.Str("b")}}
	for _, r := range v.rows {
		cells = append(cells, []checksum.Cell{checksum.Str(r.key), checksum.Num(r.values[0]), checksum.Num(r.values[1])})
	}
	if !v.wide {
		for i := range cells {
			cells[i] = cells[i][:2]
		}
	}
	return cells
}

// columns are how many the version has.
func (v version) columns() int { return len(v.grid()[0]) }

// sum is the digest of the version.
func (v version) sum() checksum.ResultChecksum {
	var b checksum.Builder
	for _, cells := range v.grid() {
		b.Append(cells...)
	}
	return b.Grid().Checksum()
}

// source is the source as a process reaches it.
type source struct{ *process }

func (s *source) Query(ctx context.Context, q sources.Query, b *checksum.Builder) ([]sources.Column, error) {
	if err := s.pass(ctx, "query", q.SQL); err != nil {
		return nil, err
	}
	if time.Now().Before(s.sourceDown) {
		s.saw("source: down")
		return nil, &placements.Fault{Class: placements.Transient, Reason: placements.ReasonSource, Message: "The source does not answer."}
	}
	t := s.tables[q.SQL]
	if t == nil {
		return nil, &placements.Fault{Class: placements.Structure, Message: "There is no such table."}
	}
	t.served = append(t.served, served{time.Now(), t.version})
	columns := []sources.Column{{Name: "key"}, {Name: "a"}, {Name: "b"}}[:t.columns()]
	for _, cells := range t.grid() {
		b.Append(cells...)
	}
	if err := s.done("query"); err != nil {
		return nil, err
	}
	return columns, q.Memory.Grow(b.Size())
}

func (*source) Check(context.Context) error { return nil }

func (*source) Close() error { return nil }

// PerUser reports that everybody sees the same.
func (*source) PerUser() bool { return false }
