package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/refresh/host/rest"
	"mooring/refresh/source"
)

// What the README shows to be copied is accepted.
func TestConfigOfREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the README shows no configuration")
	}
	env := environment("MOORING_SECRET", testSecret, "PG_URL", "postgres://db/shop", "HOOK_SECRET", testSecret)
	if _, err := config.Parse("mooring.yaml", []byte(example), env, process.Drivers()); err != nil {
		t.Error(err)
	}
}

// Sources and hosts are opened by the commands that use them; what is wrong with them has its place, too.
func TestOpenFleetFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := minimal + `
`
	text = strings.Replace(text, "{1: {}}",
		"{1: {source: {kind: oracle}}, 2: {source: {kind: sqlite}}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: gone}}", 1)
	cfg, err := config.Parse(filepath.Join(dir, "m.yaml"), []byte(text), environment(), process.Drivers())
	if err != nil {
		t.Fatal(err)
	}
	_, err = process.OpenFleet(t.Context(), cfg, &rest.Buckets{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`source: kind: "oracle" is unknown`, "source: path: missing", "spreadsheets SHEETS_B: "} {
		if !strings.Contains(err.Error(), "m.yaml:3:") || !strings.Contains(err.Error(), want) {
			t.Errorf("error\n%v\nwant line 3 and %q", err, want)
		}
	}
}

// What a kind of source cannot do as a probe is told with its place.
func TestProbesThatASourceCannotDo(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "{1: {}}", `{
  1: {source: {kind: sqlite, path: shop.db, freshness: [{},
    {listen: orders}]}},
  2: {source: {kind: postgres, url: "postgres://db/shop", freshness: [
    {debounce: 1s}, {query: SELECT 1, listen: orders}]}}}`, 1)
	cfg, err := config.Parse("m.yaml", []byte(text), environment(), process.Drivers())
	if err != nil {
		t.Fatal(err)
	}
	fl, err := process.OpenFleet(t.Context(), cfg, &rest.Buckets{})
	if err == nil {
		t.Fatalf("opened %v", fl.Tenants)
	}
	line := 1 + strings.Count(text[:strings.Index(text, "{listen")], "\n")
	for _, want := range []string{
		fmt.Sprintf("m.yaml:%d:5: freshness: listen: an SQLite file announces nothing", line),
		fmt.Sprintf("m.yaml:%d:5: freshness: query: missing; kind postgres needs a query", line+2),
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error\n%v\nwant %q", err, want)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 1 {
		t.Errorf("%d faults, want 2:\n%v", n+1, err)
	}
}

// The probes that the page on sources shows are those of a source.
func TestProbesOfREADME(t *testing.T) {
	t.Parallel()
	_, block, _ := strings.Cut(source.Readme(), "## When the data changes")
	_, block, ok := strings.Cut(block, "```yaml\nsource:\n")
	block, _, _ = strings.Cut(block, "```")
	if !ok {
		t.Fatal("the page shows no probe")
	}
	text := strings.Replace(minimal, "tenants: {acme: {deployments: {1: {}}}}",
		"tenants:\n  acme:\n    deployments:\n      1:\n        source:\n"+strings.ReplaceAll("\n"+block, "\n", "\n        "), 1)
	cfg, err := config.Parse("m.yaml", []byte(text), environment("PG_URL", "postgres://db/shop"), process.Drivers())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	fl, err := process.OpenFleet(t.Context(), cfg, &rest.Buckets{})
	if err != nil {
		t.Fatal(err)
	}
	defer fl.Close()
	if n := len(fl.Tenants["acme"].Deployments[1].Freshness); n != 2 {
		t.Errorf("%d probes, want 2", n)
	}
}
