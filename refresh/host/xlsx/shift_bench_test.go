package xlsx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
)

// Where the benchmark of shifts inserts how many rows, and how many formulas stand around the block.
const (
	shiftAt       = benchRows / 2
	shiftRows     = 1000
	shiftFormulas = 10_000
)

// grownBenchGrid is the table of the benchmark with rows inserted in its middle.
func grownBenchGrid() *checksum.Grid {
	old, added := benchGrid(benchRows, benchColumns, 0), benchGrid(shiftRows, benchColumns, 1)
	var b checksum.Builder
	var cells []checksum.Cell
	for _, part := range []struct {
		g        *checksum.Grid
		from, to int
	}{{old, 0, shiftAt}, {added, 0, shiftRows}, {old, shiftAt, benchRows}} {
		for row := part.from; row < part.to; row++ {
			cells = part.g.Cells(row, cells[:0])
			b.Append(cells...)
			b.EndRow()
		}
	}
	return b.Grid()
}

// makeShiftFile saves the benchmark's table with formulas beside it, below it and on another sheet.
func makeShiftFile(t testing.TB, path string) {
	makeBenchFile(t, path, benchGrid(benchRows, benchColumns, 0))
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.NewSheet("Summary"); err != nil {
		t.Fatal(err)
	}
	set := func(sheet, cell, formula string, args ...any) {
		if err := f.SetCellFormula(sheet, cell, fmt.Sprintf(formula, args...)); err != nil {
			t.Fatal(err)
		}
	}
	const apart = 2 * benchRows / shiftFormulas
	for i := range shiftFormulas/2 - benchColumns {
		set("Sheet1", fmt.Sprintf("M%d", i*apart+1), "SUM(B%d:C%d)/2", i*apart+1, i*apart+10)
	}
	for i := range shiftFormulas / 2 {
		set("Summary", fmt.Sprintf("A%d", i+1), "IF(Sheet1!$B$%d>0,Sheet1!C%d,\"none\")", i*apart+1, i*apart+1)
	}
	for column := range benchColumns {
		name, _ := excelize.ColumnNumberToName(column + 1)
		set("Sheet1", fmt.Sprintf("%s%d", name, benchRows+2), "SUM(%s1:%s%d)", name, name, benchRows)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

// shiftBenchFile is a refresh: the block is read, and rows of cells are inserted and written.
func shiftBenchFile(t testing.TB, path string, g *checksum.Grid, _ []checksum.Span) {
	x, err := xlsx.New(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	block := host.Block{Document: filepath.Base(path), PlacementID: "p", Sheet: "Sheet1"}
	s := hosttest.Open(t, x, block.Document)
	if _, err := hosttest.Read(s, block, checksum.Extent{Rows: benchRows, Columns: benchColumns}); err != nil {
		t.Fatal(err)
	}
	w, err := hosttest.Write(s, host.Patch{
		Block: block, Grid: g, Extent: g.Extent(),
		Shifts: []checksum.Shift{{At: shiftAt, Rows: shiftRows}}, Rows: []checksum.Span{{From: shiftAt, To: shiftAt + shiftRows}},
	})
	if err != nil || w.Rows != shiftRows {
		t.Fatalf("wrote %+v, %v", w, err)
	}
}

// insertRowsBenchFile inserts whole rows with the library, and writes them.
func insertRowsBenchFile(t testing.TB, path string, g *checksum.Grid, _ []checksum.Span) {
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.InsertRows("Sheet1", shiftAt+1, shiftRows); err != nil {
		t.Fatal(err)
	}
	for i := range shiftRows {
		for j, c := range g.Cells(shiftAt+i, nil) {
			cell, _ := excelize.CoordinatesToCellName(j+1, shiftAt+i+1)
			if err := workbook.SetCell(f, "Sheet1", cell, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

// checkShiftedFile compares what a way left: the totals below, a formula of the other sheet, a cell that moved.
func checkShiftedFile(t *testing.T, way, path string) {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, row := range []struct{ sheet, cell, want string }{
		{"Sheet1", fmt.Sprintf("B%d", benchRows+shiftRows+2), fmt.Sprintf("SUM(B1:B%d)", benchRows+shiftRows)},
		{"Summary", "A5000", fmt.Sprintf("IF(Sheet1!$B$%d>0,Sheet1!C%d,\"none\")", 99_981+shiftRows, 99_981+shiftRows)},
	} {
		got, err := f.GetCellFormula(row.sheet, row.cell)
		if got = strings.NewReplacer(" ", "", "$Sheet1.", "Sheet1!").Replace(got); err != nil || got != row.want {
			t.Errorf("%s: %s!%s has %q (%v), want %q", way, row.sheet, row.cell, got, err, row.want)
		}
	}
	if got, _ := f.GetCellValue("Sheet1", fmt.Sprintf("A%d", benchRows+shiftRows)); got != fmt.Sprint("text ", (benchRows-1)*benchColumns) {
		t.Errorf("%s: the last row begins with %q", way, got)
	}
}

// TestShiftAgainstOthers measures rows inserted by three programs, each in a process of its own; scripts/bench-shift runs it.
func TestShiftAgainstOthers(t *testing.T) {
	if os.Getenv(benchWay) != "compare" {
		t.Skip("scripts/bench-shift runs this")
	}
	path := filepath.Join(t.TempDir(), "bench.xlsx")
	makeShiftFile(t, path)
	const rounds = 3
	costs := map[string][]benchCost{}
	ways := []string{"shift", "insert-rows", "libreoffice"}
	for range rounds {
		for _, way := range ways {
			work := filepath.Join(t.TempDir(), "work.xlsx")
			cost := benchCost{}
			if way == "libreoffice" {
				cost = libreOfficeProcess(t, path, work)
			} else {
				cost = benchProcessOn(t, way, path, work)
			}
			costs[way] = append(costs[way], cost)
			checkShiftedFile(t, way, work)
		}
	}
	ours := medianCost(costs["shift"])
	fmt.Printf("| Mooring | %d ms, %d MB | |\n", ours.Wall.Milliseconds(), ours.Peak>>20)
	names := map[string]string{"insert-rows": "excelize's InsertRows", "libreoffice": "LibreOffice"}
	for _, way := range ways[1:] {
		c := medianCost(costs[way])
		fmt.Printf("| %s | %d ms, %d MB: %.1f × and %.1f × of it | >= 5 ×, >= 4 × |\n", names[way], c.Wall.Milliseconds(), c.Peak>>20,
			float64(c.Wall)/float64(ours.Wall), float64(c.Peak)/float64(ours.Peak))
	}
}

// libreOfficeProcess has LibreOffice open the file, insert the same cells, write them, and save it as another. Its start is not counted.
func libreOfficeProcess(t *testing.T, path, to string) (cost benchCost) {
	t.Helper()
	cmd := exec.Command("/usr/bin/python3", "testdata/insert_cells.py", path, to, fmt.Sprint(shiftAt), fmt.Sprint(shiftRows), fmt.Sprint(benchColumns))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seconds float64
	var peak int64
	if _, err := fmt.Sscan(string(out), &seconds, &peak); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return benchCost{Wall: time.Duration(seconds * float64(time.Second)), Peak: peak}
}

// BenchmarkManyShifts inserts a row at as many places as a patch may have, among the formulas of the benchmark.
func BenchmarkManyShifts(b *testing.B) {
	made := filepath.Join(b.TempDir(), "made.xlsx")
	makeShiftFile(b, made)
	file, err := os.ReadFile(made)
	if err != nil {
		b.Fatal(err)
	}
	x, err := xlsx.New(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for _, places := range []int{1, x.MaxShifts()} {
		b.Run(fmt.Sprint(places), func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				b.StopTimer()
				if err := os.WriteFile(filepath.Join(dir, "bench.xlsx"), file, 0o600); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				insertAt(b, dir, places)
			}
		})
	}
}

// insertAt inserts a row at so many places of the benchmark's table.
func insertAt(b *testing.B, dir string, places int) {
	x, err := xlsx.New(dir)
	if err != nil {
		b.Fatal(err)
	}
	block := host.Block{Document: "bench.xlsx", PlacementID: "p", Sheet: "Sheet1"}
	s := hosttest.Open(b, x, block.Document)
	defer s.Close()
	if _, err := hosttest.Read(s, block, checksum.Extent{Rows: benchRows, Columns: benchColumns}); err != nil {
		b.Fatal(err)
	}
	p := host.Patch{Block: block, Grid: benchGrid(benchRows+places, benchColumns, 0)}
	p.Extent = p.Grid.Extent()
	for i := range places {
		at := 1 + i*(benchRows/places)
		p.Shifts = append(p.Shifts, checksum.Shift{At: at, Rows: 1})
		p.Rows = append(p.Rows, checksum.Span{From: at, To: at + 1})
	}
	if w, err := hosttest.Write(s, p); err != nil || w.Rows != places {
		b.Fatalf("wrote %+v, %v", w, err)
	}
}
