package xlsx_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// TestMemoryDoesNotGrowWithTheSheet refreshes one row of a small block in a sheet that is a hundred times larger than another.
func TestMemoryDoesNotGrowWithTheSheet(t *testing.T) {
	refresh := func(rows int) uint64 {
		b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + theirRows(rows) + "</sheetData>")})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.read(t, 10, 20)
		g := table(line(checksum.Num(1)))
		_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent()})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	refresh(10) // what is allocated once
	small, large := refresh(200), refresh(20_000)
	if large > small+small/2 {
		t.Errorf("%d bytes were allocated for 200 rows, %d for 20,000", small, large)
	}
}

func theirRows(rows int) string {
	var xml strings.Builder
	for row := 1; row <= rows; row++ {
		n := strconv.Itoa(row)
		xml.WriteString(`<row r="` + n + `">`)
		for column := 'A'; column < 'A'+20; column++ {
			xml.WriteString(`<c r="` + string(column) + n + `"><v>` + n + `.5</v></c>`)
		}
		xml.WriteString("</row>")
	}
	return xml.String()
}
