//go:build unix

package checksum

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestFigures prints how the digest and the diff compare with other ways, in one run; scripts/bench-checksum calls it. It checks
// nothing, since the times of a busy machine prove nothing.
func TestFigures(t *testing.T) {
	switch os.Getenv("MOORING_BENCH_CHECKSUM") {
	case "compare":
		newFigures(t).print(t)
	case "memory":
		printPeak(t)
	default:
		t.Skip("run scripts/bench-checksum")
	}
}

// rounds are many, since a round during which another process had a core says nothing.
const rounds = 25

// figures are the least times of several rounds of each thing measured.
type figures struct {
	left, right [][]Cell // templates of the two halves, each for its own processor
	least       map[string]time.Duration
	busy        map[string]time.Duration // the least processor time, over all cores
	grid        *Grid
	block       BlockRows

	base   Baseline // a block of 100,000 rows
	ours   *Grid
	sorted Theirs
}

func newFigures(t *testing.T) *figures {
	f := &figures{left: mixedRows(), right: mixedRows()}
	f.least, f.busy = make(map[string]time.Duration), make(map[string]time.Duration)
	for range rounds {
		f.measure("encode", func() { f.grid = buildMixed(new(Builder), f.left, million) })
		f.measure("fingerprints", func() { f.block = f.grid.Block() })
		f.measure("chunk hashes", func() { f.grid.Checksum() })
		f.measure("sha256", func() { hashAll(f.grid) })
		f.measure("digest", func() { f.digest(million) })
		f.changes()
		f.merges()
	}
	f.measure("json", f.jsonRows)
	f.tools(t)
	return f
}

func (f *figures) measure(name string, work func()) {
	start, before := time.Now(), processorTime()
	work()
	keepLeast(f.least, name, time.Since(start))
	keepLeast(f.busy, name, processorTime()-before)
}

func keepLeast(least map[string]time.Duration, name string, took time.Duration) {
	if before, ok := least[name]; !ok || took < before {
		least[name] = took
	}
}

// processorTime is what the process has had so far. Other processes do not add to it, however busy they keep the machine.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// digest encodes a half of n rows on each of two processors, and then digests the whole on both.
func (f *figures) digest(n int) {
	var first, second *Grid
	var other sync.WaitGroup
	other.Go(func() { second = buildMixed(new(Builder), f.right, n/2) })
	first = buildMixed(new(Builder), f.left, n/2)
	other.Wait()
	for i := range second.pages {
		second.pages[i].first += first.rows
	}
	whole := &Grid{pages: append(first.pages, second.pages...), rows: first.rows + second.rows, columns: first.columns}
	whole.Block()
	whole.Checksum()
}

// merged is how many rows the merge that is measured has.
const merged100k = 100_000

// merges measures the merge of a block whose rows were all moved and a hundredth of them edited, against the digest of as many rows.
func (f *figures) merges() {
	if f.sorted.Grid == nil {
		f.sortedBlock()
	}
	for range 3 { // each in turn with its own data at hand
		f.measure("digest of 100,000", func() { f.digest(merged100k) })
	}
	for range 3 {
		f.measure("Merge", func() {
			m := Merge(f.base, f.sorted, f.ours, f.base.BlockRows, RowKey{})
			m.Keep(Means{})
		})
	}
}

// sortedBlock makes a block of 100,000 rows, sorted from the last to the first, with 1,000 edited cells.
func (f *figures) sortedBlock() {
	f.ours = buildMixed(new(Builder), f.left, merged100k)
	f.base = Baseline{BlockRows: f.ours.Block(), Header: f.ours.Cells(0, nil)}
	var b Builder
	b.Append(f.base.Header...)
	for row := merged100k - 1; row > 0; row-- {
		cells := f.ours.Cells(row, nil)
		if row%100 == 50 {
			cells[4] = Str("by hand")
		}
		b.Append(cells...)
	}
	g := b.Grid()
	f.sorted = Theirs{Grid: g, Block: g.Block()}
}

// changes measures the comparison of two blocks: a row in a thousand changed, and 20 rows inserted on top.
func (f *figures) changes() {
	changed := BlockRows{Fingerprints: slices.Clone(f.block.Fingerprints), Columns: f.block.Columns}
	for i := 0; i < million; i += 1000 {
		changed.Fingerprints[i]++
	}
	moved := BlockRows{Fingerprints: slices.Concat(changed.Fingerprints[:20], f.block.Fingerprints), Columns: f.block.Columns}
	f.measure("Diff", func() { Diff(f.block, changed) })
	f.measure("shift, 20 rows on top", func() { diffShift(f.block, moved) })
}

