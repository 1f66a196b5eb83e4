package sourcetest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// Escapes are 67 texts that end a text of SQL, or are read as something else than a text, where a value gets into a statement.
func Escapes() []string {
	return []string{
		// Quotes.
		`'`, `''`, `'''`, `"`, `""`, "`", "``", `'"'`, `]`, `[x]`, "\u2019 OR 1=1", "\u02bc OR \u02bc1\u02bc=\u02bc1", "\u00bf'",
		// What goes on behind the text.
		`' OR '1'='1`, `' OR 1=1 --`, `' OR ''='`, `" OR ""="`, `'||(SELECT 1)||'`, `' UNION SELECT 1 --`, `' UNION ALL SELECT label FROM labels --`,
		`') OR ('1'='1`, `'))--`, `' AND 1=0 --`, `' LIMIT 0 --`, `' IS NULL OR '' = '`, `'='`,
		// Further statements.
		`'; DROP TABLE labels; --`, `'; DELETE FROM labels; --`, `'; INSERT INTO writable VALUES (1); --`, `'; UPDATE writable SET id = 1; --`,
		`; DROP TABLE labels`, `1; DROP TABLE labels`, `'; COMMIT; INSERT INTO writable VALUES (1); --`,
		`'; SET TRANSACTION READ WRITE; INSERT INTO writable VALUES (1); --`, `$$; DROP TABLE labels; $$`,
		// Comments.
		`--`, `-- x`, `/*`, `*/`, `'/*`, `*/ OR 1=1 /*`, `/*! OR 1=1 */`, `#`,
		// What stands for values.
		`$1`, `$2`, `?`, `@text`, `@@version`, `:text`, `{"parameter":"text"}`, `%s`, `%`, `_`,
		// Texts of other forms.
		`E'`, `$$`, `$tag$ x $tag$`, `U&'\0027'`, `x'27'`, `0x27`, `NULL`, "\U0001F600'",
		// Backslashes, and ends of lines.
		`\`, `\'`, `\'; DROP TABLE labels; --`, `\\'`, "a\nb", "a\r\n--b",
	}
}

// escapes proves that nothing a value holds is read as a part of the query.
func (s Subject) escapes(t *testing.T) {
	if s.Echo.SQL+s.Echo.JSON == "" {
		t.Skip("the source takes no parameters")
	}
	src := s.open(t, nil)
	all := slices.Concat(Escapes(), mixed(), s.Escapes, s.Writes, s.Several)
	all = slices.DeleteFunc(all, func(text string) bool { return strings.Contains(text, "\x00") }) // which no parameter admits
	for _, text := range all {
		t.Run(text, func(t *testing.T) { s.echoes(t, src, text) })
	}
	if s.Among.SQL != "" {
		all = slices.DeleteFunc(all, s.refuses)
		s.countsAmong(t, src, all, 1)
		s.countsAmong(t, src, slices.DeleteFunc(all, func(text string) bool { return text == "--" }), 0)
	}
	if s.Unchanged != nil {
		s.Unchanged(t)
	}
}

// mixed are texts made of parts of the escapes, in any order.
func mixed() (texts []string) {
	random, parts := rand.New(rand.NewPCG(6, 7)), strings.Fields(strings.Join(Escapes(), " "))
	parts = append(parts, " ", "\n", "@v", ";", ",")
	for range 60 {
		text := ""
		for range 2 + random.IntN(5) {
			text += parts[random.IntN(len(parts))]
		}
		texts = append(texts, text)
	}
	return texts
}

// refuses reports whether the source refuses a text that it cannot bind.
func (s Subject) refuses(text string) bool {
	return s.Refuses != "" && strings.ContainsAny(text, s.Refuses)
}

// echoes checks that a text comes back as it is, or is refused without being told.
func (s Subject) echoes(t *testing.T, src source.Source, text string) {
	q := withText(s.Echo, text)
	var b checksum.Builder
	_, err := src.Query(t.Context(), q, &b)
	_, prepared := src.(source.Preparer).Prepare(t.Context(), q)
	if s.refuses(text) {
		for _, err := range []error{err, prepared} {
			f, ok := errors.AsType[*placements.Fault](err)
			if !ok || f.Class != placements.Conflict || !strings.Contains(f.Message, "the value of text") || strings.Contains(f.Message, text) {
				t.Errorf("refused with %v, want a conflict that says of which parameter", err)
			}
		}
		return
	}
	if err != nil || prepared != nil {
		t.Fatalf("query: %v, prepared: %v", err, prepared)
	}
	var want checksum.Builder // in which line ends are LF
	want.Append(checksum.Str(text))
	grid := b.Grid()
	if diff := cmp.Diff(want.Grid().Cells(0, nil), grid.Cells(1, nil)); diff != "" || grid.Rows() != 2 {
		t.Errorf("%d rows, cells (-want +got):\n%s", grid.Rows(), diff)
	}
}

// countsAmong checks how often the text -- is among those of a list.
func (s Subject) countsAmong(t *testing.T, src source.Source, texts []string, want float64) {
	t.Helper()
	list := make([]placements.Scalar, len(texts))
	for i, text := range texts {
		list[i] = placements.TextScalar(text)
	}
	q := s.Among
	q.Parameters = Arguments(placements.Parameter{Name: "texts", Type: placements.ParameterText, List: true}, placements.ListValue(list...))
	_, grid := Table(t, src, q)
	if diff := cmp.Diff([]checksum.Cell{checksum.Num(want)}, grid.Cells(1, nil)); diff != "" {
		t.Errorf("among %d texts (-want +got):\n%s", len(texts), diff)
	}
}
