package sourcetest

import (
	"runtime"
	"testing"

	"mooring/checksum"
	"mooring/refresh/source"
)

// Memory proves that the rows of a query are not held besides the table they become: everything allocated on the way, garbage included, stays
// near the size of the table. A query of 300,000 rows is large enough for that.
func Memory(t *testing.T, config source.Config, rows int, q source.Query) {
	src := Open(t, config)
	var b checksum.Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := src.Query(t.Context(), q, &b)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	grid := b.Grid()
	if grid.Rows() != rows+1 {
		t.Fatalf("%d rows, want %d", grid.Rows(), rows+1)
	}
	allocated, size := after.TotalAlloc-before.TotalAlloc, uint64(grid.Size())
	t.Logf("allocated %d bytes for a table of %d", allocated, size)
	if allocated > 4*size {
		t.Errorf("allocated %d bytes for a table of %d", allocated, size)
	}
}
