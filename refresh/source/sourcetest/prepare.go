package sourcetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/source"
)

// prepare proves that a query can be checked without running it.
func (s Subject) prepare(t *testing.T) {
	src := s.open(t, nil)
	p, ok := src.(source.Preparer)
	if !ok {
		t.Fatalf("%T is no Preparer", src)
	}
	t.Run("columns are those of the result", func(t *testing.T) { s.preparedColumns(t, src) })
	t.Run("a query that does not end is not run", func(t *testing.T) {
		for _, q := range []source.Query{s.Endless, s.Unending} {
			if q.SQL+q.JSON == "" {
				continue // this kind of source has no such query
			}
			if _, err := p.Prepare(t.Context(), q); err != nil {
				t.Errorf("%s%s: %v", q.SQL, q.JSON, err)
			}
		}
	})
	t.Run("nothing of a query is run", func(t *testing.T) {
		if _, err := p.Prepare(t.Context(), s.Raises); err != nil {
			t.Errorf("%s%s: %v", s.Raises.SQL, s.Raises.JSON, err)
		}
	})
	t.Run("a fault has its place in the text", func(t *testing.T) { s.preparedFault(t, p) })
	t.Run("no query", func(t *testing.T) {
		_, err := p.Prepare(t.Context(), source.Query{})
		s.wantFault(t, err, placements.Structure)
	})
	t.Run("statements that write, and several", func(t *testing.T) { s.preparedStatements(t, p) })
	t.Run("a client that never was there", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Prepare(ctx, s.Rows(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	for name, u := range s.Unreachable {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t, u.Config).(source.Preparer).Prepare(t.Context(), s.Rows(1))
			s.wantFault(t, err, u.Class)
		})
	}
	Table(t, src, s.Rows(1))
}

func (s Subject) preparedColumns(t *testing.T, src source.Source) {
	for _, q := range []source.Query{s.Header, s.Rows(3)} {
		got, err := src.(source.Preparer).Prepare(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if s.ColumnsUnknown && got == nil {
			continue
		}
		described, err := src.(source.Describer).Describe(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range described {
			if i >= len(got) || d.Name != got[i] || d.Type == "" {
				t.Errorf("%s%s: column %d is described as %+v", q.SQL, q.JSON, i+1, d)
			}
		}
		columns, _ := Table(t, src, q)
		if diff := cmp.Diff(names(columns), got); diff != "" {
			t.Errorf("%s%s: columns (-want +got):\n%s", q.SQL, q.JSON, diff)
		}
	}
}

// preparedFault looks for the fault of s.Broken behind lines and characters that must be counted.
func (s Subject) preparedFault(t *testing.T, p source.Preparer) {
	const lines, before = 2, "  /* ü€😀 */ "
	q := s.Broken
	switch {
	case q.JSON != "":
		q.JSON = "\n  " + q.JSON
	case s.BrokenAt != "":
		q.SQL = "-- für €\n" + before + q.SQL
	}
	_, err := p.Prepare(t.Context(), q)
	s.wantFault(t, err, placements.Structure)
	if !strings.Contains(err.Error(), "missing_column") {
		t.Errorf("message %q does not name the column", err)
	}
	at, known := errors.AsType[*source.PositionError](err)
	if known != (s.BrokenAt != "") {
		t.Fatalf("%v has a place: %v", err, known)
	}
	if !known {
		return
	}
	text := q.SQL + q.JSON
	line := text[strings.LastIndex(text, "\n")+1:]
	column := 1 + len([]rune(line[:strings.Index(line, s.BrokenAt)]))
	if at.Line != lines || at.Column != column {
		t.Errorf("line %d, column %d, want %d, %d", at.Line, at.Column, lines, column)
	}
}

// preparedStatements proves that no statement has an effect, and that a text of several is refused.
func (s Subject) preparedStatements(t *testing.T, p source.Preparer) {
	for _, sql := range s.Writes {
		if _, err := p.Prepare(t.Context(), source.Query{SQL: sql}); err != nil {
			s.wantFault(t, err, placements.Structure)
		}
	}
	for _, sql := range s.Several {
		_, err := p.Prepare(t.Context(), source.Query{SQL: sql})
		s.wantFault(t, err, placements.Structure)
	}
	if s.Unchanged != nil {
		s.Unchanged(t)
	}
}

func names(columns []source.Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}
