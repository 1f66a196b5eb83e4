package sourcetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// BoundCase is a query with parameters whose one row must come out as these cells.
type BoundCase struct {
	Name  string
	Query source.Query
	Want  []checksum.Cell
}

// Escapes are texts that end a text of SQL, or are read as something else than a text, where a value gets into the statement.
func Escapes() []string {
	return []string{
		`'`, `''`, `'; DROP TABLE labels; --`, `' OR '1'='1`, `" OR ""="`, "`", `$1`, `?`, `@text`, `:text`, `$$`, `E'`, `--`, `/*`, `*/`, `%`, `_`,
		"a\nb", "a\r\n--b", "\u2019 OR 1=1", "\U0001F600", `{"a":1}`, `NULL`, `0x27`, `[x]`,
	}
}

// parameters proves that values are bound and never part of the text.
func (s Subject) parameters(t *testing.T) {
	src := s.open(t, nil)
	for _, c := range s.Bound {
		t.Run(c.Name, func(t *testing.T) {
			if wrong := source.ParameterFaults(src, c.Query, of(c.Query.Parameters)); len(wrong) > 0 {
				t.Fatalf("faults %v", wrong)
			}
			_, grid := Table(t, src, c.Query)
			if diff := cmp.Diff(c.Want, grid.Cells(1, nil)); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			if _, err := src.(source.Preparer).Prepare(t.Context(), c.Query); err != nil {
				t.Errorf("prepared: %v", err)
			}
		})
	}
	if s.Echo.SQL == "" {
		return
	}
	for _, escape := range append(Escapes(), s.Escapes...) {
		t.Run("the text "+escape, func(t *testing.T) {
			q := s.Echo
			q.Parameters = Arguments(placements.Parameter{Name: "text", Type: placements.ParameterText}, placements.OneValue(placements.TextScalar(escape)))
			var b checksum.Builder
			_, err := src.Query(t.Context(), q, &b)
			if f, ok := errors.AsType[*placements.Fault](err); ok && f.Class == placements.Conflict && !strings.Contains(f.Message, escape) {
				return // refused, and not told
			}
			if err != nil {
				t.Fatal(err)
			}
			var want checksum.Builder // in which line ends are LF
			want.Append(checksum.Str(escape))
			if diff := cmp.Diff(want.Grid().Cells(0, nil), b.Grid().Cells(1, nil)); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
		})
	}
	if s.Unchanged != nil {
		s.Unchanged(t)
	}
}

// Arguments are values of parameters: a parameter, its value, and so on.
func Arguments(list ...any) (all placements.Arguments) {
	for i := 0; i+1 < len(list); i += 2 {
		p, v := list[i].(placements.Parameter), list[i+1].(placements.ParameterValue)
		all = append(all, placements.Argument{Parameter: &p, Value: v})
	}
	return all
}

func of(with placements.Arguments) (list []placements.Parameter) {
	for _, a := range with {
		list = append(list, *a.Parameter)
	}
	return list
}
