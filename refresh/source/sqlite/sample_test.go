package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

func TestExecSQLiteMakesAFileThatASourceReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop #1?.db")
	statements := []string{"CREATE TABLE labels (id INTEGER, label TEXT)", "INSERT INTO labels VALUES (?, ?)"}
	if err := sqlite.Exec(context.Background(), path, statements, [][]any{nil, {1, "one"}}); err != nil {
		t.Fatal(err)
	}
	if got := countLabels(t, sourcetest.Open(t, &sqlite.Config{Path: path})); got != 1 {
		t.Errorf("%v labels, want 1", got)
	}
}

func TestExecSQLiteDoesAllOrNothing(t *testing.T) {
	path := sqliteFile(t, oneLabel)
	if err := sqlite.Exec(context.Background(), path, []string{"DELETE FROM labels", "nonsense"}, nil); err == nil {
		t.Fatal("nonsense passes")
	}
	if got := countLabels(t, sourcetest.Open(t, &sqlite.Config{Path: path})); got != 1 {
		t.Errorf("%v labels, want 1", got)
	}
}
