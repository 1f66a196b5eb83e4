package xlsx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
)

// Ten reports of one workbook, in two columns of five, of whose rows 100 change each.
const (
	jointBlocks  = 10
	jointRows    = 2_000
	jointColumns = 10
	jointChanged = 100
)

// jointBlock is where a block of the benchmark stands.
func jointBlock(i int) host.Block {
	return host.Block{
		Document: "bench.xlsx", PlacementID: fmt.Sprintf("p%d", i), Sheet: "Sheet1",
		Anchor: placements.Anchor{Row: i / 2 * (jointRows + 5), Column: i % 2 * (jointColumns + 2)},
	}
}

// makeJointFile saves a file with all blocks, as spreadsheet programs write it, and marks them.
func makeJointFile(t testing.TB, dir string, g *checksum.Grid) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i := range jointBlocks {
		a := jointBlock(i).Anchor
		for row := range g.Rows() {
			var values []any
			for _, c := range g.Cells(row, nil) {
				if c.Kind == checksum.Text {
					values = append(values, c.Text)
				} else {
					values = append(values, c.Number)
				}
			}
			if err := f.SetSheetRow("Sheet1", placements.Anchor{Row: a.Row + row, Column: a.Column}.String(), &values); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.SaveAs(filepath.Join(dir, "bench.xlsx")); err != nil {
		t.Fatal(err)
	}
	var patches []host.Patch
	for i := range jointBlocks {
		patches = append(patches, host.Patch{Block: jointBlock(i), Grid: g, Extent: g.Extent()})
	}
	writeJoint(t, dir, patches)
}

func openDir(t testing.TB, dir string) *xlsx.Folder {
	t.Helper()
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// writeJoint reads and writes blocks in one session and returns how many bytes that left on the disk: those of the file if it was replaced.
func writeJoint(t testing.TB, dir string, patches []host.Patch) (bytes int64) {
	t.Helper()
	s, err := openDir(t, dir).Open(t.Context(), "bench.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var wanted []host.Wanted
	for _, p := range patches {
		wanted = append(wanted, host.Wanted{Block: p.Block, Extent: p.Extent})
	}
	found, err := s.Read(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Err != nil || f.View.Cells.Rows() != jointRows {
			t.Fatalf("read %d rows, %v", f.View.Cells.Rows(), f.Err)
		}
	}
	if _, err := s.Write(t.Context(), patches); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "bench.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestJointAgainstSingleWrites refreshes all blocks of a workbook together and one by one, and prints the ratios; scripts/bench-xlsx
// runs it.
func TestJointAgainstSingleWrites(t *testing.T) {
	if os.Getenv(benchWay) != "compare" {
		t.Skip("scripts/bench-xlsx runs this")
	}
	const rounds = 3
	before, spans := benchGrid(jointRows, jointColumns, 0), benchSpans(jointRows, jointRows/jointChanged)
	after := benchGrid(jointRows, jointColumns, jointRows/jointChanged)
	var patches []host.Patch
	for i := range jointBlocks {
		patches = append(patches, host.Patch{Block: jointBlock(i), Grid: after, Rows: spans, Extent: after.Extent()})
	}
	var joint, single [rounds]jointCost
	for i := range rounds {
		joint[i] = measureJoint(t, before, patches)
		var each [][]host.Patch
		for k := range patches {
			each = append(each, patches[k:k+1])
		}
		single[i] = measureJoint(t, before, each...)
	}
	j, s := leastCost(joint[:]), leastCost(single[:])
	fmt.Printf("| %d blocks of %d × %d cells on one sheet refreshed together, %d rows changed in each: kB written | %d; one by one %d: %.1f × | >= 5 × |\n",
		jointBlocks, jointRows, jointColumns, jointChanged, j.bytes>>10, s.bytes>>10, float64(s.bytes)/float64(j.bytes))
	fmt.Printf("| their CPU, in ms | %d; %d: %.1f × | >= 4 × |\n", j.cpu, s.cpu, float64(s.cpu)/float64(j.cpu))
}

// jointCost is what a refresh of all blocks took: bytes written, and milliseconds of processor time.
type jointCost struct{ bytes, cpu int64 }

func measureJoint(t *testing.T, before *checksum.Grid, writes ...[]host.Patch) (c jointCost) {
	t.Helper()
	dir := t.TempDir()
	makeJointFile(t, dir, before)
	start := cpuTime(t)
	for _, patches := range writes {
		c.bytes += writeJoint(t, dir, patches)
	}
	c.cpu = (cpuTime(t) - start).Milliseconds()
	return c
}

func leastCost(costs []jointCost) jointCost {
	least := costs[0]
	for _, c := range costs[1:] {
		if c.cpu < least.cpu {
			least = c
		}
	}
	return least
}