// jsonRows is the easy way: each row as JSON, hashed by itself.
func (f *figures) jsonRows() {
	var values [10]any
	for i := range million {
		row := f.left[i%len(f.left)]
		for k, c := range row {
			switch c.Kind {
			case Number:
				values[k] = c.Number
			case Text, Error:
				values[k] = c.Text
			case True, False:
				values[k] = c.Kind == True
			default:
				values[k] = nil
			}
		}
		data, err := json.Marshal(values)
		if err != nil {
			panic(err)
		}
		sha256.Sum256(data)
	}
}

// tools lets diff and rsync compare two CSV files of the table, a row in a thousand changed.
func (f *figures) tools(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.csv"), filepath.Join(dir, "after.csv")
	writeCSV(t, before, f.left, 0)
	writeCSV(t, after, f.left, 1000)
	if path, err := exec.LookPath("diff"); err == nil {
		f.measure("diff", func() { _ = exec.Command(path, before, after).Run() }) // it ends with 1 when files differ
	}
	if path, err := exec.LookPath("rsync"); err == nil {
		f.measure("rsync", func() {
			if err := exec.Command(path, "--no-whole-file", "--ignore-times", after, before).Run(); err != nil {
				t.Error(err)
			}
		})
	}
}

func writeCSV(t *testing.T, path string, rows [][]Cell, changeEach int) {
	var out bytes.Buffer
	for i := range million {
		row := rows[i%len(rows)]
		fmt.Fprintf(&out, "%d", i)
		for _, c := range row[1:] {
			out.WriteByte(',')
			if c.Kind == Number {
				out.WriteString(strconv.FormatFloat(c.Number, 'g', -1, 64))
				continue
			}
			out.WriteString(c.Text)
		}
		if changeEach > 0 && i%changeEach == 0 {
			out.WriteString("changed")
		}
		out.WriteByte('\n')
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f *figures) print(t *testing.T) {
	hash, digest := f.least["sha256"], f.least["digest"]
	f.row("SHA-256 over the encoded bytes, one core", "sha256", "")
	f.row("digest: encode, fingerprints, chunk hashes, both cores", "digest", ">= 1.1", per(hash, digest, "× SHA-256"),
		per(f.busy["sha256"], f.busy["digest"]/2, "× by CPU"))
	f.row("its encoding, one core", "encode", "")
	f.row("its fingerprints, both cores", "fingerprints", "")
	f.row("its chunk hashes, both cores", "chunk hashes", "")
	fmt.Printf("| memory of the process at the most | %s | <= 1.5 × the encoded bytes |\n", peak(t))
	f.row("diff, a row in 1,000 changed", "Diff", "<= 0.25", per(f.least["Diff"], digest, "of the digest"))
	f.row("a shift of 20 rows inserted on top", "shift, 20 rows on top", "", per(f.least["shift, 20 rows on top"], digest, "of the digest"))
	f.row("merge of 100,000 rows, all moved, 1,000 edited", "Merge", "<= 0.3",
		per(f.least["Merge"], f.least["digest of 100,000"], "of the digest of as many rows"))
	f.row("`json.Marshal` and SHA-256 a row, one core", "json", "", per(f.least["json"], digest, "digests"))
	f.row("`diff` of the table as CSV, a row in 1,000 changed", "diff", "", per(f.least["diff"], digest, "digests"))
	f.row("`rsync --no-whole-file` of the table as CSV", "rsync", "", per(f.least["rsync"], digest, "digests"))
}

// row prints what a step took at the least, and ratios of that.
func (f *figures) row(what, name, goal string, ratios ...string) {
	took, ok := f.least[name]
	if !ok {
		fmt.Printf("| %s | not installed | |\n", what)
		return
	}
	measured := append([]string{fmt.Sprintf("%.1f ms", float64(took.Microseconds())/1000)}, ratios...)
	fmt.Printf("| %s | %s | %s |\n", what, strings.Join(measured, ", "), goal)
}

func per(a, b time.Duration, unit string) string {
	return fmt.Sprintf("%.3g %s", float64(a)/float64(b), unit)
}

// peak measures in a process of its own.
func peak(t *testing.T) string {
	child := exec.Command(os.Args[0], "-test.run=^TestFigures$", "-test.v")
	child.Env = append(os.Environ(), "MOORING_BENCH_CHECKSUM=memory")
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "peak "); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no figure in %s", out)
	return ""
}

// printPeak digests a table that arrives row by row, and prints the most memory that the process ever held.
func printPeak(t *testing.T) {
	g := buildMixed(new(Builder), mixedRows(), million)
	g.Block()
	g.Checksum()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the peak is read from /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("peak %.1f MB, %.2f × the encoded bytes\n", float64(kilobytes)/1000, float64(kilobytes)*1024/float64(g.Size()))
}
