package refresh

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// replaceIn replaces texts in a part of a workbook, which no library writes so.
func (r *rig) replaceIn(name, part string, texts ...string) {
	r.Helper()
	doc := r.bytes(name)
	zr, err := zip.NewReader(strings.NewReader(doc), int64(len(doc)))
	must(r.T, err)
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, f := range zr.File {
		in, err := f.Open()
		must(r.T, err)
		content, err := io.ReadAll(in)
		must(r.T, err)
		if f.Name == part {
			content = []byte(strings.NewReplacer(texts...).Replace(string(content)))
		}
		w, err := zw.Create(f.Name)
		must(r.T, err)
		_, err = w.Write(content)
		must(r.T, err)
	}
	must(r.T, zw.Close())
	must(r.T, os.WriteFile(filepath.Join(r.dir, name), out.Bytes(), 0o644))
}

// tableCities makes the block at B2, of three cities, a table with a calculated column and totals, and puts formulas beside and below it.
func (r *rig) tableCities() {
	r.Helper()
	r.edit("book.xlsx", func(f *excelize.File) {
		must(r.T, f.SetCellStr("Sheet1", "D2", "double"))
		must(r.T, f.AddTable("Sheet1", &excelize.Table{Range: "B2:D6", Name: "Cities"}))
		must(r.T, f.SetCellFormula("Sheet1", "F2", ""))
		for row := 3; row < 6; row++ {
			must(r.T, f.SetCellFormula("Sheet1", fmt.Sprint("D", row), "Cities[[#This Row],[people]]*2"))
			must(r.T, f.SetCellFormula("Sheet1", fmt.Sprint("F", row), fmt.Sprintf("C%d/C$8", row)))
		}
		must(r.T, f.SetCellStr("Sheet1", "B6", "Total"))
		must(r.T, f.SetCellFormula("Sheet1", "C6", "SUBTOTAL(109,Cities[people])"))
		must(r.T, f.SetCellFormula("Sheet1", "C8", "SUM(C3:C5)"))
	})
	r.replaceIn("book.xlsx", "xl/tables/table1.xml", `displayName="Cities" ref="B2:D6"`, `displayName="Cities" ref="B2:D6" totalsRowCount="1"`,
		`autoFilter ref="B2:D6"`, `autoFilter ref="B2:D5"`, `id="1" name="name"`, `id="1" name="name" totalsRowLabel="Total"`,
		`name="people"`, `name="people" totalsRowFunction="sum"`,
		`<tableColumn id="3" name="double"></tableColumn>`,
		`<tableColumn id="3" name="double"><calculatedColumnFormula>Cities[[#This Row],[people]]*2</calculatedColumnFormula></tableColumn>`)
}

func TestTableIsRefreshedWithItsTotals(t *testing.T) {
	t.Parallel() // it waits more than it works
	r := newRig(t, storagetest.Open(t, "embedded"))
	_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: "book.xlsx", ResultLocation: "Sheet1!B2", AddressOnly: true, FillRight: placements.Sent("F:F"),
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(t, err)
	r.succeeded(r.refresh(Request{}), 4)
	r.tableCities()
	for _, step := range []struct {
		change string // of the source
		shift  bool
		ref    string   // of the table, its totals included
		fault  string   // of the run
		want   []string // of the sheet: each row's formulas, and names
	}{
		{"INSERT INTO cities VALUES (4, 'Molde', 32000)", false, "B2:D6", `Sheet1!B6:C6 holds something that is not its own: refresh with shiftRows`, nil},
		{"", true, "B2:D7", "", []string{
			"Oslo D F3=C3/C$9", "Bergen D F4=C4/C$9", "=1+1 D F5=C5/C$9", "Molde D F6=C6/C$9", "Total C7=SUBTOTAL(109,Cities[people])", "", "C9=SUM(C3:C6)",
		}},
		{"DELETE FROM cities WHERE id IN (1, 3)", true, "B2:D5", "", []string{
			"Bergen D F3=C3/C$7", "Molde D F4=C4/C$7", "Total C5=SUBTOTAL(109,Cities[people])", "", "C7=SUM(C3:C4)",
		}},
		{"DELETE FROM cities", true, "B2:D4", "", []string{"D F3=C3/C$6", "Total C4=SUBTOTAL(109,Cities[people])", "", "C6=SUM(C3:C3)"}},
		{"INSERT INTO cities VALUES (1, 'Oslo', 7), (2, 'Bergen', 3)", true, "B2:D5", "", []string{
			"Oslo D F3=C3/C$7", "Bergen D F4=C4/C$7", "Total C5=SUBTOTAL(109,Cities[people])", "", "C7=SUM(C3:C4)",
		}},
		{"INSERT INTO cities VALUES (0, 'Vadsø', 1)", true, "B2:D6", "", []string{
			"Vadsø D F3=C3/C$8", "Oslo D F4=C4/C$8", "Bergen D F5=C5/C$8", "Total C6=SUBTOTAL(109,Cities[people])", "", "C8=SUM(C3:C5)",
		}},
	} {
		if step.change != "" {
			r.exec(step.change)
		}
		run := r.refresh(Request{Options: shiftRows(step.shift)})
		if got := run.Error; step.fault == "" != (got == "") || !strings.Contains(got, step.fault) {
			t.Fatalf("%s: run is %s: %s, want a fault with %q", step.change, run.State, got, step.fault)
		}
		if step.fault != "" {
			continue
		}
		if diff := cmp.Diff(step.want, r.citiesTable(step.ref)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.change, diff)
		}
	}
}

// citiesTable checks where the table stands, and lists what stands in its rows and below: the name in column B, a D for a calculated cell,
// other formulas with their cells.
func (r *rig) citiesTable(ref string) (rows []string) {
	r.Helper()
	f, err := excelize.OpenFile(filepath.Join(r.dir, "book.xlsx"))
	must(r.T, err)
	defer f.Close()
	tables, err := f.GetTables("Sheet1")
	must(r.T, err)
	if len(tables) != 1 || tables[0].Range != ref {
		r.Errorf("tables %+v, want one over %s", tables, ref)
	}
	for row := 3; row < 10; row++ {
		name, err := f.GetCellValue("Sheet1", fmt.Sprint("B", row))
		must(r.T, err)
		line := []string{name}
		for _, column := range []string{"C", "D", "F"} {
			at := fmt.Sprint(column, row)
			formula, err := f.GetCellFormula("Sheet1", at)
			must(r.T, err)
			switch {
			case formula == "Cities[[#This Row],[people]]*2":
				line = append(line, "D")
			case formula != "":
				line = append(line, at+"="+formula)
			}
		}
		rows = append(rows, strings.TrimPrefix(strings.Join(line, " "), " "))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
