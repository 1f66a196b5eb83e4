package cursor_test

import (
	"fmt"
	"strings"

	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

func Example() {
	s := xml.NewScanner(strings.NewReader(`<sheetData><row r="3"><c/><c r="D3"/></row><row/></sheetData>`))
	at := cursor.New()
	for s.Next() == nil {
		switch {
		case s.Opens("row"):
			fmt.Println("row", at.ToRow(s), at.Row+1)
		case s.Opens("c"):
			fmt.Println("cell", at.ToCell(s), at.Column+1)
		}
	}
	// Output:
	// row <nil> 3
	// cell <nil> 1
	// cell <nil> 4
	// row <nil> 4
}
