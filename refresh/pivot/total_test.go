package pivot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTableShowsComputedTotals(t *testing.T) {
	year := Column{Name: "year"}
	average := Column{Name: "sales"}
	byYear := Items{Rows: []string{"region"}, Columns: []string{"year"}, Measures: []string{"sales"}, ShowColumnTotals: true}
	ofAll := Items{Rows: []string{"region"}, Measures: []string{"sales", "cost"}, MeasuresAxis: "rows", ShowColumnTotals: true}
	const sums = ",sales,sales; region,2023,2024; US,17,20; EU,5; Total (sum),22,20"
	tests := []struct {
		name     string
		in       Items
		computed Totals
		want     string
	}{
		{
			"a total a column, whatever order they come in", byYear,
			Totals{tableOf(row("year", "sales"), row(2024, 20), row(2023, 7.5)), []Column{year, average}},
			",sales,sales; region,2023,2024; US,17,20; EU,5; Total,7.5,20",
		},
		{
			"a label that came up since is left out", byYear,
			Totals{tableOf(row("sales", "year"), row(1, 2022), row(7.5, 2023), row(20, 2024)), []Column{average, year}},
			",sales,sales; region,2023,2024; US,17,20; EU,5; Total,7.5,20",
		},
		{
			"without one for each column all are sums", byYear,
			Totals{tableOf(row("year", "sales"), row(2024, 20)), []Column{year, average}},
			sums,
		},
		{
			"the same column twice stands for no other", byYear,
			Totals{tableOf(row("year", "sales"), row(2024, 20), row(2024, 20)), []Column{year, average}},
			sums,
		},
		{
			"without one for each measure all are sums", byYear,
			Totals{tableOf(row("year"), row(2024), row(2023)), []Column{year}},
			sums,
		},
		{
			"measures on the rows, one of them empty", ofAll,
			Totals{tableOf(row("sales", "cost"), row(8)), []Column{average, {Name: "cost"}}},
			"Measure,region,Value; sales,US,37; sales,EU,5; cost,US,6; cost,EU; sales,Total,8; cost,Total",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Table(sales, salesColumns, tt.in, &tt.computed, manyCells)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown(got)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}
