package source_test

import (
	"path/filepath"
	"testing"

	"mooring/checksum"
	"mooring/refresh/source"
)

// What ExecSQLite wrote, a source reads; what failed half-way is not there.
func TestExecSQLite(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a b#c?.db")
	make := []string{"CREATE TABLE t (a)", "INSERT INTO t VALUES (?), (?)"}
	if err := source.ExecSQLite(ctx, path, make, [][]any{nil, {1, "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := source.ExecSQLite(ctx, path, []string{"DELETE FROM t", "DELETE FROM nothing"}, nil); err == nil {
		t.Error("a failing statement gave no error")
	}
	src, err := source.Open(ctx, source.Config{Kind: "sqlite", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b checksum.Builder
	if _, err := src.Query(ctx, source.Query{SQL: "SELECT a FROM t"}, &b); err != nil {
		t.Fatal(err)
	}
	if got := b.Grid().Rows(); got != 3 {
		t.Errorf("rows with header = %d, want 3", got)
	}
}
