package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// longCalls are single calls of functions that would run for minutes to years: SQLite looks at nothing before they return.
var longCalls = map[string]string{
	"instr":     "SELECT instr(zeroblob(60000000), zeroblob(3000000) || x'01')",
	"replace":   "SELECT length(replace(hex(zeroblob(30000000)), hex(zeroblob(2000000)) || '1', 'x'))",
	"trim":      "SELECT length(trim(hex(zeroblob(30000000)), replace(hex(zeroblob(1000000)), '0', '1') || '0'))",
	"like":      "SELECT hex(zeroblob(30000000)) LIKE '%' || substr(hex(zeroblob(500)), 1, 990) || '1%'",
	"glob":      "SELECT hex(zeroblob(30000000)) GLOB '*' || substr(hex(zeroblob(500)), 1, 990) || '1*'",
	"snippet":   "SELECT length(snippet(docs, 0, '[', ']', '…', 64)) FROM docs WHERE docs MATCH 'ab'",
	"highlight": "SELECT length(highlight(docs, 0, '[', ']')) FROM docs WHERE docs MATCH 'ab'",
	"json_patch": `WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 100000),
		a(j) AS (SELECT '{' || group_concat('"k' || i || '":1') || '}' FROM n),
		b(j) AS (SELECT '{' || group_concat('"m' || i || '":1') || '}' FROM n)
		SELECT length(json_patch(a.j, b.j)) FROM a, b`,
	"names that double": doubling(18),
}

// doubling is a statement whose compilation alone takes 2^n steps.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT 1 x)")
	for i := 1; i <= n; i++ {
		last, next := "c"+string(rune('a'+i-2)), "c"+string(rune('a'+i-1))
		if i == 1 {
			last = "c0"
		}
		b.WriteString(", " + next + " AS (SELECT l.x FROM " + last + " l, " + last + " r)")
	}
	return b.String() + " SELECT count(*) FROM c" + string(rune('a'+n-1))
}

// withDocs opens a source with a full-text table of one long document.
func withDocs(t *testing.T, timeout time.Duration) source.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docs.db")
	if err := Exec(t.Context(), path, []string{
		"CREATE VIRTUAL TABLE docs USING fts5(body)",
		"INSERT INTO docs VALUES (replace(hex(zeroblob(1000000)), '00', 'ab cd '))",
	}, nil); err != nil {
		t.Fatal(err)
	}
	src, err := (&Config{Path: path, Limits: source.Limits{StatementTimeout: timeout, MaxConnections: 1}}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func wantClass(t *testing.T, err error, class placements.Class) {
	t.Helper()
	var f *placements.Fault
	if !errors.As(err, &f) || f.Class != class {
		t.Errorf("got %v, want a %s fault", err, class)
	}
}

func TestSQLiteEndsACallThatNeverLooksAtTheClock(t *testing.T) {
	for name, sql := range longCalls {
		t.Run(name+" at the statement timeout", func(t *testing.T) {
			t.Parallel() // each computes until it is killed
			src := withDocs(t, 50*time.Millisecond)
			_, err := src.Query(t.Context(), source.Query{SQL: sql}, new(checksum.Builder))
			wantClass(t, err, placements.Permanent)
		})
	}
	t.Run("when the caller goes away", func(t *testing.T) {
		patient := withDocs(t, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := patient.Query(ctx, source.Query{SQL: longCalls["instr"]}, new(checksum.Builder))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		if err := patient.Check(t.Context()); err != nil {
			t.Errorf("the source's only connection is taken: %v", err)
		}
	})
}

func TestSQLiteQueryExhaustsNoMemoryButItsOwn(t *testing.T) {
	src := withDocs(t, time.Minute)
	values := strings.Repeat("zeroblob(60000000) || '', ", 40)
	_, err := src.Query(t.Context(), source.Query{SQL: "SELECT length(max(" + values + "1))"}, new(checksum.Builder))
	wantClass(t, err, placements.Permanent)
	if err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("%q does not say what it lacks", err)
	}
	if err := src.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSQLiteRefusesWhatShowsOrReachesMoreThanTheData(t *testing.T) {
	src := withDocs(t, time.Minute)
	for _, sql := range []string{
		"SELECT count(*) FROM sqlite_dbpage", "SELECT data FROM sqlite_dbpage", "SELECT name FROM dbstat", "SELECT count(*) FROM dbstat",
		"SELECT * FROM sqlite_stmt", "SELECT * FROM bytecode('SELECT 1')", "SELECT * FROM tables_used('SELECT 1')",
		"SELECT * FROM pragma_compile_options", "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_table_info('docs')",
		"SELECT * FROM generate_series(1, 9)", "SELECT * FROM fsdir('/')",
		"SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x', 'x')", "SELECT edit('x')", "SELECT LOAD_EXTENSION('x.so')",
		"SELECT fts5(NULL)", "SELECT fts3_tokenizer('simple')", "SELECT sqlite_log(1, 'x')",
		"ATTACH '/tmp/x.db' AS x", "PRAGMA writable_schema = 1", "PRAGMA database_list", "PRAGMA temp_store_directory = '/tmp'",
	} {
		_, err := src.Query(t.Context(), source.Query{SQL: sql}, new(checksum.Builder))
		if err == nil {
			t.Errorf("%s passes", sql)
			continue
		}
		wantClass(t, err, placements.Structure)
	}
}

func TestSQLiteChildKnowsNoSecretOfTheEnvironment(t *testing.T) {
	t.Setenv("MOORING_SECRET", "0123456789abcdef0123456789abcdef")
	t.Setenv("TZ", "Europe/Berlin")
	c, err := startChild(t.Context(), childArgument, childRequest{Path: "none.db", SQL: "SELECT 1", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.end() }()
	if slices.ContainsFunc(c.cmd.Env, func(v string) bool { return strings.Contains(v, "SECRET") }) {
		t.Errorf("environment %q", c.cmd.Env)
	}
	if !slices.Contains(c.cmd.Env, "TZ=Europe/Berlin") {
		t.Errorf("environment %q has no time zone", c.cmd.Env)
	}
}

// TestSQLiteChildEndsWithItsParent closes what the child would lose with its parent.
func TestSQLiteChildEndsWithItsParent(t *testing.T) {
	c, err := startChild(t.Context(), childArgument, childRequest{SQL: longCalls["instr"], Timeout: time.Hour, RowBytes: source.MaxDriverBytes})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err == nil {
		t.Error("the child ended well")
	}
}
