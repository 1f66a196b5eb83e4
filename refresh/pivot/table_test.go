package pivot

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// manyCells is as many cells as the results of a query may have.
const manyCells = 10_000_000

// sales is a flat result: a day's region, year, sales and cost. EU has no 2024.
var (
	salesColumns = []Column{
		{Name: "day", Format: checksum.DateFormat}, {Name: "region"}, {Name: "year"}, {Name: "sales"}, {Name: "cost"}, {Name: "note"},
	}
	sales = tableOf(
		row("day", "region", "year", "sales", "cost", "note"),
		row(45000, "US", 2023, 10, 1, "a"),
		row(45001, "US", 2024, 20, 2, "b"),
		row(45000, "EU", 2023, 5, nil, "c"),
		row(45001, "US", 2023, 7, 3, "d"),
	)
)

func row(values ...any) []checksum.Cell {
	cells := make([]checksum.Cell, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case nil:
		case int:
			cells[i] = checksum.Num(float64(v))
		case float64:
			cells[i] = checksum.Num(v)
		case string:
			cells[i] = checksum.Str(v)
		case checksum.Cell:
			cells[i] = v
		default:
			panic(fmt.Sprintf("no cell for %T", value))
		}
	}
	return cells
}

func tableOf(rows ...[]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for _, cells := range rows {
		b.Append(cells...)
	}
	return b.Grid()
}

