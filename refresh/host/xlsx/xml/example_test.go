package xml_test

import (
	"fmt"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

func ExampleScanner() {
	s := xml.NewScanner(strings.NewReader(`<sheet><row r="1"/></sheet>`))
	for s.Next() == nil {
		fmt.Printf("%d %s\n", s.From, s.Raw)
	}
	// Output:
	// 0 <sheet>
	// 7 <row r="1"/>
	// 19 </sheet>
}
