package reports

import (
	"io"
	"testing"

	"mooring/checksum"
	"mooring/web/sheet"
)

func TestStreamingCostsNoAllocationPerRow(t *testing.T) {
	var b checksum.Builder
	b.Append(checksum.Str("n"), checksum.Str("s"))
	for i := range 20_000 {
		b.Append(checksum.Num(float64(i)), checksum.Str(`a "b"`), checksum.Bool(true), checksum.Err("#N/A"))
	}
	a := resultAnswer{grid: b.Grid()}
	columns := sheet.Columns(a.grid, a.formats)
	allocations := testing.AllocsPerRun(3, func() {
		if _, err := a.write(t.Context(), io.Discard, nil, checksum.Span{To: a.grid.Rows()}, columns); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 100 {
		t.Errorf("%v allocations for 20,000 rows", allocations)
	}
}
