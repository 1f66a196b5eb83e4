package simulation

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// quiet are the settings of the runtime with which no goroutine is interrupted.
const quiet = "asyncpreemptoff=1"

// TestMain has goroutines run one at a time until they wait, and memory be collected only where a world says so: else two worlds of a seed
// would not be alike.
func TestMain(m *testing.M) {
	if os.Getenv("GODEBUG") != quiet {
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec(self, os.Args, append(os.Environ(), "GODEBUG="+quiet))
		}
		panic(err)
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	os.Exit(m.Run())
}

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

// TestSimulation runs worlds, each twice. MOORING_SIMULATION is how many seeds; MOORING_SIMULATION_FIRST the first one.
func TestSimulation(t *testing.T) {
	count, first := setting(t, "MOORING_SIMULATION", 2), setting(t, "MOORING_SIMULATION_FIRST", 1)
	for seed := first; seed < first+count; seed++ {
		s := settings{seed: uint64(seed), length: 10 * time.Hour, without: swarm(uint64(seed)), keep: os.Getenv("MOORING_SIMULATION_TRACE") != ""}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			a := simulate(t, s)
			b := simulate(t, s)
			if a.hash != b.hash {
				t.Errorf("seed %d has two traces: %s", seed, parting(a, b))
			}
			for _, f := range a.faults {
				t.Errorf("seed %d: %s", seed, f)
			}
			t.Logf("seed %d: %s, %d steps", seed, a.hash, a.events)
			if s.keep {
				must(t, os.WriteFile(fmt.Sprintf("/tmp/sim-%d.a", seed), []byte(strings.Join(a.lines, "\n")), 0o600))
			}
		})
	}
}

// parting is where two traces part.
func parting(a, b result) string {
	logged := func(line string) bool { return strings.Contains(line, " log level=") }
	a.lines, b.lines = slices.DeleteFunc(a.lines, logged), slices.DeleteFunc(b.lines, logged)
	for i := range min(len(a.lines), len(b.lines)) {
		if a.lines[i] != b.lines[i] {
			from := max(0, i-8)
			return fmt.Sprintf("after %d lines:\n%q\n%q", i, slices.Clip(a.lines[from:i+3]), b.lines[from:i+3])
		}
	}
	return fmt.Sprintf("%s after %d steps, %s after %d", a.hash, a.events, b.hash, b.events)
}
