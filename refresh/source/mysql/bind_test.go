//go:build unix

package mysql_test

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

// boundInMySQL are queries with parameters.
func boundInMySQL() []sourcetest.BoundCase {
	one := func(kind placements.ParameterType, v placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: kind}, placements.OneValue(v))
	}
	list := func(v ...placements.Scalar) placements.Arguments {
		return sourcetest.Arguments(placements.Parameter{Name: "v", Type: placements.ParameterNumber, List: true}, placements.ListValue(v...))
	}
	two, text := placements.NumberScalar(2), placements.TextScalar
	const in = "SELECT count(*) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS t WHERE n IN (@v)"
	return []sourcetest.BoundCase{
		{Name: "a text", Query: source.Query{SQL: "SELECT CONCAT('a', @v)", Parameters: one("text", text("ü"))}, Want: []checksum.Cell{checksum.Str("aü")}},
		{Name: "a whole number", Query: source.Query{SQL: "SELECT 5 - @v", Parameters: one("number", placements.NumberScalar(-2))}, Want: []checksum.Cell{checksum.Num(7)}},
		{Name: "a fraction", Query: source.Query{SQL: "SELECT 1.5 + @v", Parameters: one("number", placements.NumberScalar(0.25))}, Want: []checksum.Cell{checksum.Num(1.75)}},
		{Name: "a date", Query: source.Query{SQL: "SELECT DATEDIFF('2026-02-01', @v)", Parameters: one("date", text("2026-01-31"))}, Want: []checksum.Cell{checksum.Num(1)}},
		{Name: "true", Query: source.Query{SQL: "SELECT @v + 1", Parameters: one("boolean", placements.BooleanScalar(true))}, Want: []checksum.Cell{checksum.Num(2)}},
		{Name: "twice", Query: source.Query{SQL: "SELECT CONCAT(@v, @v)", Parameters: one("text", text("xy"))}, Want: []checksum.Cell{checksum.Str("xyxy")}},
		{Name: "a list", Query: source.Query{SQL: in, Parameters: list(two, placements.NumberScalar(3), placements.NumberScalar(9))}, Want: []checksum.Cell{checksum.Num(2)}},
		{Name: "an empty list", Query: source.Query{SQL: in, Parameters: list()}, Want: []checksum.Cell{checksum.Num(0)}},
		{Name: "not in a list", Query: source.Query{SQL: strings.Replace(in, "IN", "NOT IN", 1), Parameters: list(two)}, Want: []checksum.Cell{checksum.Num(2)}},
	}
}
