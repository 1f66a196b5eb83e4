package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain has goroutines run one at a time until they wait, and memory be collected only where a world says so: else two worlds of a seed
// would not be alike. What else of the Go runtime is left to chance, scripts/simulate replaces.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	os.Exit(m.Run())
}

// regressions are seeds that have found a fault of the engine, or of the simulation itself.
var regressions = []uint64{5, 9, 16, 20, 83, 134, 226, 239, 412, 418, 629, 979, 1481, 1864, 4378}

// TestSimulation runs worlds of scripts/simulate, each twice. MOORING_SEEDS is how many, with
// MOORING_FIRST as the first one; MOORING_SEED is one alone, whose trace is written to the folder MOORING_TRACE. MOORING_PART=i/n takes every
// n-th seed, from the i-th on, and MOORING_COUNTS is a folder for what TestSometimes reads.
func TestSimulation(t *testing.T) {
	seeds, length := theSeeds(t), 10*time.Hour
	if len(seeds) == 0 {
		t.Skip("simulates days: scripts/simulate")
	}
	length = time.Duration(setting(t, "MOORING_HOURS", int(length/time.Hour))) * time.Hour
	seen, clean := map[string]int{}, 0
	for _, seed := range seeds {
		s := settings{seed: seed, length: length, without: swarm(seed), keep: os.Getenv("MOORING_TRACE") != ""}
		for name := range strings.SplitSeq(os.Getenv("MOORING_WITHOUT"), ",") {
			s.without[name] = true
		}
		if r := runTwice(t, s); len(r.faults) == 0 {
			clean++
			for what, n := range r.seen {
				seen[what] += n
			}
		}
	}
	t.Logf("%d of %d seeds are clean", clean, len(seeds))
	if folder := os.Getenv("MOORING_COUNTS"); folder != "" {
		text, err := json.Marshal(counts{len(seeds), seen})
		must(t, err)
		part, _, _ := strings.Cut(os.Getenv("MOORING_PART"), "/")
		must(t, os.WriteFile(filepath.Join(folder, "counts-"+part), text, 0o600))
	}
}

// theSeeds are those that the environment asks for.
func theSeeds(t *testing.T) (list []uint64) {
	if seed := setting(t, "MOORING_SEED", 0); seed != 0 {
		return []uint64{uint64(seed)}
	}
	count, first := setting(t, "MOORING_SEEDS", 0), setting(t, "MOORING_FIRST", 1)
	if count == 0 {
		return nil
	}
	if os.Getenv("MOORING_FIRST") == "" {
		list = slices.Clone(regressions)
	}
	for i := range count {
		if seed := uint64(first + i); !slices.Contains(list, seed) {
			list = append(list, seed)
		}
	}
	part, of, found := strings.Cut(os.Getenv("MOORING_PART"), "/")
	if !found {
		return list
	}
	i, _ := strconv.Atoi(part)
	n, err := strconv.Atoi(of)
	must(t, err)
	var mine []uint64
	for ; i < len(list); i += n {
		mine = append(mine, list[i])
	}
	return mine
}

// runTwice runs a world and another one of the same settings, which must have the same trace. What fails is made smaller.
func runTwice(t *testing.T, s settings) (r result) {
	t.Run(fmt.Sprint("seed ", s.seed), func(t *testing.T) {
		began := time.Now()
		r = simulate(t, s)
		again := simulate(t, s)
		if r.hash != again.hash {
			r.faults = append(r.faults, "two traces: "+parting(r, again))
		}
		t.Logf("seed %d: trace %s of %d steps, %s", s.seed, r.hash, r.events, time.Since(began).Round(time.Millisecond))
		if folder := os.Getenv("MOORING_TRACE"); folder != "" {
			must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint("trace-", s.seed)), []byte(strings.Join(r.lines, "\n")), 0o600))
			must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint("trace-", s.seed, "-again")), []byte(strings.Join(again.lines, "\n")), 0o600))
		}
		if len(r.faults) == 0 {
			return
		}
		for _, f := range r.faults {
			t.Errorf("seed %d: %s", s.seed, f)
		}
		if os.Getenv("MOORING_SHRINK") != "" {
			t.Logf("seed %d fails with less, too: %s", s.seed, shrink(t, s))
		}
	})
	return r
}