// shown is a table as text: cells by commas, rows by semicolons, errors and empty cells as a sheet shows them.
func shown(g *checksum.Grid) string {
	var rows []string
	for i := range g.Rows() {
		var cells []string
		for _, c := range g.Cells(i, nil) {
			switch c.Kind {
			case checksum.Number:
				cells = append(cells, fmt.Sprint(c.Number))
			default:
				cells = append(cells, c.Text)
			}
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return strings.Join(rows, "; ")
}

func TestTable(t *testing.T) {
	list := func(names ...string) []string { return names }
	tests := []struct {
		name string
		in   Items
		want string
	}{
		{"a pivot of nothing is the result as it is", Items{Filters: list("year")}, shown(sales)},
		{
			"rows and measures",
			Items{Rows: list("region"), Measures: list("sales", "cost")},
			"region,sales,cost; US,37,6; EU,5",
		},
		{
			"rows come in the order of the result",
			Items{Rows: list("year", "region"), Measures: list("sales")},
			"year,region,sales; 2023,US,17; 2024,US,20; 2023,EU,5",
		},
		{
			"columns, with a gap where the result has nothing",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales")},
			",sales,sales; region,2023,2024; US,17,20; EU,5",
		},
		{
			"measures before the columns",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), MeasuresPosition: "before"},
			",sales,sales,cost,cost; region,2023,2024,2023,2024; US,17,20,4,2; EU,5",
		},
		{
			"measures after the columns",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), MeasuresPosition: "after"},
			",2023,2023,2024,2024; region,sales,cost,sales,cost; US,17,4,20,2; EU,5",
		},
		{
			"measures on the rows, before",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), MeasuresAxis: "rows"},
			"Measure,region,2023,2024; sales,US,17,20; sales,EU,5; cost,US,4,2; cost,EU",
		},
		{
			"measures on the rows, after",
			Items{
				Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), MeasuresAxis: "rows",
				MeasuresPosition: "after",
			},
			"region,Measure,2023,2024; US,sales,17,20; US,cost,4,2; EU,sales,5; EU,cost",
		},
		{
			"measures on the rows, without columns",
			Items{Rows: list("region"), Measures: list("sales"), MeasuresAxis: "rows"},
			"Measure,region,Value; sales,US,37; sales,EU,5",
		},
		{"only measures", Items{Measures: list("sales", "cost")}, "sales,cost; 42,6"},
		{"only rows are the distinct ones", Items{Rows: list("region")}, "region; US; EU"},
		{"only columns", Items{Columns: list("region"), Measures: list("sales")}, "sales,sales; US,EU; 37,5"},
		{"columns without measures", Items{Rows: list("region"), Columns: list("year")}, "region,2023,2024; US; EU"},
		{
			"dates in the header are text",
			Items{Rows: list("region"), Columns: list("day"), Measures: list("sales")},
			",sales,sales; region,2023-03-15,2023-03-16; US,10,27; EU,5",
		},
		{
			"totals say that they are sums",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), ShowColumnTotals: true},
			",sales,sales,cost,cost; region,2023,2024,2023,2024; US,17,20,4,2; EU,5; Total (sum),22,20,4,2",
		},
		{
			"a total a measure on the rows",
			Items{Rows: list("region"), Measures: list("sales", "cost"), MeasuresAxis: "rows", ShowColumnTotals: true},
			"Measure,region,Value; sales,US,37; sales,EU,5; cost,US,6; cost,EU; sales,Total (sum),42; cost,Total (sum),6",
		},
		{"without rows there is one row, which is its own total", Items{Measures: list("sales"), ShowColumnTotals: true}, "sales; 42"},
		{
			"dates have no total, texts none that could be shown",
			Items{Rows: list("region", "year"), Measures: list("day", "note"), ShowColumnTotals: true},
			"region,year,day,note; US,2023,90001,#VALUE!; US,2024,45001,b; EU,2023,45000,c; Total (sum),,,#VALUE!",
		},
		{
			"a total a row and measure, and of it all",
			Items{
				Rows: list("region"), Columns: list("year"), Measures: list("sales", "cost"), ShowColumnTotals: true, ShowRowTotals: true,
			},
			",sales,sales,cost,cost,sales,cost; region,2023,2024,2023,2024,Total (sum),Total (sum); US,17,20,4,2,37,6; EU,5,,,,5; " +
				"Total (sum),22,20,4,2,42,6",
		},
		{
			"row totals alone, the measures below the labels",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("sales"), MeasuresPosition: "after", ShowRowTotals: true},
			",2023,2024,Total (sum); region,sales,sales,sales; US,17,20,37; EU,5,,5",
		},
		{
			"one column of row totals for measures on the rows",
			Items{
				Rows: list("region"), Columns: list("year", "note"), Measures: list("sales", "cost"), MeasuresAxis: "rows",
				ShowColumnTotals: true, ShowRowTotals: true,
			},
			",,2023,2024,2023,2023,Total (sum); Measure,region,a,b,c,d; sales,US,10,20,,7,37; sales,EU,,,5,,5; cost,US,1,2,,3,6; cost,EU; " +
				"sales,Total (sum),10,20,5,7,42; cost,Total (sum),1,2,,3,6",
		},
		{"a row without members has a total too", Items{Columns: list("region"), Measures: list("sales"), ShowRowTotals: true}, "sales,sales,sales; US,EU,Total (sum); 37,5,42"},
		{
			"without columns each row is its own total",
			Items{Rows: list("region"), Measures: list("sales"), ShowRowTotals: true},
			"region,sales; US,37; EU,5",
		},
		{
			"nothing to total without measures",
			Items{Rows: list("region"), Columns: list("year"), ShowRowTotals: true},
			"region,2023,2024; US; EU",
		},
		{
			"dates and texts in row totals",
			Items{Rows: list("region"), Columns: list("year"), Measures: list("day", "note"), ShowRowTotals: true},
			",day,day,note,note,day,note; region,2023,2024,2023,2024,Total (sum),Total (sum); " +
				"US,90001,45001,#VALUE!,b,,#VALUE!; EU,45000,,c,,,#VALUE!",
		},
		{
			"filters that are shown stand outside the table",
			Items{Rows: list("region"), Filters: list("year"), Measures: list("sales"), ShowAppliedFilters: true},
			"region,sales; US,37; EU,5",
		},
		{"filters need not be columns of the result", Items{Rows: list("region"), Filters: list("orders.status")}, "region; US; EU"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, formats, err := Table(sales, salesColumns, tt.in, nil, manyCells)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown(got)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			if len(formats) != got.Columns() {
				t.Errorf("%d formats for %d columns", len(formats), got.Columns())
			}
		})
	}
}

