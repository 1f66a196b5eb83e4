package mysql

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Describer = (*server)(nil)

// server runs queries on a MariaDB or MySQL server, each on a connection of its own: the driver cannot reset the session of one.
type server struct {
	config  Config
	login   *mysql.Config
	slots   source.Slots   // one taken by each session, and until a query that was left has ended at the server
	leaving sync.WaitGroup // ends of such queries
}

// Query runs q.SQL as a prepared statement, which is one, in a transaction that cannot write. Rows go from the connection to b one at a time.
func (s *server) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	statement, err := bind(q)
	if err != nil {
		return nil, err
	}
	var columns []source.Column
	err = s.with(ctx, q.Location, func(ctx context.Context, own *session) (err error) {
		columns, err = s.read(ctx, own, statement, q, b)
		return err
	})
	return columns, source.Unquoted(err, q, func(q source.Query) error {
		_, err := s.Prepare(ctx, q)
		return err
	})
}

// read runs q as a statement and appends its result to b.
func (s *server) read(
	ctx context.Context, own *session, statement *named.Statement, q source.Query, b *checksum.Builder,
) ([]source.Column, error) {
	result := source.NewResult(b, q, s.config.Limits)
	own.meter.allow(result.DriverBytes())
	rows, err := own.execute(ctx, statement)
	if err != nil {
		return nil, err
	}
	columns, err := own.appendRows(result, rows, q.Location)
	if err != nil {
		return columns, err
	}
	if err := own.wholeResult(ctx); err != nil {
		return nil, err
	}
	return columns, nil
}

// Prepare has the server parse q.SQL. Only MariaDB says the columns then.
func (s *server) Prepare(ctx context.Context, q source.Query) (names []string, err error) {
	columns, err := s.Describe(ctx, q)
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names, err
}

// Describe is Prepare with the types that the server says. It is sent no values, which it could quote.
func (s *server) Describe(ctx context.Context, q source.Query) (columns []source.Field, err error) {
	bound, err := bind(q)
	if err != nil {
		return nil, err
	}
	err = s.with(ctx, q.Location, func(ctx context.Context, own *session) error {
		statement, err := own.prepare(ctx, bound)
		if err != nil {
			return err
		}
		described, err := describedIn(statement, "columns")
		for _, c := range described {
			columns = append(columns, source.Field{Name: c.name, Type: c.fieldType()})
		}
		return err
	})
	if err != nil {
		return nil, located(err, bound)
	}
	return columns, nil
}

// Check logs in and runs a query.
func (s *server) Check(ctx context.Context) error {
	_, err := s.Query(ctx, source.Query{SQL: "SELECT 1"}, new(checksum.Builder))
	return err
}

// PerUser is false: all users are shown the same rows.
func (s *server) PerUser() bool { return false }

// Close waits until queries that were left have ended at the server.
func (s *server) Close() error {
	s.leaving.Wait()
	return nil
}

// with runs f in a session of its own, for as long as ctx and the statement timeout allow.
func (s *server) with(ctx context.Context, location *time.Location, f func(context.Context, *session) error) error {
	if err := s.slots.Take(ctx); err != nil {
		return err
	}
	own, err := s.begin(ctx, location)
	if err != nil {
		s.slots.Give()
		return s.classify(ctx, err)
	}
	// The server's own timeout should be the first to strike: it says that it did.
	limited, cancel := context.WithTimeout(ctx, s.config.StatementTimeout+time.Second)
	defer cancel()
	err = f(limited, own)
	if _, told := errors.AsType[*placements.Fault](err); err != nil && !told && limited.Err() != nil {
		err = limited.Err()
	}
	s.end(own)
	return s.classify(ctx, err)
}
