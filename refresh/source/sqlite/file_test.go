package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

const oneLabel = "CREATE TABLE labels (id INTEGER, label TEXT); INSERT INTO labels VALUES (1, 'one');"

func countLabels(t *testing.T, src source.Source) float64 {
	t.Helper()
	_, grid := sourcetest.Table(t, src, source.Query{SQL: "SELECT count(*) FROM labels"})
	return grid.Cells(1, nil)[0].Number
}

func TestSQLiteSeesAFileThatWasReplaced(t *testing.T) {
	path := sqliteFile(t, oneLabel)
	src := sourcetest.Open(t, &sqlite.Config{Path: path})
	if got := countLabels(t, src); got != 1 {
		t.Fatalf("%v labels, want 1", got)
	}
	if err := os.Rename(sqliteFile(t, oneLabel+"INSERT INTO labels VALUES (2, 'two')"), path); err != nil {
		t.Fatal(err)
	}
	if got := countLabels(t, src); got != 2 {
		t.Errorf("%v labels, want the 2 of the new file", got)
	}
}

func TestSQLiteWhileAnotherProgramWrites(t *testing.T) {
	for _, c := range []struct {
		name, journal string
		waits         bool // a reader cannot pass the writer
	}{
		{"with a rollback journal, readers wait", "DELETE", true},
		{"with a write-ahead log, readers see what was committed", "WAL", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := sqliteFile(t, "PRAGMA journal_mode = "+c.journal+";"+oneLabel)
			src := sourcetest.Open(t, &sqlite.Config{Path: path, Limits: source.Limits{StatementTimeout: 50 * time.Millisecond}})
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			writer, err := db.Conn(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			run(t, writer, "BEGIN EXCLUSIVE")
			run(t, writer, "INSERT INTO labels VALUES (2, 'two')")
			if c.waits {
				_, err := src.Query(context.Background(), source.Query{SQL: "SELECT count(*) FROM labels"}, new(checksum.Builder))
				var fault *placements.Fault
				if !errors.As(err, &fault) || fault.Class != placements.Transient {
					t.Errorf("got %v, want a transient fault", err)
				}
			} else if got := countLabels(t, src); got != 1 {
				t.Errorf("%v labels before the commit, want 1", got)
			}
			run(t, writer, "COMMIT")
			if got := countLabels(t, src); got != 2 {
				t.Errorf("%v labels after the commit, want 2", got)
			}
		})
	}
}

func run(t *testing.T, conn *sql.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestSQLiteStopsAfterItsFirstRow holds what database/sql would not: that a query whose first row came ends as well.
func TestSQLiteStopsAfterItsFirstRow(t *testing.T) {
	src := sourcetest.Open(t, &sqlite.Config{Path: sqliteFile(t, oneLabel)})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := src.Query(ctx, source.Query{
		SQL: "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n) SELECT i FROM n WHERE i = 1",
	}, new(checksum.Builder))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestSQLiteFileThatAWriterLeft holds a file whose writer died: its journal must be rolled back before anyone may read it, which
// takes one who may write.
func TestSQLiteFileThatAWriterLeft(t *testing.T) {
	path := sqliteFile(t, "PRAGMA journal_mode = DELETE;"+oneLabel)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	writer, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	run(t, writer, "PRAGMA cache_size = 1") // so that changed pages reach the file before the commit
	run(t, writer, "BEGIN")
	run(t, writer, "UPDATE labels SET label = 'changed'")
	run(t, writer, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 500) INSERT INTO labels SELECT i, hex(randomblob(500)) FROM n")
	left := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-journal"} {
		contents, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+suffix, contents, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src := sourcetest.Open(t, &sqlite.Config{Path: left})
	_, err = src.Query(context.Background(), source.Query{SQL: "SELECT count(*) FROM labels"}, new(checksum.Builder))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Transient {
		t.Fatalf("got %v, want a transient fault", err)
	}
	if !strings.Contains(fault.Message, "amid a write") {
		t.Errorf("message %q does not say why", fault.Message)
	}
	sqliteExec(t, left, "PRAGMA user_version") // any access by one who may write rolls back
	if got := countLabels(t, src); got != 1 {
		t.Errorf("%v labels after the rollback, want 1", got)
	}
}

func TestSQLiteFileNamesAreNoURIs(t *testing.T) {
	for _, name := range []string{"file:shop.db", "shop.db?mode=memory", "a#b c%20.db", "ähre.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.Rename(sqliteFile(t, oneLabel), path); err != nil {
				t.Fatal(err)
			}
			if got := countLabels(t, sourcetest.Open(t, &sqlite.Config{Path: path})); got != 1 {
				t.Errorf("%v labels, want 1", got)
			}
		})
	}
}

func TestSQLiteFileThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := sqliteFile(t, oneLabel)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	var fault *placements.Fault
	err := sourcetest.Open(t, &sqlite.Config{Path: path}).Check(context.Background())
	if !errors.As(err, &fault) || fault.Class != placements.Auth {
		t.Errorf("got %v, want an auth fault", err)
	}
}
