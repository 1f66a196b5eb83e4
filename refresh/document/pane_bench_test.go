package document

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
)

// TestPaneFigures prints what a plan of a block of 50,000 × 10 cells takes: an agent's, which reads the block in a file, and that of a pane, which
// has read it by way of the spreadsheet and fingerprints its rows in JavaScript, by Node, for the server to plan with. scripts/bench-faces calls it.
func TestPaneFigures(t *testing.T) {
	if os.Getenv("MOORING_BENCH_FACES") == "" {
		t.Skip("run scripts/bench-faces")
	}
	const rows = 50_000
	source, _ := sortedTables(rows, 0)
	b := newSortedBlock(t, source)
	b.write(source)
	var view plan.View
	read := leastTime(t, func() { view = b.read(source) })
	decided := leastTime(t, func() {
		if _, fault := plan.Decide(plan.Input{Last: b.last, View: view, Ours: source, Block: source.Block(), OnEdit: placements.Keep}); fault != nil {
			t.Fatal(fault)
		}
	})
	fingerprints := panePrints(t, rows, source)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	fmt.Printf("| plan of %d × 10 cells by an agent, CPU | %.0f ms: %.0f to read the file, %.0f to plan | |\n", rows, ms(read+decided), ms(read), ms(decided))
	fmt.Printf("| the same by the pane, without what its host takes to read | %.0f ms: %.0f to fingerprint, %.0f to plan; %.2f × the agent's | <= 1.2 × |\n",
		ms(fingerprints+decided), ms(fingerprints), ms(decided), float64(fingerprints+decided)/float64(read+decided))
}

// read is what a plan gets to see of the block.
func (b *sortedBlock) read(g *checksum.Grid) plan.View {
	s, err := b.files.Open(b.Context(), b.block.Document)
	must(b.T, err)
	found, err := s.Read(b.Context(), []host.Wanted{{Block: b.block, Extent: g.Extent()}})
	must(b.T, err)
	must(b.T, found[0].Err)
	must(b.T, s.Close())
	return planView(found[0].View)
}

// leastTime is the least processor time of several rounds.
func leastTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	spent := func() time.Duration {
		var u syscall.Rusage
		must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	least := time.Duration(0)
	for round := range 7 {
		before := spent()
		do()
		if took := spent() - before; round == 0 || took < least {
			least = took
		}
	}
	return least
}

// panePrints is the least processor time in which the pane fingerprints the rows of g, below its header the same as here.
func panePrints(t *testing.T, rows int, g *checksum.Grid) time.Duration {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", "../../web/addin/testing/fingerprint-bench.mjs", fmt.Sprint(rows)).Output()
	must(t, err)
	var last uint64
	var ms float64
	_, err = fmt.Sscanf(string(out), "%x %g", &last, &ms)
	must(t, err)
	if here := g.Block().Fingerprints[g.Rows()-1]; here != last {
		t.Fatalf("the pane's last row is %x, the agent's %x", last, here)
	}
	return time.Duration(ms * float64(time.Millisecond))
}
