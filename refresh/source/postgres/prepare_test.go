//go:build unix

package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

func testPostgresPrepare(t *testing.T, config postgres.Config) {
	config.RowSecurity = true
	src := sourcetest.Open(t, &config).(source.Preparer)
	for _, row := range []struct {
		fact, sql, want string
		line, column    int // 0: not known
	}{
		{"a table that does not exist", "SELECT id\n  FROM nowhere", `"nowhere"`, 2, 8},
		{"the end of the text", "SELECT id FROM", "end of input", 1, 15},
		{"a function of other arguments", "SELECT lower(1, 2)", "lower", 1, 8},
		{"a parameter", "SELECT $1", "parameter", 0, 0},
		{"a table that may not be read", "SELECT * FROM secrets", "", 0, 0},
	} {
		_, err := src.Prepare(t.Context(), source.Query{SQL: row.sql, User: source.User{Tenant: "acme", ID: 7}})
		var at source.PositionError
		if known, ok := errors.AsType[*source.PositionError](err); ok {
			at = *known
		}
		if row.want == "" { // rights are looked at when a query runs
			if err != nil {
				t.Errorf("%s: %v", row.fact, err)
			}
			continue
		}
		fault, _ := errors.AsType[*placements.Fault](err)
		if fault == nil || fault.Class != placements.Structure || !strings.Contains(err.Error(), row.want) ||
			at.Line != row.line || at.Column != row.column {
			t.Errorf("%s: line %d, column %d, want %d, %d and %s: %v", row.fact, at.Line, at.Column, row.line, row.column, row.want, err)
		}
	}
}
