package sourcetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/source"
)

// catalog proves that a source lists what queries may name, in the form in which they name it.
func (s Subject) catalog(t *testing.T) {
	src := s.open(t, func(l *source.Limits) { l.MaxRows, l.MaxCells, l.MaxBytes = 1, 2, 512 }) // of results, not of this
	c, ok := src.(source.Catalog)
	if !ok {
		t.Fatalf("%T is no Catalog", src)
	}
	t.Run("what the login may read is listed", func(t *testing.T) {
		list, err := c.Catalog(t.Context(), source.User{Tenant: "acme", ID: 7})
		if s.Listed == nil {
			if !errors.Is(err, source.ErrUnlisted) {
				t.Errorf("%d datasets, %v, want ErrUnlisted", len(list), err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Listed, list); diff != "" {
			t.Errorf("datasets (-want +got):\n%s", diff)
		}
	})
	t.Run("a query names all of a table as it is listed", s.catalogInserts)
	t.Run("a client that never was there", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Catalog(ctx, source.User{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	for name, u := range s.Unreachable {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t, u.Config).(source.Catalog).Catalog(t.Context(), source.User{})
			s.wantFault(t, err, u.Class)
		})
	}
}

func (s Subject) catalogInserts(t *testing.T) {
	src := s.open(t, nil)
	for _, d := range s.Listed {
		if d.Columns == nil {
			continue // SQL does not name members
		}
		var names, inserts []string
		for _, c := range d.Columns {
			names, inserts = append(names, c.Name), append(inserts, c.Insert)
		}
		columns, _ := Table(t, src, source.Query{SQL: "SELECT " + strings.Join(inserts, ", ") + " FROM " + d.Insert})
		var got []string
		for _, c := range columns {
			got = append(got, c.Name)
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s: columns (-want +got):\n%s", d.Name, diff)
		}
	}
}
