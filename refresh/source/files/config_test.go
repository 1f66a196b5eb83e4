package files_test

import (
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"mooring/refresh/source"
	"mooring/refresh/source/files"
	"mooring/refresh/source/sourcetest"
)

func TestFilesConfigFromYAML(t *testing.T) {
	var got files.Config
	if err := yaml.UnmarshalWithOptions([]byte("{dir: data, statementTimeout: 60s, maxConnections: 8}"), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	want := files.Config{Dir: "data", Limits: source.Limits{StatementTimeout: time.Minute, MaxConnections: 8}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestFilesConfigNamesTheKeyAtFault(t *testing.T) {
	sourcetest.ConfigFaults(t, "hunter2", []sourcetest.ConfigFault{
		{Name: "no folder", Config: &files.Config{}, Want: "dir: missing; kind files needs it"},
		{Name: "a negative timeout", Config: &files.Config{Dir: "x", Limits: source.Limits{StatementTimeout: -1}}, Want: "statementTimeout: must not be negative"},
	})
}
