package cube_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/sourcetest"
)

func TestCubeConfigFromYAML(t *testing.T) {
	var got cube.Config
	if err := yaml.UnmarshalWithOptions([]byte("{url: 'https://h/cubejs-api', token: t, rowLimit: 10, maxRows: 5, maxCells: 7, maxBytes: 64MiB}"), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := cube.Config{
		URL: "https://h/cubejs-api", Token: "t", RowLimit: 10, Limits: source.Limits{MaxRows: 5, MaxCells: 7, MaxBytes: 64 << 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestCubeConfigNamesTheKeyAtFault(t *testing.T) {
	sourcetest.ConfigFaults(t, "hunter2", []sourcetest.ConfigFault{
		{Name: "no URL", Config: &cube.Config{}, Want: "url: missing; kind cube needs it"},
		{Name: "a path for a URL", Config: &cube.Config{URL: "cubejs-api"}, Want: "url: is no base"},
		{Name: "another scheme", Config: &cube.Config{URL: "postgres://u:hunter2@h"}, Want: "url: is no base"},
		{Name: "a password in its URL", Config: &cube.Config{URL: "https://u:hunter2@h/cubejs-api"}, Want: "url: is no base"},
		{Name: "a negative row limit", Config: &cube.Config{URL: "https://h", RowLimit: -1}, Want: "rowLimit: must not be negative"},
		{
			Name: "a negative number of bytes", Config: &cube.Config{URL: "https://h", Limits: source.Limits{MaxBytes: -1}},
			Want: "maxBytes: must not be negative",
		},
	})
}

func TestCubeTakesOneKindOfQueryOnly(t *testing.T) {
	_, err := sourcetest.Open(t, newFakeCube(t, nil).config()).Query(t.Context(), source.Query{JSON: "{}", SQL: "SELECT 1"}, new(checksum.Builder))
	if err == nil || !strings.Contains(err.Error(), "jsonQuery") {
		t.Errorf("got %v, want a fault about the jsonQuery", err)
	}
}
