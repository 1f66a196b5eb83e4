package source

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"mooring/checksum"
)

// Limits are the keys that every source has: how long a query runs, how large its result becomes, how many run at one time.
type Limits struct {
	StatementTimeout time.Duration `yaml:"statementTimeout"` // longest run of one query; 0: the driver's default
	MaxRows          int           `yaml:"maxRows"`          // caps a query's rows below the header; 0: DefaultMaxRows
	MaxCells         int           `yaml:"maxCells"`         // caps a query's cells; 0: DefaultMaxCells
	MaxBytes         Size          `yaml:"maxBytes"`         // caps a query's result, encoded; 0: DefaultMaxBytes
	MaxConnections   int           `yaml:"maxConnections"`   // queries at one time; 0: DefaultMaxConnections
}

// The settings of a source that sets none.
const (
	DefaultStatementTimeout = time.Minute
	DefaultMaxConnections   = 4
)

// Bounds returns the limits themselves.
func (l *Limits) Bounds() *Limits { return l }

// Check names every limit that is negative.
func (l Limits) Check() error {
	var errs []error
	for _, key := range []struct {
		name  string
		value int64
	}{
		{"statementTimeout", int64(l.StatementTimeout)},
		{"maxRows", int64(l.MaxRows)},
		{"maxCells", int64(l.MaxCells)},
		{"maxBytes", int64(l.MaxBytes)},
		{"maxConnections", int64(l.MaxConnections)},
	} {
		if key.value < 0 {
			errs = append(errs, fmt.Errorf("%s: must not be negative", key.name))
		}
	}
	return errors.Join(errs...)
}

// WithDefaults returns the limits with those that are zero set, the longest run of a query to statementTimeout.
func (l Limits) WithDefaults(statementTimeout time.Duration) Limits {
	return Limits{
		StatementTimeout: cmp.Or(l.StatementTimeout, statementTimeout),
		MaxRows:          cmp.Or(l.MaxRows, DefaultMaxRows),
		MaxCells:         cmp.Or(l.MaxCells, DefaultMaxCells),
		MaxBytes:         cmp.Or(l.MaxBytes, DefaultMaxBytes),
		MaxConnections:   cmp.Or(l.MaxConnections, DefaultMaxConnections),
	}
}

// limit is how large a result may become.
type limit struct {
	MaxRows, cells int
	bytes          Size
}

// LimitOf is the smaller of what the query and its source allow.
func LimitOf(q Query, c Limits) limit {
	return limit{
		MaxRows: min(cmp.Or(q.MaxRows, c.MaxRows), c.MaxRows),
		cells:   min(cmp.Or(q.MaxCells, c.MaxCells), c.MaxCells),
		bytes:   min(cmp.Or(q.MaxBytes, c.MaxBytes), c.MaxBytes),
	}
}

// check faults a result of that many rows below the header.
func (l limit) Check(rows, columns int) error {
	switch {
	case rows > l.MaxRows:
		return Structure(nil, "the result has more than %d rows; narrow the query, or raise maxRows", l.MaxRows)
	case (rows+1)*columns > l.cells:
		return Structure(nil, "the result has more than %d cells; narrow the query, or raise maxCells", l.cells)
	}
	return nil
}

// tooLarge is the fault of a result, or of a part of one, with more bytes than the limit.
func (l limit) tooLarge(cause error) error {
	return Structure(cause, "the result has more than %s; narrow the query, or raise maxBytes", l.bytes)
}

// MaxDriverBytes bounds what a driver holds of a result before it is appended, a row or a value: no cell of a spreadsheet holds a
// thousandth of it.
const MaxDriverBytes = 64 << 20

// DriverBytes is the limit of what a driver may hold at a time.
func (l limit) DriverBytes() int { return int(min(l.bytes, MaxDriverBytes)) }

// RowTooLarge is the fault of a row, or a value, that a driver does not hold.
func (l limit) RowTooLarge(cause error) error {
	if l.DriverBytes() < MaxDriverBytes {
		return l.tooLarge(cause)
	}
	return Structure(cause, "a row of the result has more than %s; narrow the query", Size(MaxDriverBytes))
}

// Result is a Builder under a limit, which keeps within the memory of all results.
type Result struct {
	*checksum.Builder
	limit
	memory   Memory
	reserved int // bytes of memory
}

func NewResult(b *checksum.Builder, q Query, c Limits) *Result {
	return &Result{Builder: b, limit: LimitOf(q, c), memory: q.Memory}
}

// The steps in which memory is reserved: small results are many, and the steps of large ones grow with them.
const (
	firstStep = 64 << 10
	lastStep  = 4 << 20
)

// Room makes sure, before it is appended, that so many bytes more are within the limits.
func (r *Result) Room(bytes int) error {
	size := r.Size() + bytes
	if Size(size) > r.bytes {
		return r.tooLarge(nil)
	}
	if r.memory == nil || size <= r.reserved {
		return nil
	}
	step := max(size-r.reserved, min(max(r.reserved, firstStep), lastStep))
	if err := r.memory.Grow(step); err != nil {
		return err
	}
	r.reserved += step
	return nil
}

// Header makes row 0 of the columns' names.
func (r *Result) Header(columns []Column) error {
	if err := r.Check(0, len(columns)); err != nil {
		return err
	}
	for _, c := range columns {
		if err := r.Room(len(c.Name)); err != nil {
			return err
		}
		r.Text(c.Name)
	}
	return r.End()
}

// End ends the current row.
func (r *Result) End() error {
	r.EndRow()
	return r.Room(0)
}
