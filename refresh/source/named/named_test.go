package named_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// declared are the parameters of these tests.
func declared() []placements.Parameter {
	return []placements.Parameter{
		{Name: "region", Type: placements.ParameterText},
		{Name: "n", Type: placements.ParameterNumber},
		{Name: "ids", Type: placements.ParameterNumber, List: true},
	}
}

// arguments are values of them.
func arguments(text string, n float64, ids ...float64) placements.Arguments {
	list := make([]placements.Scalar, len(ids))
	for i, id := range ids {
		list[i] = placements.NumberScalar(id)
	}
	of := declared()
	return placements.Arguments{
		{Parameter: &of[0], Value: placements.OneValue(placements.TextScalar(text))},
		{Parameter: &of[1], Value: placements.OneValue(placements.NumberScalar(n))},
		{Parameter: &of[2], Value: placements.ListValue(list...)},
	}
}

var dialects = map[string]named.Dialect{
	"PostgreSQL": named.PostgreSQL, "SQLite": named.SQLite, "MySQL": named.MySQL, "Literals": named.Literals,
}

// TestNamesAreFound says for each dialect which names a text has; fault is part of why it cannot be read.
func TestNamesAreFound(t *testing.T) {
	const all = "PostgreSQL SQLite MySQL Literals"
	for _, tc := range []struct{ text, dialects, names, fault string }{
		{"SELECT @region", all, "region", ""},
		{"SELECT 'x'||@region||'y', @n", all, "region n", ""},
		{"@region,@n", all, "region n", ""},
		{"a=@region", all, "region", ""},
		{"SELECT '@region'", all, "", ""},
		{"SELECT 'it''s @region' || @n", all, "n", ""},
		{`SELECT "@region", @n`, all, "n", ""},
		{`SELECT "a""@region", @n`, all, "n", ""},
		{"-- @region\n@n", all, "n", ""},
		{"--@region\n@n", "PostgreSQL SQLite Literals", "n", ""},
		{"5--@n\n", "MySQL", "n", ""},
		{"/* @region */ @n", all, "n", ""},
		{"/* /* */ @region */ @n", "PostgreSQL Literals", "n", ""},
		{"/* /* */ @region */ @n", "SQLite MySQL", "region n", ""},
		{"/* @region", all, "", ""},
		{"a @> b AND c <@ d AND e @@ f", all, "", ""},
		{"@ -5 + @ 3", all, "", ""},
		{"@@region, @@@region", all, "", ""},
		{"a @@to_tsquery(@region)", all, "region", ""},
		{"@1, @'region', @", all, "", ""},
		{"SELECT $$ @region $$, @n", "PostgreSQL Literals", "n", ""},
		{"SELECT $x_1$ @region $$ $x_1$, @n", "PostgreSQL Literals", "n", ""},
		{"SELECT a$$ @region", "PostgreSQL Literals", "region", ""},
		{"SELECT $1x$ @region", "PostgreSQL Literals", "", "no value"},
		{`SELECT E'\' @region', @n`, "PostgreSQL", "n", ""},
		{`SELECT e'a'` + "\n" + `'\' @region', @n`, "PostgreSQL", "n", ""},
		{`SELECT e'a' -- b'` + "\n" + `  '\' @region', @n`, "PostgreSQL", "n", ""},
		{`SELECT type'\', @n, '@region'`, "PostgreSQL SQLite", "n", ""},
		{`SELECT '\' @region'`, "MySQL", "", ""},
		{`SELECT "\" @region", @n`, "MySQL", "n", ""},
		{"SELECT [@region], @n", "SQLite", "n", ""},
		{"SELECT a[@n]", "PostgreSQL MySQL Literals", "n", ""},
		{"SELECT `@region`, @n", "SQLite MySQL", "n", ""},
		{"SELECT `a``@region`, @n", "SQLite MySQL", "n", ""},
		{"# @region\n@n", "MySQL", "n", ""},
		{"SELECT a # @n", "PostgreSQL", "n", ""},
		{"SELECT 1 -- x\r @n", "PostgreSQL", "n", ""},
		{"SELECT 1 -- x\r @n", "SQLite MySQL", "", ""},
		// What cannot be read.
		{"SELECT 'a", all, "", "nothing closes"},
		{`SELECT "a`, all, "", "nothing closes"},
		{"SELECT [a", "SQLite", "", "nothing closes"},
		{"SELECT `a", "SQLite MySQL", "", "nothing closes"},
		{"SELECT $$a", "PostgreSQL Literals", "", "nothing closes"},
		{"SELECT $1", "PostgreSQL Literals SQLite", "", "no value"},
		{"SELECT ?", "SQLite MySQL", "", "no value"},
		{"SELECT a ? 'b'", "PostgreSQL Literals", "", ""},
		{"SELECT :region", "SQLite", "", "no value"},
		{"SELECT a::text", "PostgreSQL MySQL Literals", "", ""},
		{"SELECT #region", "SQLite", "", "no value"},
		{"/*!50000 @n */", "MySQL", "", "may run"},
		{"/*M! @n */", "MySQL", "", "may run"},
		{`SELECT 'a\b'`, "Literals", "", "backslash"},
		{`SELECT E'a\b'`, "Literals", "", "backslash"},
		{`SELECT "a\b"`, "Literals", "", "backslash"},
		{"SELECT `a`", "Literals", "", "some servers"},
		{"SELECT 1 # @n", "Literals", "", "line of its own"},
		{"SELECT 1 // @n", "Literals", "", "line of its own"},
		{"SELECT 1 #\n @n", "Literals", "n", ""},
		{"SELECT 1 -- a\rb\n", "Literals", "", "carriage return"},
		{"SELECT 1 -- a\r\n @n", "Literals", "n", ""},
	} {
		for _, name := range strings.Fields(tc.dialects) {
			t.Run(name+" "+tc.text, func(t *testing.T) {
				// With no parameter declared each name is a fault of its own.
				var names []string
				fault := ""
				for _, d := range dialects[name].Faults("/sqlQuery", tc.text, nil) {
					if d.Code == placements.CodeParameterUndeclared {
						names = append(names, strings.TrimPrefix(strings.Fields(d.Message)[0], "@"))
					} else {
						fault = d.Message
					}
				}
				if got := strings.Join(names, " "); got != tc.names {
					t.Errorf("names %q, want %q", got, tc.names)
				}
				if (fault == "") != (tc.fault == "") || !strings.Contains(fault, tc.fault) {
					t.Errorf("fault %q, want %q", fault, tc.fault)
				}
			})
		}
	}
}

