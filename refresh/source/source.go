package source

import (
	"context"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// Source runs the queries of reports. It is safe for concurrent use. Errors that a user can act on are *placements.Fault.
type Source interface {
	// Query runs q read-only and appends the header row and then every row of the result to b as they arrive. It returns
	// one Column per column. A result beyond q's limits is a Structure fault, never a short result. With the error of q.Memory too the columns
	// are returned, if any row was appended.
	Query(ctx context.Context, q Query, b *checksum.Builder) ([]Column, error)
	// Check proves that the source can be reached and lets us in.
	Check(ctx context.Context) error
	Close() error
}

// Config is the configuration of a source: a struct whose yaml tags name its keys.
type Config interface {
	// Paths returns the paths of the configuration, each of which the caller may make absolute before Open.
	Paths() []*string
	// Bounds returns the limits of the source, to be read or set before Open.
	Bounds() *Limits
	// Open makes the source. It does not wait for a database: Check does. Errors name the keys at fault and hold no secret.
	Open(ctx context.Context) (Source, error)
}

// PerUser is a Source that knows whether its results depend on the User of a Query.
type PerUser interface{ PerUser() bool }

// Personal reports whether what s returns may depend on the User of a Query. It may if s does not say.
func Personal(s Source) bool {
	p, says := s.(PerUser)
	return !says || p.PerUser()
}

// Warner is a Source that knows what of its configuration works but may do what the operator does not want.
type Warner interface {
	// Warnings returns a sentence for each such thing, for reports whose times are those of location.
	Warnings(ctx context.Context, location *time.Location) ([]string, error)
}

// Query is one run of a report's query on behalf of a user.
type Query struct {
	SQL      string         // one statement, or
	JSON     string         // a semantic-layer query
	User     User           // for row-level security
	Location *time.Location // wall time of dates and timestamps; nil is UTC
	MaxRows  int            // rows below the header; 0: DefaultMaxRows
	MaxCells int            // cells, header included; 0: DefaultMaxCells
	MaxBytes Size           // encoded, header included; 0: DefaultMaxBytes
	Memory   Memory         // what the result may take; nil: no bound over all results

	Parameters placements.Arguments // what the query names as @name, of a Binder; nil: it names nothing
}

// Memory bounds what all results take together.
type Memory interface {
	// Grow reserves that many bytes more for a result. It does not wait: a query that waits holds its connection, and its statement timeout
	// goes on. Its error ends the query, which returns it as it is.
	Grow(bytes int) error
}

// User is on whose behalf a query runs.
type User struct {
	Tenant string
	ID     int64
	Email  string
	Roles  []int64
}

// Column describes one column of a result. Format is the number format its cells should show, empty for none
// (dates and timestamps have one, since their cells hold serial day numbers).
type Column struct {
	Name   string
	Format string
}

// The limits of a query that sets none.
const (
	DefaultMaxRows  = 1_000_000
	DefaultMaxCells = 10_000_000
	DefaultMaxBytes = 256 << 20
)
