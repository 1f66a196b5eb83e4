package sourcetest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

// tinyConfig is the configuration of the driver of this page: a file, by the database/sql driver of SQLite. The product's own runs queries in
// processes that can be killed; this one shows what a driver has to do.
type tinyConfig struct {
	source.Limits `yaml:",inline"`
	Path          string `yaml:"path"`
}

func (c *tinyConfig) Paths() []*string { return []*string{&c.Path} }

// Open makes the source; database/sql connects when it is asked.
func (c *tinyConfig) Open(context.Context) (source.Source, error) {
	if c.Path == "" {
		return nil, errors.New("path: missing; kind tiny needs it")
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: c.Path}).EscapedPath()+"?mode=ro&_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	limits := c.WithDefaults(source.DefaultStatementTimeout)
	db.SetMaxOpenConns(limits.MaxConnections)
	return &tiny{limits: limits, db: db}, nil
}

type tiny struct {
	limits source.Limits
	db     *sql.DB // bounds how many queries run, too
}

var (
	_ source.Preparer = (*tiny)(nil)
	_ source.Prober   = (*tiny)(nil)
	_ source.Catalog  = (*tiny)(nil)
)

func (s *tiny) Query(ctx context.Context, q source.Query, b *checksum.Builder) (columns []source.Column, err error) {
	if _, err := s.Prepare(ctx, q); err != nil {
		return nil, err
	}
	err = s.within(ctx, func(ctx context.Context) error {
		columns, err = s.read(ctx, q, source.NewResult(b, q, s.limits))
		return err
	})
	return columns, err
}

// read is where the text becomes a call of the driver: parameters are bound here.
func (s *tiny) read(ctx context.Context, q source.Query, b *source.Result) ([]source.Column, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends a query whose rows are not read to the end
	rows, err := s.db.QueryContext(ctx, q.SQL)
	if err != nil {
		return nil, err
	}
	defer func() {
		cancel()
		rows.Close()
	}()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	columns, values, into := make([]source.Column, len(names)), make([]any, len(names)), make([]any, len(names))
	for i, name := range names {
		columns[i], into[i] = source.Column{Name: name}, &values[i]
	}
	if err := b.Header(columns); err != nil {
		return nil, err
	}
	for n := 1; rows.Next(); n++ {
		if err := b.Check(n, len(columns)); err != nil {
			return columns, err
		}
		if err := rows.Scan(into...); err != nil {
			return columns, err
		}
		for _, value := range values {
			if err := appendValue(b, value, q.Location); err != nil {
				return columns, err
			}
		}
		if err := b.End(); err != nil {
			return columns, err
		}
	}
	return columns, rows.Err()
}

func appendValue(b *source.Result, value any, location *time.Location) error {
	switch v := value.(type) {
	case int64:
		b.Int(v)
	case float64:
		b.Number(v)
	case bool:
		b.Bool(v)
	case time.Time:
		b.Timestamp(v, location)
	case string:
		if err := b.Room(len(v)); err != nil {
			return err
		}
		b.Text(v)
	case []byte:
		if err := b.Room(2 * len(v)); err != nil {
			return err
		}
		b.Binary(v)
	default:
		b.Empty()
	}
	return nil
}

// Prepare compiles a statement that holds the query's text: of that only one SELECT can be a part.
func (s *tiny) Prepare(ctx context.Context, q source.Query) ([]string, error) {
	if err := source.WantSQL(q); err != nil {
		return nil, err
	}
	return nil, s.within(ctx, func(ctx context.Context) error {
		_, err := s.db.ExecContext(ctx, "EXPLAIN SELECT * FROM ("+strings.TrimRight(q.SQL, "; \n")+"\n)")
		return err
	})
}

func (s *tiny) Check(ctx context.Context) error { return s.within(ctx, s.db.PingContext) }

func (s *tiny) Close() error { return s.db.Close() }

func (s *tiny) Probes(p source.Probe) error {
	switch {
	case p.Listen != "":
		return errors.New("listen: kind tiny announces nothing")
	case p.Query == "":
		return errors.New("query: missing; kind tiny needs it")
	}
	return source.InQuery(source.WantSQL(source.Query{SQL: p.Query}))
}

