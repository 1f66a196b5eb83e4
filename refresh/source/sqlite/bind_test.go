package sqlite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

// boundInSQLite are queries with parameters: whole numbers are INTEGER, others REAL, truth values 0 and 1.
func boundInSQLite() []sourcetest.BoundCase {
	one := func(kind placements.ParameterType, v placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: kind}, placements.OneValue(v))
	}
	list := func(v ...placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: placements.ParameterNumber, List: true}, placements.ListValue(v...))
	}
	two := placements.NumberScalar(2)
	const typed, in = "SELECT @v, typeof(@v)", "SELECT count(*) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) WHERE n IN (@v)"
	return []sourcetest.BoundCase{
		{Name: "a text", Query: source.Query{SQL: typed, Parameters: one("text", placements.TextScalar("ü"))}, Want: []checksum.Cell{checksum.Str("ü"), checksum.Str("text")}},
		{Name: "a whole number", Query: source.Query{SQL: typed, Parameters: one("number", placements.NumberScalar(-7))}, Want: []checksum.Cell{checksum.Num(-7), checksum.Str("integer")}},
		{Name: "a fraction", Query: source.Query{SQL: typed, Parameters: one("number", placements.NumberScalar(0.5))}, Want: []checksum.Cell{checksum.Num(0.5), checksum.Str("real")}},
		{Name: "a large number", Query: source.Query{SQL: typed, Parameters: one("number", placements.NumberScalar(1e300))}, Want: []checksum.Cell{checksum.Num(1e300), checksum.Str("real")}},
		{Name: "a date", Query: source.Query{SQL: typed, Parameters: one("date", placements.TextScalar("2026-01-31"))}, Want: []checksum.Cell{checksum.Str("2026-01-31"), checksum.Str("text")}},
		{Name: "true", Query: source.Query{SQL: typed, Parameters: one("boolean", placements.BooleanScalar(true))}, Want: []checksum.Cell{checksum.Num(1), checksum.Str("integer")}},
		{Name: "a list", Query: source.Query{SQL: in, Parameters: list(two, placements.NumberScalar(3), placements.NumberScalar(9))}, Want: []checksum.Cell{checksum.Num(2)}},
		{Name: "an empty list", Query: source.Query{SQL: in, Parameters: list()}, Want: []checksum.Cell{checksum.Num(0)}},
		{Name: "not in a list", Query: source.Query{SQL: strings.Replace(in, "IN", "NOT IN", 1), Parameters: list(two)}, Want: []checksum.Cell{checksum.Num(2)}},
	}
}

// TestAVariableWithoutAValueFails: SQLite itself would take it for NULL, and the result would be empty.
func TestAVariableWithoutAValueFails(t *testing.T) {
	src := sourcetest.Open(t, &sqlite.Config{Path: sqliteFile(t, sqliteSample)})
	for _, sql := range []string{"SELECT ?", "SELECT ?2", "SELECT :a", "SELECT @a", "SELECT $a", "SELECT #a"} {
		_, err := src.Query(t.Context(), source.Query{SQL: sql}, new(checksum.Builder))
		if err == nil || !strings.Contains(err.Error(), "there is no value") && !strings.Contains(err.Error(), "does not run") {
			t.Errorf("%s: %v", sql, err)
		}
		if _, err := src.(source.Preparer).Prepare(t.Context(), source.Query{SQL: sql}); err == nil {
			t.Errorf("%s is prepared", sql)
		}
	}
}

// FuzzBoundTexts: whatever a value is and the text around its name holds, the database returns the value as it is, bound as well as written into the
// text as servers get it that cannot bind.
func FuzzBoundTexts(f *testing.F) {
	f.Add("it's", "region", "'@region'")
	f.Add("'; DROP TABLE labels; --", "v", "-- @v")
	f.Add("@v$1", "v", "/* ' */")
	f.Add("\\'", "_", "\"@_")
	src := sourcetest.Open(f, &sqlite.Config{Path: sqliteFile(f, sqliteSample)})
	f.Fuzz(func(t *testing.T, text, name, beside string) {
		p := placements.Parameter{Name: name, Type: placements.ParameterText}
		value := placements.OneValue(placements.TextScalar(text))
		if len(placements.ParameterFaults([]placements.Parameter{p})) > 0 || p.Admits(value) != nil || text == "" || strings.ContainsAny(beside, "\x00\\\r") || !utf8.ValidString(beside) {
			return
		}
		written := "'" + strings.ReplaceAll(beside, "'", "''") + "'"
		sql := fmt.Sprintf("SELECT %s = %s, @%s, @%s || '|', typeof(@%s)", written, written, name, name, name)
		q := source.Query{SQL: sql, Parameters: sourcetest.Arguments(p, value)}
		var want checksum.Builder
		want.Append(checksum.Num(1), checksum.Str(text), checksum.Str(text+"|"), checksum.Str("text"))
		row := want.Grid().Cells(0, nil)
		if _, grid := sourcetest.Table(t, src, q); !slices.Equal(grid.Cells(1, nil), row) || grid.Rows() != 2 {
			t.Errorf("bound: %q in %s is %v", text, sql, grid.Cells(1, nil))
		}
		literal, err := named.Literals.Bind(q.SQL, q.Parameters)
		if err != nil {
			if !strings.Contains(text, "\\") {
				t.Errorf("refused: %q in %s, %v", text, sql, err)
			}
			return
		}
		if _, grid := sourcetest.Table(t, src, source.Query{SQL: literal.SQL}); !slices.Equal(grid.Cells(1, nil), row) || grid.Rows() != 2 {
			t.Errorf("written: %q in %s is %v", text, literal.SQL, grid.Cells(1, nil))
		}
	})
}
