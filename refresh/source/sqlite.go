package source

import (
	"context"
	"errors"
	"io/fs"
	"os"

	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
	"mooring/placements"
)

// sqlite runs queries on an SQLite file, each in a process of its own. Each opens the file anew, so a file that was replaced is
// seen, and reads one state of it, whoever writes it meanwhile.
type sqlite struct {
	config SQLiteConfig
	name   string // the file's base name, for messages
	slots  slots
}

// Query runs q.SQL. Its columns are read as their declared types say, columns without one as their values are stored.
func (s *sqlite) Query(ctx context.Context, q Query, b *checksum.Builder) ([]Column, error) {
	if err := wantSQL(q); err != nil {
		return nil, err
	}
	var columns []Column
	result := newResult(b, q, s.config.Limits)
	err := s.run(ctx, q.SQL, result.driverBytes(), func(r *resultReader) error {
		rows, err := newSQLiteRows(r, q.Location)
		if err != nil {
			return err
		}
		columns = rows.columns
		return rows.appendTo(result)
	})
	if err != nil {
		return nil, err
	}
	return columns, nil
}

// Check opens the file and reads its schema.
func (s *sqlite) Check(ctx context.Context) error {
	_, err := s.Query(ctx, Query{SQL: "SELECT count(*) FROM sqlite_schema"}, new(checksum.Builder))
	return err
}

func (s *sqlite) Close() error { return nil }

// PerUser is false: all users are shown the same rows.
func (s *sqlite) PerUser() bool { return false }

// classify turns the library's errors into faults; others stay as they are.
func (s *sqlite) classify(ctx context.Context, err error) error {
	var known *placements.Fault
	var e *sqliteError
	if errors.As(err, &known) || !errors.As(err, &e) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e.primary() == sqlite3.SQLITE_READONLY && e.code != sqlite3.SQLITE_READONLY { // a rollback or recovery is due first
		return fault(placements.Transient, e,
			"the SQLite file %q was left amid a write; open it once with the program that writes it", s.name)
	}
	switch e.primary() {
	case sqlite3.SQLITE_INTERRUPT:
		return timedOut(e, s.config.StatementTimeout)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return fault(placements.Transient, e, "the SQLite file %q is being written by another program; try again", s.name)
	case sqlite3.SQLITE_NOMEM:
		return tooBig(e)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		return s.cannotRead(e)
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return structure(e, "the file %q is not a whole SQLite database; restore it", s.name)
	case sqlite3.SQLITE_TOOBIG:
		return structure(e, "a value of the query is too large for a row of its result; narrow the query, or raise maxBytes")
	case sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY:
		return onlyReads(e)
	}
	return structure(e, "the query does not run on %q: %s", s.name, said(e.message))
}

// cannotRead finds out why.
func (s *sqlite) cannotRead(cause *sqliteError) error {
	info, err := os.Stat(s.config.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return structure(cause, "the SQLite file %q does not exist; correct the source's path", s.name)
	case err == nil && info.IsDir():
		return structure(cause, "%q is a directory and no SQLite file; correct the source's path", s.name)
	case cause.primary() == sqlite3.SQLITE_IOERR:
		return fault(placements.Transient, cause, "the SQLite file %q could not be read; the log says why", s.name)
	}
	return fault(placements.Auth, cause, "the SQLite file %q may not be read; allow the service to", s.name)
}
