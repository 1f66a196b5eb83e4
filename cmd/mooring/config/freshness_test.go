package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/watch"
)

func TestFreshness(t *testing.T) {
	base := "signing: {keys: [{id: main, algorithm: HS256, secret: " + strings.Repeat("s", 32) + "}]}\n" +
		"tenants: {acme: {deployments: {1: {source: {kind: sqlite, path: a.db,\nfreshness:\n"
	for _, row := range []struct{ fact, list, want string }{
		{"a probe may say nothing", "[{}]", ""},
		{"a query for some schedules", "[{query: SELECT 1, every: 1m, debounce: 5s, schedules: [a, b]}]", ""},
		{"the same for others", "[{query: SELECT 1, schedules: [a]}, {query: SELECT 1, schedules: [b]}]", ""},
		{"a key that is not known", "[{qery: SELECT 1}]", `4:3: unknown key "qery": write query if you mean that`},
		{"no list", "{}", "4:1: expected a list"},
		{"looks too often", "[{every: 10ms}]", "4:10: every: expected at least 100ms"},
		{"a debounce that is none", "[{debounce: -1s}]", "4:13: debounce: expected at least 1ms"},
		{"looks at nothing", "[{listen: orders, every: 1s}]", "4:26: every: only announcements count without a query"},
		{"an empty key", "[{schedules: [a, '']}]", "4:18: schedules: expected the key of a schedule"},
		{"a key twice", "[{schedules: [a, a]}]", "4:18: schedules: expected the key of a schedule, each once"},
		{"a probe twice", "[{query: SELECT 1}, {query: SELECT 1, every: 1m}]", "4:21: freshness: the same probe is there twice"},
	} {
		_, err := Parse("m.yaml", []byte(base+row.list+"}}}}}\n"), environment(), drivers())
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), "m.yaml:"+row.want)) {
			t.Errorf("%s: got %v, want %q", row.fact, err, row.want)
		}
	}
}

func TestFreshnessAsTheAgentTakesIt(t *testing.T) {
	got := FreshnessEntry{Query: "q", Listen: "l", Every: 1, Debounce: 2, Schedules: []string{"k"}}.Probe()
	want := watch.Freshness{
		Probe: source.Probe{Query: "q", Listen: "l"}, Timing: probe.Timing{Every: time.Nanosecond, Debounce: 2}, Schedules: []string{"k"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
