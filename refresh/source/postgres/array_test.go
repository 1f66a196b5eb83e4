package postgres

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"mooring/checksum"
)

func arrayText(element uint32, literal string) string {
	var b checksum.Builder
	arrayCell(element)(&b, []byte(literal))
	b.EndRow()
	cells := b.Grid().Cells(0, nil)
	if len(cells) == 0 {
		return ""
	}
	return cells[0].Text
}

func TestArrayCell(t *testing.T) {
	for _, c := range []struct {
		name    string
		element uint32
		literal string
		want    string
	}{
		{"numbers", pgtype.Int4OID, "{1,-2,NULL}", "[1,-2,null]"},
		{"numbers that JSON has none of", pgtype.Float8OID, "{NaN,Infinity,1e+20}", `["NaN","Infinity",1e+20]`},
		{"truth values", pgtype.BoolOID, "{t,f,NULL}", "[true,false,null]"},
		{"text", pgtype.TextOID, `{a,"b c","NULL",NULL,""}`, `["a","b c","NULL",null,""]`},
		{"text of digits", pgtype.TextOID, "{1,t}", `["1","t"]`},
		{"quotes and backslashes", pgtype.TextOID, `{"a\"b","c\\d"}`, `["a\"b","c\\d"]`},
		{"braces and commas within quotes", pgtype.TextOID, `{"{a,b}"}`, `["{a,b}"]`},
		{"empty", pgtype.TextOID, "{}", "[]"},
		{"nested", pgtype.Int4OID, "{{1,2},{3,4}}", "[[1,2],[3,4]]"},
		{"bounds of its own", pgtype.Int4OID, "[2:3][0:1]={{1,2},{3,4}}", "[[1,2],[3,4]]"},
		{"what is no array stays text", pgtype.TextOID, "{a", "{a"},
		{"text after the end", pgtype.TextOID, "{a}b", "{a}b"},
		{"a comma missing", pgtype.TextOID, `{"a""b"}`, `{"a""b"}`},
		{"a quote missing", pgtype.TextOID, `{"a`, `{"a`},
		{"a backslash at the end", pgtype.TextOID, `{"a\`, `{"a\`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := arrayText(c.element, c.literal); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func FuzzAppendArray(f *testing.F) {
	for _, seed := range []string{"{}", "{1,2}", `{"a\"b",NULL}`, "{{1},{2}}", "{", `{"`, "{,}", "{1,}"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, literal string, bare bool) {
		got, rest, ok := appendArray(nil, literal, bare)
		if ok && !json.Valid(got) {
			t.Errorf("%q gives %s, which is no JSON, and leaves %q", literal, got, rest)
		}
	})
}
