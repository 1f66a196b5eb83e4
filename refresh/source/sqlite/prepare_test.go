package sqlite_test

import (
	"errors"
	"testing"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

func TestSQLitePrepareFindsTheFault(t *testing.T) {
	src := sourcetest.Open(t, &sqlite.Config{Path: sqliteFile(t, sqliteSample)}).(source.Preparer)
	for _, row := range []struct {
		fact, sql    string
		line, column int // 0: not known
	}{
		{"a word that is out of place", "SELECT id\nFRM labels l", 2, 5},
		{"behind an empty statement", "; SELECT nope FROM labels", 1, 10},
		{"a function that does not exist", "SELECT id,\n nope(id) FROM labels", 2, 2},
		{"a table that does not exist", "SELECT a.id\nFROM labels a,  nowhere b", 2, 17},
		{"its name is also a column's", "SELECT nowhere.id FROM \"nowhere\"", 1, 24},
		{"a schema before it", "SELECT id FROM labels JOIN main.nowhere", 1, 33},
		{"of a longer name it is but a part", "SELECT id FROM nowhere_else", 1, 16},
		{"a text without its end", "SELECT 'x", 1, 8},
		{"a statement without its end", "SELECT id FROM", 0, 0},
	} {
		_, err := src.Prepare(t.Context(), source.Query{SQL: row.sql})
		var at source.PositionError
		if known, ok := errors.AsType[*source.PositionError](err); ok {
			at = *known
		}
		if err == nil || at.Line != row.line || at.Column != row.column {
			t.Errorf("%s: line %d, column %d, want %d, %d: %v", row.fact, at.Line, at.Column, row.line, row.column, err)
		}
	}
}
