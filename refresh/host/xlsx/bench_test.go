package xlsx_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
)

// The size that DESIGN.md §7 names, and how much of it changes.
const (
	benchRows    = 100_000
	benchColumns = 10
	benchChanged = 100
)

// benchGrid is a table of texts and numbers, every changed-th row with other ones; 0 changes none.
func benchGrid(rows, columns, changed int) *checksum.Grid {
	var b checksum.Builder
	for i := range rows {
		for j := range columns {
			n := i*columns + j
			if changed > 0 && i%changed == 1 {
				n += 7_000_000
			}
			if j%3 == 0 {
				b.Text(fmt.Sprintf("text %d", n))
			} else {
				b.Number(float64(n) + 0.25)
			}
		}
		b.EndRow()
	}
	return b.Grid()
}

func benchSpans(rows, changed int) (spans []checksum.Span) {
	for i := 1; i < rows; i += changed {
		spans = append(spans, checksum.Span{From: i, To: i + 1})
	}
	return spans
}

// makeBenchFile saves a file with shared strings, as spreadsheet programs write them.
func makeBenchFile(t testing.TB, path string, g *checksum.Grid) {
	f := excelize.NewFile()
	defer f.Close()
	for i := range g.Rows() {
		var row []any
		for _, c := range g.Cells(i, nil) {
			if c.Kind == checksum.Text {
				row = append(row, c.Text)
			} else {
				row = append(row, c.Number)
			}
		}
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
}

// spliceBenchFile is a whole refresh: the block is read, some of its rows are written.
func spliceBenchFile(t testing.TB, path string, g *checksum.Grid, spans []checksum.Span) {
	x, err := xlsx.New(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	block := host.Block{Document: filepath.Base(path), PlacementID: "p", Sheet: "Sheet1"}
	s := hosttest.Open(t, x, block.Document)
	found, err := s.Read(t.Context(), []host.Wanted{{Block: block, Extent: g.Extent(), Likely: host.Likely{Cells: g, Rows: g.Block()}}})
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	if rows := found[0].View.Cells.Rows(); rows != g.Rows() {
		t.Fatalf("read %d rows, want %d", rows, g.Rows())
	}
	w, err := hosttest.Write(s, host.Patch{Block: block, Grid: g, Rows: spans, Extent: g.Extent()})
	if rows := (checksum.RowPlan{Rows: spans}).Written(); err != nil || w.Rows != rows {
		t.Fatalf("wrote %+v, %v", w, err)
	}
}

// loadEditSaveBenchFile does the same edit by loading the whole file with the library and saving it.
func loadEditSaveBenchFile(t testing.TB, path string, g *checksum.Grid, spans []checksum.Span) {
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, s := range spans {
		for j, c := range g.Cells(s.From, nil) {
			cell, _ := excelize.CoordinatesToCellName(j+1, s.From+1)
			if err := workbook.SetCell(f, "Sheet1", cell, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkXLSX(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.xlsx")
	makeBenchFile(b, path, benchGrid(benchRows, benchColumns, 0))
	g, spans := benchGrid(benchRows, benchColumns, benchRows/benchChanged), benchSpans(benchRows, benchRows/benchChanged)
	b.Run("splice", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			spliceBenchFile(b, path, g, spans)
		}
	})
	b.Run("load-edit-save", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			loadEditSaveBenchFile(b, path, g, spans)
		}
	})
}

// benchCost is what one process spent on one refresh.
type benchCost struct {
	Wall, CPU time.Duration
	Peak      int64 // resident bytes, of the whole process
}

const benchWay, benchFile = "MOORING_BENCH_XLSX", "MOORING_BENCH_XLSX_FILE"

// TestAgainstLoadEditSave measures both ways, each in processes of its own, and prints the ratios; scripts/bench-xlsx runs it.
func TestAgainstLoadEditSave(t *testing.T) {
	if os.Getenv(benchWay) != "compare" {
		t.Skip("scripts/bench-xlsx runs this")
	}
	path := filepath.Join(t.TempDir(), "bench.xlsx")
	makeBenchFile(t, path, benchGrid(benchRows, benchColumns, 0))
	ours, plain := filepath.Join(t.TempDir(), "ours.xlsx"), filepath.Join(t.TempDir(), "plain.xlsx")
	benchProcessOn(t, "new-block", emptyBenchFile(t), ours)
	withoutIndexes(t, ours, plain)
	const rounds = 3
	var splice, library, whole, first [rounds]benchCost
	for i := range rounds {
		library[i] = benchProcess(t, "load-edit-save", ours)
		whole[i] = benchProcess(t, "splice", plain)
		splice[i] = benchProcess(t, "splice", ours)
		first[i] = benchProcess(t, "splice", path)
	}
	printCosts(fmt.Sprintf("%d of %d × %d cells refreshed in a file that Mooring saved last", benchChanged, benchRows, benchColumns), splice[:],
		[]otherCosts{{"without an index of segments", whole[:]}, {"of another program", first[:]}, {"loaded, edited and saved by a library", library[:]}},
		">= 5 × without index, >= 10 × the library")
}

// otherCosts are those of another way to do the same.
type otherCosts struct {
	name string
	list []benchCost
}

// printCosts prints rows of medians: of time, processor time and memory, each with how many times it the other ways take.
func printCosts(what string, ours []benchCost, others []otherCosts, goal string) {
	row := func(title, goal string, of func(benchCost) int64) {
		n := of(medianCost(ours))
		fmt.Printf("| %s | %d", title, n)
		for _, o := range others {
			theirs := of(medianCost(o.list))
			fmt.Printf("; %s %d: %.1f ×", o.name, theirs, float64(theirs)/float64(n))
		}
		fmt.Printf(" | %s |\n", goal)
	}
	row(what+", in ms", goal, func(c benchCost) int64 { return c.Wall.Milliseconds() })
	row("its CPU, in ms", "", func(c benchCost) int64 { return c.CPU.Milliseconds() })
	row("its memory, in MB", "", func(c benchCost) int64 { return c.Peak >> 20 })
}

// emptyBenchFile is a workbook without a cell.
func emptyBenchFile(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "empty.xlsx")
	makeBenchFile(t, path, new(checksum.Builder).Grid())
	return path
}

func medianCost(costs []benchCost) benchCost {
	middle := func(of func(benchCost) int64) int64 {
		var all []int64
		for _, c := range costs {
			all = append(all, of(c))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return benchCost{
		Wall: time.Duration(middle(func(c benchCost) int64 { return int64(c.Wall) })),
		CPU:  time.Duration(middle(func(c benchCost) int64 { return int64(c.CPU) })),
		Peak: middle(func(c benchCost) int64 { return c.Peak }),
	}
}

// benchProcess runs one way in a process of its own on a copy of the file.
func benchProcess(t *testing.T, way, path string) benchCost {
	t.Helper()
	return benchProcessOn(t, way, path, filepath.Join(t.TempDir(), "work.xlsx"))
}

// benchProcessOn is benchProcess where the copy is to be looked at afterwards.
func benchProcessOn(t *testing.T, way, path, work string) (cost benchCost) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(work, b, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestBenchProcess$", "-test.v")
	cmd.Env = append(os.Environ(), benchWay+"="+way, benchFile+"="+work)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", way, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, "cost "); ok {
			if err := json.Unmarshal([]byte(text), &cost); err != nil {
				t.Fatal(err)
			}
		}
	}
	if cost.Peak == 0 {
		t.Fatalf("%s told no cost:\n%s", way, out)
	}
	return cost
}

// TestBenchProcess is the process that benchProcess starts.
func TestBenchProcess(t *testing.T) {
	ways := map[string]func(testing.TB, string, *checksum.Grid, []checksum.Span){
		"splice": spliceBenchFile, "load-edit-save": loadEditSaveBenchFile, "new-block": spliceBenchFile,
		"shift": shiftBenchFile, "insert-rows": insertRowsBenchFile,
	}
	way, ok := ways[os.Getenv(benchWay)]
	if !ok {
		t.Skip("TestAgainstLoadEditSave runs this")
	}
	every := benchRows / benchChanged
	g, spans := benchGrid(benchRows, benchColumns, every), benchSpans(benchRows, every)
	switch os.Getenv(benchWay) {
	case "shift", "insert-rows":
		g, spans = grownBenchGrid(), nil
	case "new-block":
		g, spans = benchGrid(benchRows, benchColumns, 0), []checksum.Span{{From: 0, To: benchRows}}
	}
	wall, cpu := time.Now(), cpuTime(t)
	way(t, os.Getenv(benchFile), g, spans)
	line, err := json.Marshal(benchCost{Wall: time.Since(wall), CPU: cpuTime(t) - cpu, Peak: peakMemory(t)})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(os.Stdout, "cost "+string(line)+"\n")
}

func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the most that the process has held since it began. The system's count of resources used would not do: it
// starts from what the parent held.
func peakMemory(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(text, &kilobytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	return kilobytes << 10
}
