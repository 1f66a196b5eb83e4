package pivot

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/checksum"
)

func TestTableShowsComputedTotals(t *testing.T) {
	year := Column{Name: "year"}
	average := Column{Name: "sales"}
	byYear := Items{Rows: []string{"region"}, Columns: []string{"year"}, Measures: []string{"sales"}, ShowColumnTotals: true}
	ofAll := Items{Rows: []string{"region"}, Measures: []string{"sales", "cost"}, MeasuresAxis: "rows", ShowColumnTotals: true}
	const sums = ",sales,sales; region,2023,2024; US,17,20; EU,5; Total (sum),22,20"
	both := byYear
	both.ShowRowTotals = true
	columns := &Group{tableOf(row("year", "sales"), row(2023, 7.5), row(2024, 20)), []Column{year, average}}
	rows := &Group{tableOf(row("sales", "region"), row(5, "EU"), row(12, "US"), row(3, "AU")), []Column{average, {Name: "region"}}}
	all := &Group{tableOf(row("sales"), row(11)), []Column{average}}
	const bothSums = ",sales,sales,sales; region,2023,2024,Total (sum); US,17,20,37; EU,5,,5; Total (sum),22,20,42"
	tests := []struct {
		name     string
		in       Items
		computed Totals
		want     string
	}{
		{
			"a total a column, whatever order they come in", byYear,
			Totals{ByColumn: &Group{tableOf(row("year", "sales"), row(2024, 20), row(2023, 7.5)), []Column{year, average}}},
			",sales,sales; region,2023,2024; US,17,20; EU,5; Total,7.5,20",
		},
		{
			"a label that came up since is left out", byYear,
			Totals{ByColumn: &Group{tableOf(row("sales", "year"), row(1, 2022), row(7.5, 2023), row(20, 2024)), []Column{average, year}}},
			",sales,sales; region,2023,2024; US,17,20; EU,5; Total,7.5,20",
		},
		{
			"without one for each column all are sums", byYear,
			Totals{ByColumn: &Group{tableOf(row("year", "sales"), row(2024, 20)), []Column{year, average}}},
			sums,
		},
		{
			"the same column twice stands for no other", byYear,
			Totals{ByColumn: &Group{tableOf(row("year", "sales"), row(2024, 20), row(2024, 20)), []Column{year, average}}},
			sums,
		},
		{
			"without one for each measure all are sums", byYear,
			Totals{ByColumn: &Group{tableOf(row("year"), row(2024), row(2023)), []Column{year}}},
			sums,
		},
		{
			"measures on the rows, one of them empty", ofAll,
			Totals{ByColumn: &Group{tableOf(row("sales", "cost"), row(8)), []Column{average, {Name: "cost"}}}},
			"Measure,region,Value; sales,US,37; sales,EU,5; cost,US,6; cost,EU; sales,Total,8; cost,Total",
		},
		{
			"rows, columns and all", both,
			Totals{columns, rows, all},
			",sales,sales,sales; region,2023,2024,Total; US,17,20,12; EU,5,,5; Total,7.5,20,11",
		},
		{"all are sums where those of the rows are missing", both, Totals{ByColumn: columns, All: all}, bothSums},
		{"or that of all", both, Totals{ByColumn: columns, ByRow: rows}, bothSums},
		{
			"or a row has none since", both, Totals{columns, &Group{tableOf(row("sales", "region"), row(5, "EU")), rows.Columns}, all}, bothSums,
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

// A pivot without the flags of totals is the table of its crossings: that with them has it as it is, above and to the left of the totals.
func TestTotalsLeaveTheTableAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b checksum.Builder
		b.Append(row("a", "b", "m", "n")...)
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			value := rapid.IntRange(-3, 3)
			b.Append(row(value.Draw(t, "a"), value.Draw(t, "b"), value.Draw(t, "m"), value.Draw(t, "n"))...)
		}
		flat, columns := b.Grid(), []Column{{Name: "a"}, {Name: "b"}, {Name: "m"}, {Name: "n"}}
		some := func(names ...string) []string { return names[:rapid.IntRange(0, len(names)).Draw(t, names[0])] }
		p := Items{
			Rows: some("a"), Columns: some("b"), Measures: some("m", "n"), MeasuresAxis: rapid.SampledFrom([]string{"", "rows"}).Draw(t, "axis"),
			MeasuresPosition: rapid.SampledFrom([]string{"", "after"}).Draw(t, "position"), ShowAppliedFilters: rapid.Bool().Draw(t, "filters"),
		}
		plain, _, err := Table(flat, columns, p, nil, manyCells)
		if err != nil {
			t.Fatal(err)
		}
		p.ShowRowTotals, p.ShowColumnTotals = rapid.Bool().Draw(t, "rowTotals"), rapid.Bool().Draw(t, "columnTotals")
		totalled, formats, err := Table(flat, columns, p, nil, manyCells)
		if err != nil {
			t.Fatal(err)
		}
		if len(formats) < totalled.Columns() {
			t.Fatalf("%d formats for %d columns", len(formats), totalled.Columns())
		}
		for i := range plain.Rows() {
			cells := totalled.Cells(i, nil)
			for k := range plain.Columns() {
				if got, want := checksum.CellAt(cells, k), checksum.CellAt(plain.Cells(i, nil), k); got != want {
					t.Fatalf("row %d, column %d is %v, want %v", i, k, got, want)
				}
			}
		}
		if !p.ShowRowTotals && !p.ShowColumnTotals && !reflect.DeepEqual(plain.Checksum(), totalled.Checksum()) {
			t.Fatal("without totals the table is another")
		}
	})
}
