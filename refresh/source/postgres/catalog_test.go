//go:build unix

package postgres_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

// testPostgresCatalog takes the information_schema away, which a server that only speaks the protocol may lack.
func testPostgresCatalog(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	server.Exec(t, "DROP SCHEMA information_schema CASCADE")
	config.WireOnly = true
	list, err := sourcetest.Open(t, &config).(source.Catalog).Catalog(t.Context(), source.User{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]source.DatasetKind{
		"labels": source.KindTable, "secrets": source.KindTable, // the catalogs do not hide what may not be read
		"Sales team.totals": source.KindView,
	}
	got := map[string]source.DatasetKind{}
	for _, d := range list {
		if want[d.Name] != "" {
			got[d.Name] = d.Kind
		}
		if d.Name == "labels" {
			fields := []source.Field{
				{Name: "id", Insert: "id", Type: source.TypeNumber}, {Name: "label", Insert: "label", Type: source.TypeText},
			}
			if diff := cmp.Diff(fields, d.Columns); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
}

// A server that has neither of the lists says nothing of itself.
func TestPostgresWithoutCatalogs(t *testing.T) {
	src := sourcetest.Open(t, startWireServer(t).config(true))
	if list, err := src.(source.Catalog).Catalog(t.Context(), source.User{}); !errors.Is(err, source.ErrUnlisted) {
		t.Errorf("%v, %v, want ErrUnlisted", list, err)
	}
	sourcetest.Table(t, src, source.Query{SQL: "SELECT anything"})
}
