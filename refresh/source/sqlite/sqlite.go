package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// database runs queries on an SQLite file, each in a process of its own. Each opens the file anew, so a file that was replaced is
// seen, and reads one state of it, whatever writes it meanwhile.
type database struct {
	config   Config
	name     string // the file's base name, for messages
	slots    source.Slots
	argument string // starts its children
}

func newDatabase(config Config, argument string) *database {
	return &database{config: config, name: filepath.Base(config.Path), slots: make(source.Slots, config.MaxConnections), argument: argument}
}

// Query runs q.SQL. Its columns are read as their declared types say, columns without one as their values are stored.
func (s *database) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	if err := source.WantSQL(q); err != nil {
		return nil, err
	}
	statement, err := named.SQLite.Bind(q.SQL, q.Parameters)
	if err != nil {
		return nil, err
	}
	var columns []source.Column
	result := source.NewResult(b, q, s.config.Limits)
	request := childRequest{SQL: statement.SQL, Values: wireValues(statement), RowBytes: result.DriverBytes()}
	err = s.run(ctx, request, func(r *resultReader) error {
		rows, err := newRowReader(r, q.Location)
		if err != nil {
			return err
		}
		columns = rows.columns
		return rows.appendTo(result)
	})
	return columns, source.Unquoted(err, q, func(q source.Query) error {
		_, err := s.Prepare(ctx, q)
		return err
	})
}

// Check opens the file and reads its schema.
func (s *database) Check(ctx context.Context) error {
	_, err := s.Query(ctx, source.Query{SQL: "SELECT count(*) FROM sqlite_schema"}, new(checksum.Builder))
	return err
}

func (s *database) Close() error { return nil }

// PerUser is false: all users are shown the same rows.
func (s *database) PerUser() bool { return false }

// classify turns the library's errors into faults; others stay as they are.
func (s *database) classify(ctx context.Context, err error) error {
	var known *placements.Fault
	var e *libraryError
	if errors.As(err, &known) || !errors.As(err, &e) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e.primary() == sqlite3.SQLITE_READONLY && e.code != sqlite3.SQLITE_READONLY { // a rollback or recovery is due first
		return source.Fault(placements.Transient, e,
			"the SQLite file %q was left amid a write; open it once with the program that writes it", s.name)
	}
	switch e.primary() {
	case sqlite3.SQLITE_INTERRUPT:
		return source.TimedOut(e, s.config.StatementTimeout)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return source.Fault(placements.Transient, e, "the SQLite file %q is being written by another program; try again", s.name)
	case sqlite3.SQLITE_NOMEM:
		return source.TooBig(e)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return s.cannotRead(e)
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return source.Structure(e, "the file %q is not a whole SQLite database; restore it", s.name)
	case sqlite3.SQLITE_TOOBIG:
		return source.Structure(e, "a value of the query is too large for a row of its result; narrow the query, or raise maxBytes")
	case sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY:
		return source.OnlyReads(e)
	}
	return source.Structure(e, "the query does not run on %q: %s", s.name, source.Said(fmt.Sprintf("error %d", e.code), e.message))
}

// cannotRead finds out why.
func (s *database) cannotRead(cause *libraryError) error {
	info, err := os.Stat(s.config.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.missing(cause)
	case err == nil && info.IsDir():
		return source.Structure(cause, "%q is a directory and no SQLite file; correct the source's path", s.name)
	case cause.primary() == sqlite3.SQLITE_IOERR:
		return source.Fault(placements.Transient, cause, "the SQLite file %q could not be read; the log says why", s.name)
	}
	return source.Fault(placements.Auth, cause, "the SQLite file %q may not be read; allow the service to", s.name)
}

// missing is the fault of a file that is not there. It may be on a disk that is not mounted now, or just being replaced: the source is down.
func (s *database) missing(cause error) error {
	return source.Fault(placements.Transient, cause, "the SQLite file %q is not there; put it back, or correct the source's path", s.name)
}

var _ source.Binder = (*database)(nil)

// ParameterFaults looks at the sqlQuery.
func (s *database) ParameterFaults(q source.Query, of []placements.Parameter) []placements.Detail {
	return named.SQLite.Faults("/sqlQuery", q.SQL, of)
}
