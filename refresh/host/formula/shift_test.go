package formula

import (
	"testing"

	"mooring/placements"
)

// TestRangesGrowWithTheBlock has a block with its headings in B3 and data below, and shifts it is given at its ends.
func TestRangesGrowWithTheBlock(t *testing.T) {
	behind := func(bottom, rows int) CellShift {
		block := placements.Rect{Top: 2, Left: 1, Bottom: bottom, Right: 3}
		return CellShift{Sheet: "Data", Left: 1, Right: 4, Row: bottom + 1, Rows: rows, Block: block}
	}
	before := func(bottom, rows int) CellShift {
		s := behind(bottom, rows)
		s.Row = 3
		return s
	}
	below, beside, heading := Place{"Data", 30, 1}, Place{"Data", 9, 8}, Place{"Data", 2, 8}
	for name, test := range map[string]struct {
		by         Shifts
		at         Place
		text, want string
	}{
		"a total below":                      {Shifts{behind(9, 5)}, Place{"Data", 10, 1}, "=SUM(B4:B10)", "=SUM(B4:B15)"},
		"a total on another sheet":           {Shifts{behind(9, 5)}, Place{"Other", 5, 1}, "=SUM(Data!B4:$B$10)", "=SUM(Data!B4:$B$15)"},
		"one beside the headings":            {Shifts{behind(9, 5)}, heading, "=SUM(B4:B10)", "=SUM(B4:B15)"},
		"with the headings, and from above":  {Shifts{behind(9, 5)}, below, "=SUM(B3:B10)+SUM(B1:B10)", "=SUM(B3:B15)+SUM(B1:B15)"},
		"of the last rows":                   {Shifts{behind(9, 5)}, below, "=SUM(B9:B10)", "=SUM(B9:B15)"},
		"several columns, upside down":       {Shifts{behind(9, 5)}, below, "=SUM(E10:B4)", "=SUM(E15:B4)"},
		"of columns that are not the band's": {Shifts{behind(9, 5)}, below, "=SUM(A4:B10)", "=SUM(A4:B10)"},
		"that ends above":                    {Shifts{behind(9, 5)}, below, "=SUM(B4:B9)", "=SUM(B4:B9)"},
		"that ends below":                    {Shifts{behind(9, 5)}, below, "=SUM(B4:B11)", "=SUM(B4:B16)"},
		"a cell":                             {Shifts{behind(9, 5)}, below, "=B10+B10:B10", "=B10+B10:B10"},
		"the only row":                       {Shifts{behind(3, 5)}, below, "=B4+SUM(B4:B4)+SUM(B4:D4)", "=B4+SUM(B4:B9)+SUM(B4:D9)"},
		"headings alone":                     {Shifts{behind(2, 5)}, below, "=B3+COUNTA(B3:D3)", "=B3+COUNTA(B3:D3)"},
		"a running total":                    {Shifts{behind(9, 5)}, beside, "=SUM(B$4:B10)", "=SUM(B$4:B10)"},
		"a share of the total":               {Shifts{behind(9, 5)}, beside, "=B10/SUM(B$4:B$10)", "=B10/SUM(B$4:B$15)"},
		"beside another sheet's rows":        {Shifts{behind(9, 5)}, Place{"Other", 9, 8}, "=SUM(Data!B4:B10)", "=SUM(Data!B4:B15)"},
		"in a chart or a name":               {Shifts{behind(9, 5)}, Place{Row: -1}, "Data!$B$4:$B$10", "Data!$B$4:$B$15"},
		"rows that are deleted":              {Shifts{behind(12, -3)}, below, "=SUM(B4:B13)", "=SUM(B4:B13)"},
		"rows deleted, then inserted": {
			Shifts{{Sheet: "Data", Left: 1, Right: 4, Row: 8, Rows: -2}, behind(7, 5)}, below, "=SUM(B4:B10)", "=SUM(B4:B13)",
		},
		"inserted within, then behind": {
			Shifts{{Sheet: "Data", Left: 1, Right: 4, Row: 5, Rows: 2}, behind(11, 5)}, below, "=SUM(B4:B10)", "=SUM(B4:B17)",
		},
		"a running total that moved":    {Shifts{before(9, 2), behind(11, 5)}, beside, "=SUM(B9:B10)", "=SUM(B11:B12)"},
		"before the first row":          {Shifts{before(9, 5)}, below, "=SUM(B4:B10)+SUM(B$4:B20)", "=SUM(B4:B15)+SUM(B$4:B25)"},
		"before the first of some rows": {Shifts{before(9, 5)}, below, "=SUM(B4:B9)+SUM(B5:B10)+B4", "=SUM(B9:B14)+SUM(B10:B15)+B9"},
		"before the first, running":     {Shifts{before(9, 5)}, beside, "=SUM(B$4:B10)+SUM(B$4:B7)", "=SUM(B$4:B15)+SUM(B$4:B12)"},
		"where a running total begins":  {Shifts{before(9, 5)}, Place{"Data", 3, 8}, "=SUM(B$4:B4)+SUM(B4:B4)", "=SUM(B$4:B9)+SUM(B9:B9)"},
		"where one ends that runs up":   {Shifts{behind(9, 5)}, beside, "=SUM(B10:B$10)+SUM(B$10:B$10)", "=SUM(B10:B$15)+SUM(B$10:B$10)"},
		"before the first, a window":    {Shifts{before(9, 5)}, beside, "=SUM(B4:B10)", "=SUM(B9:B15)"},
		"before the only row":           {Shifts{before(3, 5)}, below, "=B4+SUM(B4:B4)", "=B9+SUM(B4:B9)"},
		"a block of which nothing is said": {
			Shifts{{Sheet: "Data", Left: 0, Right: 4, Row: 1, Rows: 5}}, below, "=SUM(B1:B1,B2:B3)", "=SUM(B1:B1,B7:B8)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := (Rewriter{By: test.by}).Rewrite(test.text, test.at); err != nil || got != test.want {
				t.Errorf("got %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

func TestSeries(t *testing.T) {
	block := placements.Rect{Top: 1, Left: 1, Bottom: 2, Right: 3}
	r := Rewriter{By: Shifts{{Sheet: "Data", Left: 1, Right: 3, Row: 3, Rows: 4, Block: block}}}
	for text, want := range map[string]string{
		"Data!$B$3":              "Data!$B$3:$B$7",
		"'Data'!c3":              "'Data'!c3:c7",
		"(Data!$B$3,Data!$C$2)":  "(Data!$B$3:$B$7,Data!$C$2)",
		"Data!$B$3:$C$3":         "Data!$B$3:$C$7",
		"Data!$B$4+Other!$B$3":   "Data!$B$8+Other!$B$3",
		"Data!$A$3":              "Data!$A$3",
		"Data!$B$2":              "Data!$B$2",
		"[1]Data!$B$3":           "[1]Data!$B$3",
		"SUM(Data!$B$3,$B$3,B3)": "SUM(Data!$B$3:$B$7,$B$3,B3)",
	} {
		if got, err := r.RewriteSeries(text); err != nil || got != want {
			t.Errorf("%s became %s (%v), want %s", text, got, err, want)
		}
	}
	r.By[0].Row = 2
	if got, err := r.RewriteSeries("Data!$B$3"); err != nil || got != "Data!$B$3:$B$7" {
		t.Errorf("behind the headings: got %s (%v)", got, err)
	}
}

func TestRange(t *testing.T) {
	by := Shifts{{Sheet: "Data", Left: 1, Right: 4, Row: 10, Rows: 5, Block: placements.Rect{Top: 2, Left: 1, Bottom: 9, Right: 3}}}
	data, grown := placements.Rect{Top: 3, Left: 1, Bottom: 9, Right: 2}, placements.Rect{Top: 3, Left: 1, Bottom: 14, Right: 2}
	if got, ok := by.Range(data, "data", Place{Row: -1}); !ok || got != grown {
		t.Errorf("Range: got %v (%t), want %v", got, ok, grown)
	}
	if got, ok := by.Range(data, "data", Place{Sheet: "Data", Row: 9}); !ok || got != data {
		t.Errorf("Range beside the block: got %v (%t), want %v", got, ok, data)
	}
	if got, ok := by.Area("data", data); !ok || got != data {
		t.Errorf("Area: got %v (%t), want %v", got, ok, data)
	}
}