func TestTableRefusesMembersItCannotFind(t *testing.T) {
	double := append(append([]Column{}, salesColumns...), Column{Name: "region"})
	tests := []struct {
		name    string
		columns []Column
		in      Items
		want    string // in the message
	}{
		{
			"rows", salesColumns,
			Items{Rows: []string{"regoin"}},
			`pivotItems.rows names "regoin", which is no column of the query's result: it has "day", "region"`,
		},
		{"columns", salesColumns, Items{Columns: []string{"x"}}, `pivotItems.columns names "x"`},
		{"measures", salesColumns, Items{Rows: []string{"region"}, Measures: []string{"Sales"}}, `pivotItems.measures names "Sales"`},
		{"a name of two columns", double, Items{Rows: []string{"region"}}, `several columns of the query's result have that name`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Table(sales, tt.columns, tt.in, nil, manyCells)
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Structure || !strings.Contains(fault.Message, tt.want) {
				t.Errorf("error %v, want a structure fault with %q", err, tt.want)
			}
		})
	}
}

func TestTableRefusesMoreCellsThanItMayHave(t *testing.T) {
	var b checksum.Builder
	b.Append(row("a", "b", "c")...)
	for i := range 4000 {
		b.Append(row(i, i, 1)...)
	}
	columns := []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	_, _, err := Table(b.Grid(), columns, Items{Rows: []string{"a"}, Columns: []string{"b"}, Measures: []string{"c"}}, nil, manyCells)
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Structure {
		t.Errorf("error %v, want a structure fault", err)
	}
}

func TestFormats(t *testing.T) {
	columns := append([]Column{}, salesColumns...)
	columns[4].Format = "0.0%"
	tests := []struct {
		name string
		in   Items
		want []string
	}{
		{
			"of labels and measures",
			Items{Rows: []string{"day"}, Measures: []string{"sales", "cost", "day"}},
			[]string{checksum.DateFormat, "", "0.0%", checksum.DateFormat},
		},
		{
			"a scale replaces those of numbers, not of dates",
			Items{Rows: []string{"day"}, Measures: []string{"cost", "day"}, DisplayScale: "thousands"},
			[]string{checksum.DateFormat, `#,##0.0,"K"`, checksum.DateFormat},
		},
		{"the model's scale is the source's format", Items{Measures: []string{"cost"}, DisplayScale: "model"}, []string{"0.0%"}},
		{
			"measures on the rows share a format",
			Items{Rows: []string{"region"}, Measures: []string{"cost"}, MeasuresAxis: "rows"},
			[]string{"", "", "0.0%"},
		},
		{
			"or have none",
			Items{Rows: []string{"day"}, Measures: []string{"cost", "sales"}, MeasuresAxis: "rows", MeasuresPosition: "after"},
			[]string{checksum.DateFormat, "", ""},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got, err := Table(sales, columns, tt.in, nil, manyCells)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("formats (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSumsDoNotDependOnTheOrderOfRows(t *testing.T) {
	tests := []struct {
		name string
		in   []any
		want string
	}{
		{"tenths add up to what they should", []any{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, "2.8"},
		{"small ones beside a large one are not lost", []any{1e15, 0.5, 0.5, 0.5, 0.5, -1e15}, "2"},
		{"empty cells are nothing", []any{nil, 1, nil}, "1"},
		{"a single value keeps its every digit", []any{0.1234567890123456789}, "0.12345678901234568"},
		{"an error is passed on", []any{1, checksum.Err("#N/A"), "x"}, "#N/A"},
		{"text cannot be added up", []any{1, "x"}, "#VALUE!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			forward, backward := [][]checksum.Cell{row("v")}, [][]checksum.Cell{row("v")}
			for i := range tt.in {
				forward = append(forward, row(tt.in[i]))
				backward = append(backward, row(tt.in[len(tt.in)-1-i]))
			}
			for _, rows := range [][][]checksum.Cell{forward, backward} {
				got, _, err := Table(tableOf(rows...), []Column{{Name: "v"}}, Items{Measures: []string{"v"}}, nil, manyCells)
				if err != nil {
					t.Fatal(err)
				}
				if want := "v; " + tt.want; shown(got) != want {
					t.Errorf("got %s, want %s", shown(got), want)
				}
			}
		})
	}
}
