package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

func TestSQLiteConfigFromYAML(t *testing.T) {
	var got sqlite.Config
	if err := yaml.UnmarshalWithOptions([]byte("{path: shop.db, statementTimeout: 60s, maxConnections: 8}"), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := sqlite.Config{Path: "shop.db", Limits: source.Limits{StatementTimeout: time.Minute, MaxConnections: 8}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestSQLiteConfigNamesTheKeyAtFault(t *testing.T) {
	sourcetest.ConfigFaults(t, "hunter2", []sourcetest.ConfigFault{
		{Name: "no file", Config: &sqlite.Config{}, Want: "path: missing; kind sqlite needs it"},
		{
			Name: "a negative timeout", Config: &sqlite.Config{Path: "x", Limits: source.Limits{StatementTimeout: -1}},
			Want: "statementTimeout: must not be negative",
		},
		{
			Name: "two faults at once", Config: &sqlite.Config{Limits: source.Limits{MaxRows: -1}},
			Want: "path: missing; kind sqlite needs it\nmaxRows: must not",
		},
	})
}

func TestSQLiteTakesOneKindOfQueryOnly(t *testing.T) {
	_, err := sourcetest.Open(t, &sqlite.Config{Path: "none.db"}).Query(t.Context(), source.Query{JSON: "{}"}, new(checksum.Builder))
	if err == nil || !strings.Contains(err.Error(), "jsonQuery") {
		t.Errorf("got %v, want a fault about the jsonQuery", err)
	}
}
