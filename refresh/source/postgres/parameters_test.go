package postgres_test

import (
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

// boundInPostgres are queries with parameters whose places decide their types, in the protocol as in literals.
func boundInPostgres() []sourcetest.BoundCase {
	one := func(kind placements.ParameterType, v placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: kind}, placements.OneValue(v))
	}
	list := func(v ...placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: placements.ParameterNumber, List: true}, placements.ListValue(v...))
	}
	two, text := placements.NumberScalar(2), placements.TextScalar
	const in = "SELECT count(*) FROM generate_series(1, 3) AS n WHERE n IN (@v)"
	return []sourcetest.BoundCase{
		{Name: "a text", Query: source.Query{SQL: "SELECT 'a' || @v", Parameters: one("text", text("ü"))}, Want: []checksum.Cell{checksum.Str("aü")}},
		{Name: "a whole number", Query: source.Query{SQL: "SELECT 5 - @v", Parameters: one("number", placements.NumberScalar(-2))}, Want: []checksum.Cell{checksum.Num(7)}},
		{Name: "a fraction", Query: source.Query{SQL: "SELECT 1.5 + @v", Parameters: one("number", placements.NumberScalar(0.25))}, Want: []checksum.Cell{checksum.Num(1.75)}},
		{Name: "a date", Query: source.Query{SQL: "SELECT DATE '2026-02-01' - @v", Parameters: one("date", text("2026-01-31"))}, Want: []checksum.Cell{checksum.Num(1)}},
		{Name: "true", Query: source.Query{SQL: "SELECT NOT @v", Parameters: one("boolean", placements.BooleanScalar(true))}, Want: []checksum.Cell{checksum.Bool(false)}},
		{Name: "twice", Query: source.Query{SQL: "SELECT left(n::text || @v, 2) FROM generate_series(1, 1) AS n GROUP BY left(n::text || @v, 2)", Parameters: one("text", text("xy"))}, Want: []checksum.Cell{checksum.Str("1x")}},
		{Name: "a list", Query: source.Query{SQL: in, Parameters: list(two, placements.NumberScalar(3), placements.NumberScalar(9))}, Want: []checksum.Cell{checksum.Num(2)}},
		{Name: "an empty list", Query: source.Query{SQL: in, Parameters: list()}, Want: []checksum.Cell{checksum.Num(0)}},
		{Name: "not in a list", Query: source.Query{SQL: strings.Replace(in, "IN", "NOT IN", 1), Parameters: list(two)}, Want: []checksum.Cell{checksum.Num(2)}},
		{Name: "an operator", Query: source.Query{SQL: "SELECT @ -5, ARRAY[1, 2] @> ARRAY[@v::integer]", Parameters: one("number", two)}, Want: []checksum.Cell{checksum.Num(5), checksum.Bool(true)}},
	}
}

// testPostgresValuesAreNotTold: a fault is told to all who may read the report, a value is not.
func testPostgresValuesAreNotTold(t *testing.T, config postgres.Config) {
	for _, wire := range []bool{false, true} {
		config.WireOnly = wire
		src := sourcetest.Open(t, &config)
		_, err := src.Query(t.Context(), source.Query{
			SQL:        "SELECT 1 + @v::integer",
			Parameters: sourcetest.Arguments(placements.Parameter{Name: "v", Type: placements.ParameterText}, placements.OneValue(placements.TextScalar("topsecret"))),
		}, new(checksum.Builder))
		if err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("wireOnly %t: %v", wire, err)
		}
	}
}
