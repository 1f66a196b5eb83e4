package shift_test

import (
	"fmt"
	"os"
	"strings"

	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
)

func Example() {
	const part = `<worksheet><sheetData></sheetData></worksheet>`
	m := &shift.Moves{By: formula.Shifts{{Sheet: "Data", Left: 0, Right: 1, Row: 4, Rows: 3}}, Sheets: []string{"Data"}}
	followed, err := shift.Sheet(strings.NewReader(part), os.Stdout, "Data", m)
	fmt.Println()
	fmt.Println(followed.Formulas, err)
	// Output:
	// <worksheet><sheetData></sheetData></worksheet>
	// 0 <nil>
}
