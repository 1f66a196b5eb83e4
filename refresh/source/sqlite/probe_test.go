package sqlite_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

// writerFile names, in the environment of this very program, the file for which it is to be a writer.
const writerFile = "MOORING_TEST_SQLITE_WRITER"

// TestWriter is no test but another process, which runs each line of its input as a statement on one connection, and answers each.
func TestWriter(t *testing.T) {
	path := os.Getenv(writerFile)
	if path == "" {
		t.Skip("runs within other tests")
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		_, err := db.ExecContext(t.Context(), lines.Text())
		fmt.Println(err)
	}
}

// writer is another process that has a file open.
type writer struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startWriter(t *testing.T, path string) *writer {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
	cmd.Env = append(os.Environ(), writerFile+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{t, in, bufio.NewScanner(out)}
	t.Cleanup(func() {
		in.Close()
		for w.lines.Scan() {
		}
		_ = cmd.Wait()
	})
	return w
}

func (w *writer) exec(statement string) {
	w.t.Helper()
	fmt.Fprintln(w.in, statement)
	if !w.lines.Scan() || w.lines.Text() != "<nil>" {
		w.t.Fatalf("%s: %s", statement, w.lines.Text())
	}
}

func probed(t *testing.T, path string) string {
	t.Helper()
	value, err := sourcetest.Open(t, &sqlite.Config{Path: path}).(source.Prober).Probe(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSQLiteTellsEachCommitOfAnotherProcess(t *testing.T) {
	for _, row := range []struct {
		fact, journal string
		more          []string
	}{
		{"with a rollback journal", "DELETE", nil},
		{"with a write-ahead log", "WAL", nil},
		{"with a log that begins anew with each commit", "WAL", []string{"PRAGMA wal_autocheckpoint = 1"}},
		{"with a log that is cut with each commit", "WAL", []string{"PRAGMA wal_autocheckpoint = 1", "PRAGMA journal_size_limit = 0"}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			path := sqliteFile(t, "PRAGMA journal_mode = "+row.journal+";"+oneLabel)
			w := startWriter(t, path)
			for _, statement := range row.more {
				w.exec(statement)
			}
			seen := map[string]int{probed(t, path): -1}
			for i := range 40 {
				w.exec("UPDATE labels SET id = id + 1")
				value := probed(t, path)
				if before, ok := seen[value]; ok {
					t.Fatalf("after commit %d the same as after %d", i, before)
				}
				seen[value] = i
				if probed(t, path) != value {
					t.Fatalf("after commit %d another value without a commit", i)
				}
			}
			w.exec("BEGIN")
			w.exec("UPDATE labels SET label = 'not committed'")
			if _, ok := seen[probed(t, path)]; !ok {
				t.Error("what is not committed is told")
			}
			w.exec("ROLLBACK")
		})
	}
}

func TestSQLiteReadersAreNoChange(t *testing.T) {
	path := sqliteFile(t, "PRAGMA journal_mode = WAL;"+oneLabel)
	before := probed(t, path)
	if got := countLabels(t, sourcetest.Open(t, &sqlite.Config{Path: path})); got != 1 {
		t.Fatalf("%v labels", got)
	}
	if probed(t, path) != before {
		t.Error("a reader changes the value")
	}
}

func TestSQLiteTellsAFileThatWasReplaced(t *testing.T) {
	path := sqliteFile(t, oneLabel)
	before := probed(t, path)
	other := filepath.Join(t.TempDir(), "other.db")
	sqliteExec(t, other, "CREATE TABLE labels (id INTEGER, label TEXT); INSERT INTO labels VALUES (1, 'two');")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if probed(t, path) == before {
		t.Error("another file of the same size and as many commits has the same value")
	}
}