func (s *tiny) Probe(ctx context.Context, query string) (string, error) {
	return source.ProbeQuery(ctx, s, source.Query{SQL: query})
}

// Catalog lists nothing, but says so only of a source that can be used.
func (s *tiny) Catalog(ctx context.Context, _ source.User) ([]source.Dataset, error) {
	if err := s.Check(ctx); err != nil {
		return nil, err
	}
	return nil, source.ErrUnlisted
}

// within runs f within the statement timeout, and classifies its errors.
func (s *tiny) within(ctx context.Context, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, s.limits.StatementTimeout)
	defer cancel()
	err := f(limited)
	_, told := errors.AsType[*placements.Fault](err)
	refused, ofDatabase := errors.AsType[*sqlite.Error](err)
	switch {
	case err == nil || told:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return source.TimedOut(err, s.limits.StatementTimeout)
	case ofDatabase && refused.Code()&0xff == sqlite3.SQLITE_CANTOPEN:
		return source.Fault(placements.Transient, err, "the file is not there; put it back, or correct the source's path")
	case ofDatabase && refused.Code()&0xff == sqlite3.SQLITE_TOOBIG:
		return source.LimitOf(source.Query{}, s.limits).RowTooLarge(err)
	}
	return source.Structure(err, "the query does not run: %s", source.Said("an error", err.Error()))
}

// The page on how to write a driver says nothing that this one does not do.
func TestTinyDriver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	exec := func(t *testing.T, statements string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, "CREATE TABLE labels (id INTEGER, label TEXT); CREATE TABLE changes (i INTEGER)")
	const numbers = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n%s) "
	cell := func(expression string, want checksum.Cell) sourcetest.CellCase {
		return sourcetest.CellCase{Name: expression, Query: source.Query{SQL: "SELECT " + expression}, Want: []checksum.Cell{want}}
	}
	sourcetest.Run(t, sourcetest.Subject{
		Config: &tinyConfig{Path: path},
		Cells: []sourcetest.CellCase{
			cell("42", checksum.Num(42)), cell("9007199254740993", checksum.Str("9007199254740993")), cell("0.5", checksum.Num(0.5)),
			cell("'=1+1'", checksum.Str("=1+1")), cell("x'00ff'", checksum.Str("00ff")), cell("NULL", checksum.Cell{}),
		},
		Header: source.Query{SQL: "SELECT id, label FROM labels"},
		Rows: func(n int) source.Query {
			return source.Query{SQL: fmt.Sprintf(numbers+"SELECT i, 'row ' || i FROM n", fmt.Sprintf(" WHERE i < %d", n))}
		},
		Large:          func(n int) source.Query { return source.Query{SQL: fmt.Sprintf("SELECT printf('%%.*c', %d, 'x')", n)} },
		Unending:       source.Query{SQL: fmt.Sprintf(numbers+"SELECT i FROM n", "")},
		Endless:        source.Query{SQL: fmt.Sprintf(numbers+"SELECT max(i) FROM n", "")},
		Broken:         source.Query{SQL: "SELECT missing_column FROM labels"},
		Raises:         source.Query{SQL: "SELECT json('{')"},
		ColumnsUnknown: true,
		Writes: []string{
			"INSERT INTO labels VALUES (1, 'one')", "DELETE FROM labels", "CREATE TABLE more (i)", "PRAGMA user_version = 7",
			"SELECT 1) ; DELETE FROM labels; SELECT (1", "ATTACH ':memory:' AS other",
		},
		Several: []string{"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE labels", "-- nothing but a comment", ";"},
		Unreachable: map[string]sourcetest.Unreachable{
			"a missing file": {Config: &tinyConfig{Path: filepath.Join(t.TempDir(), "none.db")}, Class: placements.Transient},
		},
		Cheap:     source.Query{SQL: "SELECT count(*) FROM changes"},
		Change:    func(t *testing.T) { exec(t, "INSERT INTO changes VALUES (1)") },
		NoProbes:  map[string]source.Probe{"query": {}, "listen": {Listen: "changes"}},
		Internals: []string{filepath.Dir(path)},
	})
}