// shrink finds settings with fewer faults, and in less time, under which a world still fails.
func shrink(t *testing.T, s settings) string {
	fails := func(s settings) bool { return len(simulate(t, s).faults) > 0 }
	for s.length > time.Hour {
		shorter := s
		if shorter.length = s.length / 2; !fails(shorter) {
			break
		}
		s = shorter
	}
	for _, k := range kinds {
		if s.without[k.name] {
			continue
		}
		fewer := s
		fewer.without = maps.Clone(s.without)
		fewer.without[k.name] = true
		if fails(fewer) {
			s = fewer
		}
	}
	var without []string
	for _, name := range slices.Sorted(maps.Keys(s.without)) {
		if s.without[name] {
			without = append(without, name)
		}
	}
	return fmt.Sprintf("MOORING_SEED=%d MOORING_HOURS=%d MOORING_WITHOUT=%q", s.seed, cmp.Or(int(s.length/time.Hour), 1), strings.Join(without, ","))
}

// setting returns the value of an environment variable, or otherwise where it is not set.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// parting is where two traces part.
func parting(a, b result) string {
	logged := func(line string) bool { return strings.Contains(line, " log level=") }
	a.lines, b.lines = slices.DeleteFunc(slices.Clone(a.lines), logged), slices.DeleteFunc(slices.Clone(b.lines), logged)
	for i := range min(len(a.lines), len(b.lines)) {
		if a.lines[i] != b.lines[i] {
			from := max(0, i-8)
			return fmt.Sprintf("after %d lines:\n%q\n%q", i, a.lines[from:i+1], b.lines[from:i+1])
		}
	}
	return fmt.Sprintf("%s after %d steps, %s after %d", a.hash, a.events, b.hash, b.events)
}

// counts are how often things happened in the worlds of some seeds.
type counts struct {
	Seeds int
	Seen  map[string]int
}

// TestSometimes checks that everything that may happen did in the worlds of a sweep, whose counts are in the folder MOORING_COUNTS: else the
// simulation does not try what it seems to.
func TestSometimes(t *testing.T) {
	folder := os.Getenv("MOORING_COUNTS")
	if folder == "" {
		t.Skip("reads what a sweep has counted: see scripts/simulate")
	}
	files, err := filepath.Glob(filepath.Join(folder, "counts-*"))
	must(t, err)
	all := counts{Seen: map[string]int{}}
	for _, name := range files {
		text, err := os.ReadFile(name)
		must(t, err)
		var c counts
		must(t, json.Unmarshal(text, &c))
		all.Seeds += c.Seeds
		for what, n := range c.Seen {
			all.Seen[what] += n
		}
	}
	for _, what := range slices.Sorted(maps.Keys(all.Seen)) {
		t.Logf("%9d %s", all.Seen[what], what)
	}
	for _, what := range sometimes() {
		if all.Seen[what] == 0 {
			t.Errorf("never in %d seeds: %s", all.Seeds, what)
		}
	}
}

// sometimes lists what must happen at times.
func sometimes() []string {
	list := []string{
		"settled", "audit: placement", "run: SUCCEEDED", "run: FAILED", "run: SKIPPED", "run: STOPPED", "run: SUPERSEDED",
		"document: missing", "document: locked", "document: quota", "source: down", "source: columns changed",
		"write: made, answer lost", "write: not made, answer lost", "write: changed meanwhile",
		"network: question lost", "network: answer lost", "network: answer late", "network: last writes lost",
		"answer: OK", "answer: Accepted", "answer: Conflict", "answer: Service Unavailable",
		"tick: caught up", "edits: kept", "edits: overwritten", "rows: came back",
	}
	for _, k := range kinds {
		list = append(list, "event: "+k.name)
	}
	for _, step := range steps {
		list = append(list, "crash: before "+step, "crash: after "+step, "pause: before "+step, "pause: after "+step)
	}
	return list
}
