package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

func TestPostgresConfigFromYAML(t *testing.T) {
	var got postgres.Config
	if err := yaml.UnmarshalWithOptions([]byte("{url: 'postgres://u:p@h/d', statementTimeout: 60s, rowSecurity: true, maxConnections: 8}"), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := postgres.Config{
		URL: "postgres://u:p@h/d", RowSecurity: true, Limits: source.Limits{StatementTimeout: time.Minute, MaxConnections: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestPostgresConfigNamesTheKeyAtFault(t *testing.T) {
	sourcetest.ConfigFaults(t, "hunter2", []sourcetest.ConfigFault{
		{Name: "no URL", Config: &postgres.Config{}, Want: "url: missing; kind postgres needs it"},
		{Name: "a bad URL", Config: &postgres.Config{URL: "postgres://u:hunter2@h:port/d"}, Want: "url: is no address"},
		{
			Name: "row security on the bare wire", Config: &postgres.Config{URL: "postgres://h/d", WireOnly: true, RowSecurity: true},
			Want: "rowSecurity: ",
		},
		{
			Name: "a negative limit", Config: &postgres.Config{URL: "postgres://h/d", Limits: source.Limits{MaxConnections: -1}},
			Want: "maxConnections: must not be negative",
		},
	})
}

func TestPostgresTakesOneKindOfQueryOnly(t *testing.T) {
	_, err := sourcetest.Open(t, &postgres.Config{URL: "postgres://127.0.0.1:1/none"}).Query(t.Context(), source.Query{JSON: "{}"}, new(checksum.Builder))
	if err == nil || !strings.Contains(err.Error(), "jsonQuery") {
		t.Errorf("got %v, want a fault about the jsonQuery", err)
	}
}
