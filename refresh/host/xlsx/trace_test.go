package xlsx_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
)

// traced makes a workbook with the sheets Data, Other and "My Sheet", and returns the cells that refer to the columns of the block at
// Data!B2:D5.
func traced(t *testing.T, change func(f *excelize.File), columns ...int) []string {
	t.Helper()
	dir := t.TempDir()
	f := excelize.NewFile()
	must(t, f.SetSheetName("Sheet1", "Data"))
	for _, name := range []string{"Other", "My Sheet"} {
		_, err := f.NewSheet(name)
		must(t, err)
	}
	change(f)
	must(t, f.SaveAs(filepath.Join(dir, "book.xlsx")))
	b := host.Block{Document: "book.xlsx", PlacementID: "p", Sheet: "data", Anchor: placements.Anchor{Row: 1, Column: 1}}
	return References(t, dir, b, columns...)
}

// References are the cells that refer to columns of a block of four rows, a line a column.
func References(t *testing.T, dir string, b host.Block, columns ...int) []string {
	t.Helper()
	x, err := xlsx.New(dir)
	must(t, err)
	found, err := x.References(t.Context(), b, checksum.Extent{Rows: 4, Columns: 3}, columns)
	must(t, err)
	lines := make([]string, len(found))
	for i, list := range found {
		var cells []string
		for _, l := range list {
			cells = append(cells, l.String())
		}
		lines[i] = strings.Join(cells, " ")
	}
	return lines
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// formulas writes formulas, each "Sheet!A1: formula".
func formulas(t *testing.T, f *excelize.File, list ...string) {
	t.Helper()
	for _, one := range list {
		cell, formula, _ := strings.Cut(one, ": ")
		sheet, name, _ := strings.Cut(cell, "!")
		must(t, f.SetCellFormula(sheet, name, formula))
	}
}

func TestReferencesToABlock(t *testing.T) {
	for _, row := range []struct {
		fact     string
		formulas []string
		want     [3]string // cells that refer to columns B, C and D
	}{
		{"a cell, relative and absolute", []string{"Data!H1: B2*2", "Data!H2: $C$5", "Data!H3: D6"}, [3]string{"Data!H1", "Data!H2", ""}},
		{"a range that holds a cell", []string{"Data!H1: SUM(C1:D3)", "Data!H2: SUM(A1:A9,E1:F9)"}, [3]string{"", "Data!H1", "Data!H1"}},
		{"above and below the block", []string{"Data!H1: B1+B6"}, [3]string{}},
		{"whole columns and rows", []string{"Data!H1: SUM(C:C)", "Data!H2: COUNT($3:$3)"}, [3]string{"Data!H2", "Data!H1 Data!H2", "Data!H2"}},
		{
			"from other sheets",
			[]string{"Other!A1: Data!B3", "My Sheet!A1: SUM('data'!$C$2:$D$2)", "Other!A2: B3"},
			[3]string{"Other!A1", "'My Sheet'!A1", "'My Sheet'!A1"},
		},
		{"to other sheets", []string{"Data!H1: Other!B3", "Data!H2: 'My Sheet'!B3"}, [3]string{}},
		{
			"sheets from one to the other",
			[]string{"My Sheet!A1: SUM(Data:Other!D5)", "My Sheet!A2: SUM('Other:My Sheet'!D5)"},
			[3]string{"", "", "'My Sheet'!A1"},
		},
		{"another workbook", []string{"Other!A1: [1]Data!B3"}, [3]string{}},
		{"only what is no text", []string{`Data!H1: "B2"&D3`}, [3]string{"", "", "Data!H1"}},
		{"a formula inside of the block", []string{"Data!D3: B3*C3"}, [3]string{"Data!D3", "Data!D3", ""}},
		{"one that refers to such a formula does not count", []string{"Data!H1: B2", "Data!H2: H1"}, [3]string{"Data!H1", "", ""}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			got := traced(t, func(f *excelize.File) { formulas(t, f, row.formulas...) }, 0, 1, 2)
			if diff := cmp.Diff(row.want[:], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReferencesByName(t *testing.T) {
	got := traced(t, func(f *excelize.File) {
		for _, n := range []excelize.DefinedName{
			{Name: "prices", RefersTo: "Data!$C$2:$C$5"},
			{Name: "Rate", RefersTo: "Other!$C$2"},
			{Name: "Rate", RefersTo: "Data!$D$2", Scope: "Other"},
			{Name: "both", RefersTo: "Data!$B$2,Data!$D$2"},
		} {
			must(t, f.SetDefinedName(&n))
		}
		formulas(t, f, "Data!H1: SUM(PRICES)", "Data!H2: rate", "Other!A1: rate*2",
			"My Sheet!A1: both", "My Sheet!A2: Other!Rate", "My Sheet!A3: nothing")
	}, 0, 1, 2)
	want := []string{"'My Sheet'!A1", "Data!H1", "Other!A1 'My Sheet'!A1 'My Sheet'!A2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReferencesToATable(t *testing.T) {
	got := traced(t, func(f *excelize.File) {
		for i, name := range []string{"City", "Unit [€]", "Total"} {
			must(t, f.SetCellStr("Data", placements.Anchor{Row: 1, Column: 1 + i}.String(), name))
		}
		must(t, f.AddTable("Data", &excelize.Table{Range: "B2:D5", Name: "Sales"}))
		formulas(t, f, "Other!A1: SUM(sales[Total])", "Other!A2: SUM(Sales[[#Data],[City]:[Unit '[€']]])", "Other!A3: ROWS(Sales)",
			"Data!D3: [@[Unit '[€']]]*2", "Other!A4: COUNT(Other[Total])", "Other!A5: Sales[@Total]", "Other!A6: Sales[gone]")
	}, 0, 1, 2)
	want := []string{"Other!A2 Other!A3", "Data!D3 Other!A2 Other!A3", "Other!A1 Other!A3 Other!A5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReferencesOfFilledFormulas(t *testing.T) {
	b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData>
		<row r="2"><c r="H2"><f t="shared" ref="H2:H7" si="0">B1+1</f></c><c r="I2"><f t="array" ref="I2:I9">C2:C9*2</f></c></row>
		<row r="3"><c r="H3"><f t="shared" si="0"/></c></row>
		<row r="6"><c r="H6"><f t="shared" si="0"/></c></row>
		<row r="7"><c r="H7"><f t="shared" si="0"/></c><c r="J7"><f t="dataTable" ref="J7:J9" dt2D="0" dtr="0" r1="D2"/></c></row>
	</sheetData>`)})
	got := References(t, b.dir, b.block, 0, 1, 2)
	if diff := cmp.Diff([]string{"Sheet1!H3 Sheet1!H6", "Sheet1!I2", "Sheet1!J7"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReferencesFollowTheMarker(t *testing.T) {
	got := traced(t, func(f *excelize.File) {
		must(t, f.SetDefinedName(&excelize.DefinedName{Name: host.MarkerName("p"), RefersTo: "Other!$F$3:$G$4"}))
		formulas(t, f, "Data!H1: B2", "Data!H2: Other!G4", "Data!H3: Other!G5")
	}, 1)
	if diff := cmp.Diff([]string{"Data!H2"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestReferencesOfManyFormulas looks through 100,000 formulas, of which only the last ones refer to the block's second column.
func TestReferencesOfManyFormulas(t *testing.T) {
	find := func(rows int) int64 {
		var xml strings.Builder
		for row := 1; row <= rows; row++ {
			column := "B"
			if row > rows-200 {
				column = "C"
			}
			fmt.Fprintf(&xml, `<row r="%d"><c r="H%[1]d"><f>IF(SUM(Sheet1!%s$2:%[2]s$9)&gt;5,H%[3]d,"none")</f><v>1</v></c></row>`,
				row, column, row+1)
		}
		b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + xml.String() + "</sheetData>")})
		xml.Reset()
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := References(t, b.dir, b.block, 1)
		runtime.ReadMemStats(&after)
		cells := strings.Split(got[0], " ")
		if first := fmt.Sprintf("Sheet1!H%d", rows-199); len(cells) != host.MaxReferences || cells[0] != first {
			t.Errorf("%d cells from %s, want %d from %s", len(cells), cells[0], host.MaxReferences, first)
		}
		return int64(after.HeapSys+after.StackSys) - int64(before.HeapSys+before.StackSys) // which may have shrunk
	}
	find(1000)
	if grown := find(100_000); grown > 32<<20 {
		t.Errorf("the process grew by %d bytes", grown)
	}
}
