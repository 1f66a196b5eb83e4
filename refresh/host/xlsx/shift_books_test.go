package xlsx

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/xuri/excelize/v2"
)

// madeFormulas are formulas of all kinds of references to Data, whose block is B3:E12 with its header in row 3, by the cells of sheet
// Around.
var madeFormulas = []string{
	"=Data!B6", "=Data!$B$6", "=Data!B$6", "=Data!$B6", "=Data!D20", "=Data!A6", "=Data!G2",
	"=SUM(Data!B4:B12)", "=SUM(Data!$B$4:$B$12)", "=SUM(Data!B4:E12)", "=SUM(Data!A4:E12)", "=SUM(Data!D4:G12)", "=SUM(Data!B6:B6)",
	"=SUM(Data!B6:B7)", "=SUM(Data!B7:C8)", "=SUM(Data!B4:B6)", "=SUM(Data!B8:B12)", "=SUM(Data!B3:B13)", "=SUM(Data!B12:B12)",
	"=SUM(Data!B:B)", "=SUM(Data!$B:$E)", "=SUM(Data!6:6)", "=SUM(Data!4:12)", "=SUM(Data!$6:$9)",
	"=SUM((Data!B3:B6,Data!C3:C9,Data!D3:D9))", "=SUM(Data!B3:C9 Data!C3:D12)", "=ROWS(Data!B4:B12)&\"Data!B6\"",
	"=SUM(Third:Around!B8:B9)", "='Other One'!B6+'Other One'!A1", "=SUM('Other One'!C4:C9)",
	"=Third!B8", "=SUM(Third!B4:B12)", "=total+rate", "=SUM(column)*rate", "=IF(Data!B7>2,Data!B7*1.5E2,\"B7\")", "=INDEX(Data!B4:E12,3,2)",
	"=VLOOKUP(3,Data!B4:E12,2,FALSE)", "=SUMIFS(Data!D4:D12,Data!B4:B12,\">3\",Data!C4:C12,\"<>x\")", "=OFFSET(Data!B6,1,0)",
	"=INDIRECT(\"Data!B6\")", "=ROW(Data!B9)", "=-Data!B6%+2^Data!B7", "={1,2;3,4}+Data!B6", "=SUM(Data!B4:INDEX(Data!B4:B12,4))",
	"=LOG10(Data!B6)", "=Data!B6=Data!B7", "=Data!D15", "=SUM(Data!D16:D17)", "=COUNTA(Data!B18:E30)", "=SUM(Table[value])", "=Data!XFD6",
}

