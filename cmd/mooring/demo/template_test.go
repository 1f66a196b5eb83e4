package demo

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"
)

var update = flag.Bool("update", false, "write demodata/states.xlsx anew")

// The demo's workbook is what a team might have around a table: a sheet with a styled header and remarks beside the rows, and a
// second sheet that calculates with them. It is kept as a file, since only tests may use a library that writes one from nothing.
func TestDemoWorkbookTemplate(t *testing.T) {
	name := filepath.Join("demodata", "states.xlsx")
	if *update {
		writeTemplate(t, name)
	}
	f, err := excelize.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for cell, want := range map[string]string{
		"B4":  "SUMIF(States!$B$6:$B$56,$A4,States!C$6:C$56)",
		"C8":  "SUM(C4:C7)",
		"E4":  "D4/B4",
		"B11": "SUMIF(States!$B$6:$B$56,$A$11,States!$D$6:$D$56)",
	} {
		if got, err := f.GetCellFormula("Summary", cell); err != nil || got != want {
			t.Errorf("formula of Summary!%s = %q, %v, want %q", cell, got, err, want)
		}
	}
	if v, err := f.GetDataValidations("Summary"); err != nil || len(v) != 1 {
		t.Errorf("data validations = %d, %v, want 1", len(v), err)
	}
	if c, err := f.GetComments("States"); err != nil || len(c) != 1 {
		t.Errorf("notes = %d, %v, want 1", len(c), err)
	}
	style, err := f.GetCellStyle("States", "A5")
	if err != nil || style == 0 {
		t.Errorf("style of the header = %d, %v, want one", style, err)
	}
	if got, err := f.GetCellValue("States", "A6"); err != nil || got != "" {
		t.Errorf("States!A6 = %q, %v: the block's place must be empty", got, err)
	}
	if charts := partsLike(t, name, "xl/charts/chart*.xml"); charts != 1 {
		t.Errorf("charts = %d, want 1", charts)
	}
}

func partsLike(t *testing.T, name, pattern string) int {
	t.Helper()
	parts, err := readParts(name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for part := range parts {
		if ok, err := filepath.Match(pattern, part); err != nil || ok {
			n++
		}
	}
	return n
}

// workbookWriter makes a workbook and keeps the first error.
type workbookWriter struct {
	*excelize.File
	err error
}

func (w *workbookWriter) keep(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *workbookWriter) set(sheet, cell string, value any) {
	w.keep(w.SetCellValue(sheet, cell, value))
}

func (w *workbookWriter) formula(sheet, cell, formula string) {
	w.keep(w.SetCellFormula(sheet, cell, formula))
}

func (w *workbookWriter) style(sheet, from, to string, style *excelize.Style) {
	id, err := w.NewStyle(style)
	w.keep(err)
	w.keep(w.SetCellStyle(sheet, from, to, id))
}

func writeTemplate(t *testing.T, name string) {
	t.Helper()
	w := &workbookWriter{File: excelize.NewFile()}
	defer w.Close()
	w.keep(w.SetSheetName("Sheet1", "States"))
	writeStates(w)
	_, err := w.NewSheet("Summary")
	w.keep(err)
	writeSummary(w)
	w.keep(w.SaveAs(name))
	if w.err != nil {
		t.Fatal(w.err)
	}
}

func writeStates(w *workbookWriter) {
	const sheet = "States"
	w.set(sheet, "A1", "Residents of the United States")
	w.style(sheet, "A1", "A1", &excelize.Style{Font: &excelize.Font{Bold: true, Size: 16, Color: "1F3864"}})
	w.set(sheet, "A2", "The table below is kept true by Mooring. Everything else in this workbook is ours.")
	w.style(sheet, "A2", "A2", &excelize.Style{Font: &excelize.Font{Italic: true, Color: "7F7F7F"}})
	header := &excelize.Style{
		Font: &excelize.Font{Bold: true, Color: "FFFFFF"},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"1F3864"}},
	}
	w.style(sheet, "A5", "E5", header)
	w.style(sheet, "C6", "E80", &excelize.Style{NumFmt: 3})
	w.set(sheet, "G5", "Our remarks")
	w.style(sheet, "G5", "G5", header)
	w.set(sheet, "G10", "ask the sales team for a second office here")
	w.formula(sheet, "G14", "D14-C14")
	w.keep(w.AddComment(sheet, excelize.Comment{Cell: "A5", Author: "Ana", Paragraph: []excelize.RichTextRun{{Text: "Counts of the decennial census, as of April 1."}}}))
	w.keep(w.SetColWidth(sheet, "A", "E", 18))
	w.keep(w.SetColWidth(sheet, "G", "G", 44))
	w.keep(w.SetPanes(sheet, &excelize.Panes{Freeze: true, YSplit: 5, TopLeftCell: "A6", ActivePane: "bottomLeft"}))
}

func writeSummary(w *workbookWriter) {
	const sheet = "Summary"
	w.set(sheet, "A1", "By region")
	w.style(sheet, "A1", "A1", &excelize.Style{Font: &excelize.Font{Bold: true, Size: 14}})
	for i, title := range []string{"Region", "2010", "2020", "Change", "Growth"} {
		w.set(sheet, string(rune('A'+i))+"3", title)
	}
	regions := []string{"Midwest", "Northeast", "South", "West"}
	for i, region := range regions {
		row := fmt.Sprint(4 + i)
		w.set(sheet, "A"+row, region)
		w.formula(sheet, "B"+row, "SUMIF(States!$B$6:$B$56,$A"+row+",States!C$6:C$56)")
		w.formula(sheet, "C"+row, "SUMIF(States!$B$6:$B$56,$A"+row+",States!D$6:D$56)")
	}
	w.set(sheet, "A8", "All")
	w.formula(sheet, "B8", "SUM(B4:B7)")
	w.formula(sheet, "C8", "SUM(C4:C7)")
	for row := 4; row <= 8; row++ {
		w.formula(sheet, fmt.Sprint("D", row), fmt.Sprintf("C%d-B%d", row, row))
		w.formula(sheet, fmt.Sprint("E", row), fmt.Sprintf("D%d/B%d", row, row))
	}
	w.style(sheet, "B4", "D8", &excelize.Style{NumFmt: 3})
	w.style(sheet, "E4", "E8", &excelize.Style{NumFmt: 10})
	w.set(sheet, "A10", "Choose a region")
	w.set(sheet, "A11", "South")
	w.formula(sheet, "B11", "SUMIF(States!$B$6:$B$56,$A$11,States!$D$6:$D$56)")
	choice := excelize.NewDataValidation(true)
	choice.SetSqref("A11")
	w.keep(choice.SetDropList(regions))
	w.keep(w.AddDataValidation(sheet, choice))
	w.keep(w.AddChart(sheet, "G3", &excelize.Chart{
		Type: excelize.Col,
		Series: []excelize.ChartSeries{
			{Name: "Summary!$B$3", Categories: "Summary!$A$4:$A$7", Values: "Summary!$B$4:$B$7"},
			{Name: "Summary!$C$3", Categories: "Summary!$A$4:$A$7", Values: "Summary!$C$4:$C$7"},
		},
		Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Residents by region"}}},
	}))
}
