package config

import (
	"slices"
	"strings"
	"time"

	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/watch"
)

// FreshnessEntry is how a source is asked whether its data has changed, and which schedules run then; see watch.Freshness.
type FreshnessEntry struct {
	Query     string        `yaml:"query"`
	Listen    string        `yaml:"listen"`
	Every     time.Duration `yaml:"every"`
	Debounce  time.Duration `yaml:"debounce"`
	Schedules []string      `yaml:"schedules"` // by their keys; nil: every one of the deployment that is not paused
}

// The shortest times of a probe.
const (
	leastEvery    = 100 * time.Millisecond
	leastDebounce = time.Millisecond
)

// Probe returns f as the agent takes it.
func (f FreshnessEntry) Probe() watch.Freshness {
	return watch.Freshness{
		Probe:     source.Probe{Query: f.Query, Listen: f.Listen},
		Timing:    probe.Timing{Every: f.Every, Debounce: f.Debounce},
		Schedules: f.Schedules,
	}
}

// checkFreshness checks what does not depend on the kind of source. The list stands at a path.
func (f *file) checkFreshness(list []FreshnessEntry, path ...any) {
	for i, p := range list {
		at := func(key string) []any { return append(slices.Clone(path), i, key) }
		if p.Every != 0 && p.Every < leastEvery {
			f.fault(f.place(at("every")...), "every: expected at least %s", leastEvery)
		}
		if p.Debounce != 0 && p.Debounce < leastDebounce {
			f.fault(f.place(at("debounce")...), "debounce: expected at least %s", leastDebounce)
		}
		if p.Every != 0 && !p.Probe().Asked() {
			f.fault(f.place(at("every")...), "every: only announcements count without a query: leave it out, or add a query")
		}
		for n, key := range p.Schedules {
			if strings.TrimSpace(key) == "" || slices.Contains(p.Schedules[:n], key) {
				f.fault(f.place(append(at("schedules"), n)...), "schedules: expected the key of a schedule, each once")
			}
		}
		if slices.ContainsFunc(list[:i], p.same) {
			f.fault(f.place(at("")[:len(path)+1]...), "freshness: the same probe is there twice")
		}
	}
}

// same reports whether two probes ask the same for the same schedules.
func (f FreshnessEntry) same(other FreshnessEntry) bool {
	return f.Query == other.Query && f.Listen == other.Listen && slices.Equal(f.Schedules, other.Schedules)
}
