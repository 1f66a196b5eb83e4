package shift

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// BenchmarkSheet inserts 1,000 rows in the middle of 100,000 rows of 10 cells, with 10,000 formulas beside them.
func BenchmarkSheet(b *testing.B) {
	doc := largeSheet(100_000)
	m := &Moves{Sheets: []string{"Data"}, By: formula.Shifts{{
		Sheet: "Data", Left: 0, Right: 9, Row: 50_000, Rows: 1000, Block: placements.Rect{Bottom: 99_999, Right: 9},
	}}}
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sheet(strings.NewReader(doc), io.Discard, "Data", m); err != nil {
			b.Fatal(err)
		}
	}
}

func largeSheet(rows int) string {
	var doc strings.Builder
	doc.WriteString("<worksheet><sheetData>")
	for row := 1; row <= rows; row++ {
		fmt.Fprintf(&doc, `<row r="%d" spans="1:12">`, row)
		for column := range 10 {
			fmt.Fprintf(&doc, `<c r="%c%d" s="1"><v>%d.5</v></c>`, 'A'+column, row, row*column)
		}
		if row%10 == 0 {
			fmt.Fprintf(&doc, `<c r="L%d"><f>SUM(A%d:J%[1]d)+$A$%[2]d</f><v>1</v></c>`, row, row)
		}
		doc.WriteString("</row>")
	}
	doc.WriteString("</sheetData></worksheet>")
	return doc.String()
}

// BenchmarkSheetOften inserts and deletes a row each in 2,000 places of the same rows.
func BenchmarkSheetOften(b *testing.B) {
	doc := largeSheet(100_000)
	block := placements.Rect{Bottom: 99_999, Right: 9}
	var by formula.Shifts
	for i := range 2000 {
		s := formula.CellShift{Sheet: "Data", Left: 0, Right: 9, Row: 10 + 49*i, Rows: 1 - 2*(i%2), Block: block}
		block.Bottom += s.Rows
		by = append(by, s)
	}
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sheet(strings.NewReader(doc), io.Discard, "Data", &Moves{Sheets: []string{"Data"}, By: by}); err != nil {
			b.Fatal(err)
		}
	}
}
