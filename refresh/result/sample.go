package result

import (
	"context"
	"errors"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// Sample is a report's table, or the beginning of one.
type Sample struct {
	*Answer
	Cut bool // rows are missing at the end
}

// PivotFault is the fault of a pivot's items, not of the query.
type PivotFault struct{ error }

func (f PivotFault) Unwrap() error { return f.error }

// Sample runs the query of a question for its caller alone, who closes the sample. Of a sqlQuery without a pivot no more than so many bytes
// are read; other tables are whole. Errors are those of Alone; that of a pivot's items is a PivotFault.
func (r *Results) Sample(ctx context.Context, q Question, bytes int) (Sample, error) {
	if q.Of.SQLQuery == "" || q.Of.JSONQuery != "" || !flat(q.Of.PivotItems) {
		t, err := r.Alone(ctx, q)
		return Sample{Answer: t}, err
	}
	s, err := q.Room.firstShare(ctx, q.Patience, func() {})
	if err != nil {
		return Sample{}, err
	}
	return q.begin(ctx, s, bytes)
}

// flat reports whether the table is the query's result as it is.
func flat(p *record.PivotItems) bool {
	return p == nil || len(p.Rows)+len(p.Columns)+len(p.Measures) == 0
}

// begin runs the query until so many bytes of its result are there.
func (q Question) begin(ctx context.Context, s *share, bytes int) (Sample, error) {
	defer s.release()
	start := time.Now()
	var b checksum.Builder
	in := q.query()
	in.MaxBytes, in.Memory = q.From.Most(), &sampleMemory{s, bytes}
	if err := source.Bindable(q.From.Source, in); err != nil {
		return Sample{}, err
	}
	columns, err := q.From.Source.Query(ctx, in, &b)
	cut := errors.Is(err, errEnough)
	if err != nil && !cut {
		return Sample{}, err
	}
	rows := b.Rows() // what follows them is part of a row
	if rows == 0 {
		return Sample{}, source.Structure(nil, "the header of the result, or its first row, is too large for a preview; narrow the query")
	}
	grid := b.Grid().Slice(0, rows)
	s.finished(grid.Size())
	s.keep()
	t := &Answer{Grid: grid, Block: grid.Block, asked: start, took: time.Since(start), share: s}
	for _, c := range columns {
		t.Formats = append(t.Formats, c.Format)
	}
	return Sample{t, cut}, nil
}

// sampleMemory is what a sample may take of its share.
type sampleMemory struct {
	share *share
	left  int
}

// errEnough ends a query of which enough was read.
var errEnough = errors.New("enough of the result was read")

// Grow implements source.Memory.
func (m *sampleMemory) Grow(bytes int) error {
	if bytes > m.left {
		return &placements.Fault{Class: placements.Permanent, Message: errEnough.Error(), Err: errEnough}
	}
	m.left -= bytes
	return m.share.Grow(bytes)
}