func TestFaultsHavePlaces(t *testing.T) {
	of := declared()
	for _, tc := range []struct {
		fact, text string
		want       []string
	}{
		{"all is named", "SELECT @region, @n WHERE x IN (@ids)", nil},
		{"none is", "SELECT 1", []string{"/parameters/0 0:0 parameter_unused", "/parameters/1 0:0 parameter_unused", "/parameters/2 0:0 parameter_unused"}},
		{
			"one is not declared", "SELECT @region, @n\n  AS ü, @Region, x NOT IN ( @ids )",
			[]string{"/sqlQuery 2:9 parameter_undeclared"},
		},
		{"a name goes on", "SELECT @region, @n, @ids_1, @idsü WHERE x IN (@ids)", []string{"/sqlQuery 1:21 parameter_undeclared", "/sqlQuery 1:29 parameter_undeclared"}},
		{"a list does not stand alone", "SELECT @region, @n, @ids", []string{"/sqlQuery 1:21 parameter_invalid"}},
		{"a list with another", "SELECT @region WHERE x IN (@ids, @n)", []string{"/sqlQuery 1:28 parameter_invalid"}},
		{"a list behind another", "SELECT @region WHERE x IN (@n, @ids)", []string{"/sqlQuery 1:32 parameter_invalid"}},
		{"a list in a function", "SELECT @region, @n, f(@ids)", []string{"/sqlQuery 1:23 parameter_invalid"}},
		{"a quoted IN", `SELECT @region, @n, "IN"(@ids)`, []string{"/sqlQuery 1:26 parameter_invalid"}},
		{"an open quote", "SELECT @region, @n WHERE x IN (@ids) AND y = '", []string{"/sqlQuery 1:46 parameter_invalid"}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var got []string
			for _, d := range named.PostgreSQL.Faults("/sqlQuery", tc.text, of) {
				got = append(got, fmt.Sprintf("%s %d:%d %s", d.Pointer, d.Line, d.Column, d.Code))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestValuesAreBound(t *testing.T) {
	const text = "SELECT @region, -@n, @region WHERE x IN (@ids)"
	for _, tc := range []struct{ dialect, sql, values string }{
		{"PostgreSQL", "SELECT  $1 , - $2 ,  $1  WHERE x IN ( $3, $4 )", "O'Neill|-5|7|8"},
		{"SQLite", "SELECT  @region , - @n ,  @region  WHERE x IN ( @ids$1, @ids$2 )", "@region=O'Neill|@n=-5|@ids$1=7|@ids$2=8"},
		{"MySQL", "SELECT  ? , - ? ,  ?  WHERE x IN ( ?, ? )", "O'Neill|-5|O'Neill|7|8"},
		{"Literals", "SELECT  'O''Neill' , - (-5) ,  'O''Neill'  WHERE x IN ( 7, 8 )", ""},
	} {
		s, err := dialects[tc.dialect].Bind(text, arguments("O'Neill", -5, 7, 8))
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for _, v := range s.Values {
			values = append(values, strings.TrimPrefix(v.Name+"="+v.Text(), "="))
		}
		if got := strings.Join(values, "|"); s.SQL != tc.sql || got != tc.values {
			t.Errorf("%s: %s with %s, want %s with %s", tc.dialect, s.SQL, got, tc.sql, tc.values)
		}
		empty, err := dialects[tc.dialect].Bind("x IN (@ids)", arguments("", 0))
		if err != nil || empty.SQL != "x IN (NULL)" || len(empty.Values) > 0 {
			t.Errorf("%s: an empty list is %q, %v", tc.dialect, empty.SQL, err)
		}
		untouched, err := dialects[tc.dialect].Bind("SELECT @region, '", nil)
		if err != nil || untouched.SQL != "SELECT @region, '" {
			t.Errorf("%s: a text without parameters is %q, %v", tc.dialect, untouched.SQL, err)
		}
	}
}

func TestLiteralsRefuseWhatServersReadDifferently(t *testing.T) {
	for _, value := range []string{`\`, `\'; DROP TABLE x; --`, "a\x00b"} {
		_, err := named.Literals.Bind("SELECT @region", arguments(value, 0))
		f, ok := errors.AsType[*placements.Fault](err)
		if !ok || f.Class != placements.Conflict || strings.Contains(f.Message, "DROP") {
			t.Errorf("%q: %v", value, err)
		}
	}
	for v, want := range map[placements.Scalar]string{
		placements.NumberScalar(1.5): "1.5", placements.NumberScalar(-1): "(-1)", placements.BooleanScalar(true): "TRUE",
		placements.TextScalar("2026-01-31"): "'2026-01-31'", placements.TextScalar("'"): "''''", placements.TextScalar("a\n--b"): "'a\n--b'",
	} {
		if got, err := named.Literal("x", v); err != nil || got != want {
			t.Errorf("%v: %s, %v; want %s", v, got, err, want)
		}
	}
}

func TestPlacesAreThoseOfTheText(t *testing.T) {
	const text = "SELECT @region, @n,\n missing"
	s, err := named.PostgreSQL.Bind(text, arguments("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	fault := errors.New("no such column")
	for i, want := range map[int][2]int{
		strings.Index(s.SQL, "missing"): {2, 2}, strings.Index(s.SQL, "$2"): {1, 17}, strings.Index(s.SQL, "$1"): {1, 8}, 0: {1, 1}, len(s.SQL): {2, 9},
	} {
		at, ok := errors.AsType[*source.PositionError](s.AtByte(fault, i))
		if !ok || at.Line != want[0] || at.Column != want[1] {
			t.Errorf("byte %d of %q: %+v, want %v", i, s.SQL, at, want)
		}
		at, ok = errors.AsType[*source.PositionError](s.AtCharacter(fault, i+1))
		if !ok || at.Line != want[0] || at.Column != want[1] {
			t.Errorf("character %d of %q: %+v, want %v", i+1, s.SQL, at, want)
		}
	}
}

// FuzzNames: whatever a text is, a name is found twice in two texts side by side, and what is bound reads back at its place.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"SELECT @region", "E'\\' @n", "$a$ @n $a$", "/* /* @n */ @n", "[@n] `@n` \"@n\"", "IN (@ids)", "@@n @> @n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, d := range dialects {
			s, err := d.Bind(text, arguments("v", 1, 2))
			if err != nil {
				continue
			}
			if len(s.Values) == 0 && name != "Literals" && s.SQL != text {
				t.Errorf("%s: %q became %q, without a value", name, text, s.SQL)
			}
			for i := range len(s.SQL) + 1 {
				if at := s.Original(i); at < 0 || at > len(text) {
					t.Fatalf("%s: byte %d of %q is byte %d of %q", name, i, s.SQL, at, text)
				}
			}
			// A text that can be read is over at its end: what follows in a line of its own is no part of it.
			behind, err := d.Bind(text+"\n@n", arguments("v", 1, 2))
			unended := strings.Contains(text, "/*")
			if err == nil && !unended && name == "MySQL" && len(behind.Values) != len(s.Values)+1 {
				t.Errorf("%s: behind %q a name is not found", name, text)
			}
		}
	})
}

// TestTokensAreTheWholeText but for blanks and comments, whatever is wrong with it.
func TestTokensAreTheWholeText(t *testing.T) {
	for _, tc := range []struct{ dialect, text, want string }{
		{"MySQL", "SELECT 1.5into @a -- x\n, `b``c`", "SELECT|1|.|5into|@a|,|`b``c`"},
		{"MySQL", "a /* b */ c # d\ne--f", "a|c|e|-|-|f"},
		{"MySQL", "a /*! b */ c /*M!100100 d", "a|/*!|b|*|/|c|/*M!|100100|d"},
		{"MySQL", "? '\\' it', \"it", "?|'\\' it'|,|\"it"},
		{"MySQL", "a 'b\\", "a|'b\\"},
		{"PostgreSQL", "5x @@ $a$ b $a$ E'\\''", "5|x|@@|$a$ b $a$|E'\\''"},
		{"SQLite", "[a b] [c", "[a b]|[c"},
		{"Literals", "a -- b\rc", "a|-- b\rc"},
	} {
		var got []string
		for token := range dialects[tc.dialect].Tokens(tc.text) {
			got = append(got, tc.text[token.Begin:token.End])
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s: %q is %q", tc.dialect, tc.text, got)
		}
	}
}
