package document

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/plan"
)

// TestSortedBlockAgainstOverwrite prints how long it takes to put a block of 50,000 × 10 cells in order that a person sorted, against
// writing all of it; scripts/bench-xlsx calls it. It checks nothing but the cells, since the times of a busy machine prove nothing.
func TestSortedBlockAgainstOverwrite(t *testing.T) {
	if os.Getenv("MOORING_BENCH_XLSX") != "compare" {
		t.Skip("run scripts/bench-xlsx")
	}
	const rounds = 7
	source, sorted := sortedTables(50_000, 0)
	changed, _ := sortedTables(50_000, 7)
	b := newSortedBlock(t, source)
	least := func(stands *checksum.Grid, work func()) time.Duration {
		best := time.Duration(0)
		for range rounds {
			b.write(stands)
			start := time.Now()
			work()
			if took := time.Since(start); best == 0 || took < best {
				best = took
			}
		}
		return best
	}
	blind := least(sorted, func() { b.write(source) })
	overwritten := least(source, func() { b.refresh(changed) })
	moved := 0
	ordered := least(sorted, func() { moved = b.refresh(source).Moved })
	fmt.Printf("| a block of 50,000 × 10 cells that a person sorted, put in order: %d rows moved | %d ms | |\n", moved, ordered.Milliseconds())
	fmt.Printf("| a refresh that overwrites every row | %d ms: %.2f of it | <= 1.5 |\n", overwritten.Milliseconds(), float64(ordered)/float64(overwritten))
	fmt.Printf("| every row written without reading one | %d ms: %.2f of it | |\n", blind.Milliseconds(), float64(ordered)/float64(blind))
}

// sortedTables is a table, of a version, and the same sorted from its last row to its first.
func sortedTables(rows, version int) (source, sorted *checksum.Grid) {
	var cells [][]checksum.Cell
	for i := range rows {
		var row []checksum.Cell
		for column := range 10 {
			n := i*10 + column
			if column%3 == 0 {
				row = append(row, checksum.Str(fmt.Sprint("text ", n, " ", version)))
			} else {
				row = append(row, checksum.Num(float64(n+version)+0.25))
			}
		}
		cells = append(cells, row)
	}
	source = gridOf(cells)
	slices.Reverse(cells[1:])
	return source, gridOf(cells)
}

func gridOf(rows [][]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for _, row := range rows {
		b.Append(row...)
	}
	return b.Grid()
}

// sortedBlock is a block in a file.
type sortedBlock struct {
	*testing.T
	files *xlsx.Folder
	block host.Block
	last  plan.Last
}

func newSortedBlock(t *testing.T, g *checksum.Grid) *sortedBlock {
	dir := t.TempDir()
	book := excelize.NewFile()
	must(t, book.SaveAs(filepath.Join(dir, "book.xlsx")))
	must(t, book.Close())
	files, err := xlsx.New(dir)
	must(t, err)
	return &sortedBlock{
		T: t, files: files, last: plan.After(plan.Memory{Rows: g.Block(), Header: g.Cells(0, nil)}),
		block: host.Block{Document: "book.xlsx", PlacementID: "p", Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1}},
	}
}

// write writes all of the block.
func (b *sortedBlock) write(g *checksum.Grid) {
	s, err := b.files.Open(b.Context(), b.block.Document)
	must(b.T, err)
	_, err = s.Write(b.Context(), []host.Patch{{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent()}})
	must(b.T, err)
	must(b.T, s.Close())
}

// refresh reads the block and writes what a plan says.
func (b *sortedBlock) refresh(g *checksum.Grid) plan.Changes {
	s, err := b.files.Open(b.Context(), b.block.Document)
	must(b.T, err)
	found, err := s.Read(b.Context(), []host.Wanted{{Block: b.block, Extent: g.Extent()}})
	must(b.T, err)
	must(b.T, found[0].Err)
	changes, fault := plan.Decide(plan.Input{
		Last: b.last, View: planView(found[0].View), Ours: g, Block: g.Block(), OnEdit: placements.Keep,
	})
	if fault != nil {
		b.Fatal(fault)
	}
	_, err = s.Write(b.Context(), []host.Patch{{Block: b.block, Grid: changes.Grid, Rows: changes.Rows, Clear: changes.Clear, Extent: changes.Grid.Extent()}})
	must(b.T, err)
	must(b.T, s.Close())
	return changes
}