// madeBook is a workbook with all that refers to cells, or stands in or below the block Data!B3:E12 and beside it.
func madeBook(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	errs := []error{f.SetSheetName("Sheet1", "Data")}
	do := func(err error) { errs = append(errs, err) }
	for _, name := range []string{"Other One", "Third", "Around"} {
		_, err := f.NewSheet(name)
		do(err)
	}
	for _, sheet := range []string{"Data", "Other One", "Third"} {
		for row := 1; row <= 20; row++ {
			for column := 1; column <= 8; column++ {
				cell, _ := excelize.CoordinatesToCellName(column, row)
				do(f.SetCellValue(sheet, cell, float64(row*10+column)))
			}
		}
	}
	for i, header := range []string{"key", "name", "value", "more"} {
		do(f.SetCellValue("Data", fmt.Sprintf("%c3", 'B'+i), header))
	}
	madeNames(f, do)
	madeCells(f, do)
	madeRest(f, do)
	for i, text := range madeFormulas {
		do(f.SetCellFormula("Around", fmt.Sprintf("A%d", i+1), text))
	}
	out, err := f.WriteToBuffer()
	if err := cmp.Or(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func madeNames(f *excelize.File, do func(error)) {
	for name, refers := range map[string]string{
		"total": "Data!$D$15", "rate": "Data!$G$2", "column": "Data!$B$4:$B$12", "list": "Data!$B$4:$B$12,Data!$D$4:$D$9",
		"dynamic": "OFFSET(Data!$B$4,0,0,COUNTA(Data!$B:$B),1)",
	} {
		do(f.SetDefinedName(&excelize.DefinedName{Name: name, RefersTo: refers}))
	}
	do(f.SetDefinedName(&excelize.DefinedName{Name: "local", RefersTo: "Data!$C$6:$C$18", Scope: "Data"}))
	do(f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", RefersTo: "Data!$B$3:$E$18", Scope: "Data"}))
}

// madeCells are formulas in, beside and below the block, merges and an array.
func madeCells(f *excelize.File, do func(error)) {
	shared, array := excelize.STCellFormulaTypeShared, excelize.STCellFormulaTypeArray
	for row := 4; row <= 12; row++ {
		do(f.SetCellFormula("Data", fmt.Sprintf("F%d", row), fmt.Sprintf("=D%d*2+$B$4", row))) // beside
	}
	over := "G4:G12"
	do(f.SetCellFormula("Data", "G4", "=SUM(D$4:D4)", excelize.FormulaOpts{Type: &shared, Ref: &over}))
	across := "B15:E15"
	do(f.SetCellFormula("Data", "B15", "=SUM(B4:B12)", excelize.FormulaOpts{Type: &shared, Ref: &across}))
	do(f.SetCellFormula("Data", "B17", "=SUBTOTAL(9,B4:B12)+B$15"))
	cells := "C17:D17"
	do(f.SetCellFormula("Data", "C17", "=C4:D4*2", excelize.FormulaOpts{Type: &array, Ref: &cells}))
	do(f.SetCellFormula("Data", "A17", "=SUM(B4:B12)-B15"))
	do(f.SetCellFormula("Data", "H9", "=H8+B9+B20"))
	for _, merge := range [][2]string{{"B16", "C16"}, {"D18", "D19"}, {"G18", "H18"}} {
		do(f.MergeCell("Data", merge[0], merge[1]))
	}
}

// madeRest are rules, comments, links, a chart and a sparkline.
func madeRest(f *excelize.File, do func(error)) {
	red, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "FF0000"}})
	do(err)
	rule := func(area, formula string) {
		do(f.SetConditionalFormat("Data", area, []excelize.ConditionalFormatOptions{{Type: "formula", Criteria: formula, Format: &red}}))
	}
	rule("D4:D12", "=D4>$D$15")
	rule("B16:E18", "=B$6>1")
	rule("A1:A20", "=$B1=$D6")
	list := excelize.NewDataValidation(true)
	list.SetSqref("C4:C12")
	list.SetSqrefDropList("Data!$B$16:$B$18")
	do(f.AddDataValidation("Data", list))
	for _, cell := range []string{"C8", "D16", "G9"} {
		do(f.AddComment("Data", excelize.Comment{Cell: cell, Author: "someone", Text: "at " + cell}))
	}
	do(f.SetCellHyperLink("Data", "E16", "Around!A1", "Location"))
	do(f.AddTable("Third", &excelize.Table{Range: "B4:E9", Name: "Table"}))
	do(f.SetCellFormula("Third", "G5", "=SUM(Table[[#All],[Column1]])"))
	do(f.AddChart("Data", "C22", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{
		{Name: "Data!$D$3", Categories: "Data!$C$4:$C$12", Values: "Data!$D$4:$D$12"},
		{Name: "Data!$D$15", Values: "Data!$B$15:$E$15"},
	}}))
	do(f.AddSparkline("Data", &excelize.SparklineOptions{Location: []string{"H15"}, Range: []string{"Data!D4:D12"}}))
}

// madeTries are shifts in the workbook that is made: within the block, wider and narrower than it, and behind its last row.
func madeTries() []*shiftTry {
	tries := []*shiftTry{{At: "behind", Top: 2, Row: 12, Rows: 2}, {At: "behind", Top: 2, Row: 12, Rows: 1, Right: 7}}
	for _, row := range []int{4, 6, 8, 11} {
		for _, rows := range []int{1, 3, -1, -2} {
			if row-min(rows, 0) <= 12 {
				tries = append(tries, &shiftTry{Row: row, Rows: rows}, &shiftTry{Row: row, Rows: rows, Right: 7})
			}
		}
	}
	tries = append(tries, &shiftTry{Row: 4, Rows: 2, Left: 4, Right: 4}, &shiftTry{Row: 4, Rows: -8})
	for _, s := range tries {
		s.Sheet, s.At, s.Left, s.Right = "Data", cmp.Or(s.At, "within"), cmp.Or(s.Left, 1), cmp.Or(s.Right, 4)
		s.Top = cmp.Or(s.Top, s.Row-2)
	}
	return tries
}
