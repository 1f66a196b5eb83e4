package xlsx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestNewBlockAgainstC measures the refresh of a new block, and a C program that writes the same cells with libxlsxwriter, each in processes of
// its own, and prints the ratios; scripts/bench-new-block, which compiles that program, runs it.
func TestNewBlockAgainstC(t *testing.T) {
	program := os.Getenv("MOORING_BENCH_NEW_BLOCK")
	if program == "" {
		t.Skip("scripts/bench-new-block runs this")
	}
	empty := emptyBenchFile(t)
	const rounds = 5
	var ours, memory, constant [rounds]benchCost
	for i := range rounds {
		ours[i] = benchProcess(t, "new-block", empty)
		memory[i] = benchLibrary(t, program)
		constant[i] = benchLibrary(t, program, "constant")
	}
	printCosts(fmt.Sprintf("a new block of %d × %d cells", benchRows, benchColumns), ours[:],
		[]otherCosts{{"libxlsxwriter", memory[:]}, {"with constant_memory", constant[:]}}, ">= 1 × by CPU")
}

// benchLibrary runs the C program, which prints its peak memory in kilobytes.
func benchLibrary(t *testing.T, program string, mode ...string) benchCost {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.xlsx")
	cmd := exec.Command(program, append([]string{path, strconv.Itoa(benchRows), strconv.Itoa(benchColumns)}, mode...)...)
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return benchCost{Wall: time.Since(start), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), Peak: peak << 10}
}
