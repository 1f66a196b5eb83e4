package pivot_test

import (
	"fmt"

	"mooring/checksum"
	"mooring/refresh/pivot"
)

func Example() {
	var flat checksum.Builder
	flat.Append(checksum.Str("region"), checksum.Str("year"), checksum.Str("sales"))
	flat.Append(checksum.Str("EU"), checksum.Num(2025), checksum.Num(10))
	flat.Append(checksum.Str("EU"), checksum.Num(2026), checksum.Num(30))
	flat.Append(checksum.Str("US"), checksum.Num(2026), checksum.Num(20))
	columns := []pivot.Column{{Name: "region"}, {Name: "year"}, {Name: "sales", Format: "0.0"}}
	items := pivot.Items{Rows: []string{"region"}, Columns: []string{"year"}, Measures: []string{"sales"}}

	table, formats, err := pivot.Table(flat.Grid(), columns, items, nil, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row := range table.Rows() {
		for _, cell := range table.Cells(row, nil) {
			if cell.Kind == checksum.Number {
				cell.Text = fmt.Sprint(cell.Number)
			}
			fmt.Printf("|%s", cell.Text)
		}
		fmt.Println("|")
	}
	fmt.Printf("%q\n", formats)
	// Output:
	// ||sales|sales|
	// |region|2025|2026|
	// |EU|10|30|
	// |US||20|
	// ["" "0.0" "0.0"]
}
