package formula

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
)

// inserted are three rows, inserted before row 5 of columns B to D.
var inserted = Shifts{{Sheet: "Data", Left: 1, Right: 3, Row: 4, Rows: 3}}

func TestReferencesFollowTheirCells(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a cell moves":                        {"=B5+b6", "=B8+b9"},
		"a cell above stays":                  {"=B4", "=B4"},
		"a cell beside the columns stays":     {"=A5+E5", "=A5+E5"},
		"fixed or not":                        {"=$B$5+B$5+$B5", "=$B$8+B$8+$B8"},
		"a range grows":                       {"=SUM(B2:B10)", "=SUM(B2:B13)"},
		"a range keeps which corner is which": {"=SUM(B9:B2,D$9:$B2)", "=SUM(B12:B2,D$12:$B2)"},
		"a range that begins there moves":     {"=SUM(B5:B10)", "=SUM(B8:B13)"},
		"a range that ends above stays":       {"=SUM(B2:B4)", "=SUM(B2:B4)"},
		"a range wider than the columns":      {"=SUM(A2:B10,C2:E10)", "=SUM(A2:B10,C2:E10)"},
		"whole columns and rows":              {"=SUM(B:B,5:6,B1:C1048576)", "=SUM(B:B,5:6,B1:C1048576)"},
		"to the end of the sheet":             {"=SUM(B5:B1048576)", "=SUM(B8:B1048576)"},
		"open to the end":                     {"=SUM(B5:C,B2:5)", "=SUM(B8:C,B2:5)"},
		"blanks around a colon":               {"=SUM(B2 : B10)", "=SUM(B2 : B13)"},
		"a range of ranges":                   {"=SUM(B2:B9:C12)", "=SUM(B2:B12:C15)"},
		"its own sheet":                       {"=Data!B5+DATA!B5+'data'!B5", "=Data!B8+DATA!B8+'data'!B8"},
		"another sheet":                       {"=Other!B5+'My Data'!B5", "=Other!B5+'My Data'!B5"},
		"a sheet named twice":                 {"=SUM(Data!B2:Data!B9)", "=SUM(Data!B2:Data!B12)"},
		"a range between two sheets":          {"=SUM(Data!B2:Other!B9)", "=SUM(Data!B2:Other!B9)"},
		"sheets that do not move":             {"=SUM(Jan:Mar!B5)", "=SUM(Jan:Mar!B5)"},
		"sheets whose cells do not move":      {"=SUM(Data:Other!B4)+SUM('Data:My Data'!A5)", "=SUM(Data:Other!B4)+SUM('Data:My Data'!A5)"},
		"one sheet as from one to another":    {"=SUM(Data:Data!B5)", "=SUM(Data:Data!B8)"},
		"another workbook":                    {"=[1]Data!B5+[Book.xlsx]Data!B5:C6", "=[1]Data!B5+[Book.xlsx]Data!B5:C6"},
		"another workbook in a folder":        {`='C:\[b.xlsx]Data'!B5+'[b''s]Data'!B5`, `='C:\[b.xlsx]Data'!B5+'[b''s]Data'!B5`},
		"the sheet in use":                    {"=!B5", "=!B5"},
		"a deleted sheet":                     {"=#REF!B5+B5", "=#REF!B5+B8"},
		"a deleted cell":                      {"=Data!#REF!+B5", "=Data!#REF!+B8"},
		"a table":                             {"=T1[B5]+B5[[#This Row],[B5]]+[@B5]+B5", "=T1[B5]+B5[[#This Row],[B5]]+[@B5]+B8"},
		"a heading with brackets":             {"=T1['[B5']]+T1[[B5'']]+B5", "=T1['[B5']]+T1[[B5'']]+B8"},
		"a spilled range":                     {"=SUM(B5#)+B6#+Data!B7#:B9", "=SUM(B8#)+B9#+Data!B10#:B12"},
		"a cell of the formula's row":         {"=@B5:B9+@B5", "=@B8:B12+@B8"},
		"an intersection and a union":         {"=SUM(B2:B9 B5:C6,(B5,C5))", "=SUM(B2:B12 B8:C9,(B8,C8))"},
		"an end that is worked out":           {"=SUM(B5:INDEX(B:B,9),INDEX(B:B,2):B9)", "=SUM(B8:INDEX(B:B,9),INDEX(B:B,2):B12)"},
		"a text":                              {`="B5 ""B5"" "&B5`, `="B5 ""B5"" "&B8`},
		"functions named like cells":          {"=LOG10(B5)+ATAN2(B5,1)+_xlfn.BITAND(B5,1)", "=LOG10(B8)+ATAN2(B8,1)+_xlfn.BITAND(B8,1)"},
		"names":                               {"=B5_x+Rate5+_B5+B5.x+XFE5+B0+Data!Rate5", "=B5_x+Rate5+_B5+B5.x+XFE5+B0+Data!Rate5"},
		"a name that is a cell":               {"=TAX2024", "=TAX2024"},
		"numbers, errors and arrays":          {"={1,5;#N/A,TRUE}+1E5+1.5E+5+#DIV/0!*B5", "={1,5;#N/A,TRUE}+1E5+1.5E+5+#DIV/0!*B8"},
		"an array of references":              {"={B5:B6;C5}", "={B8:B9;C8}"},
		"spaces and lines":                    {"= SUM( B5 ,\r\n\tB6 ) ", "= SUM( B8 ,\r\n\tB9 ) "},
		"no sign before it":                   {"B5", "B8"},
		"nothing":                             {"", ""},
		"what does not close":                 {"=B5+T1[B5+B5", "=B8+T1[B5+B5"},
		"other letters":                       {"=Räte5+Größe!B5+日本!B5+B5&\u00a0B5", "=Räte5+Größe!B5+日本!B5+B8&\u00a0B8"},
		"off the sheet":                       {"=B1048575+SUM(B1048574:B1048576)+SUM(B9:B1048575)", "=#REF!+SUM(#REF!)+SUM(B12:B1048576)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Rewriter{By: inserted, Sheets: []string{"Data", "Other", "Jan", "Feb", "Mar"}}
			if got, err := r.Rewrite(test.text, Place{Sheet: "Data", Row: 9, Column: 9}); err != nil || got != test.want {
				t.Errorf("got %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

func TestReferencesToDeletedCells(t *testing.T) {
	r := Rewriter{By: Shifts{{Sheet: "My Data", Left: 1, Right: 3, Row: 4, Rows: -3}}} // rows 5 to 7
	for text, want := range map[string]string{
		"=B4+B5+B7+B8":                        "=B4+#REF!+#REF!+B5",
		"=SUM(B2:B6)+SUM(B6:B9)+SUM(B2:B9)":   "=SUM(B2:B4)+SUM(B5:B6)+SUM(B2:B6)",
		"=SUM(B6:B2)+SUM(B9:$B$6)":            "=SUM(B4:B2)+SUM(B6:$B$5)",
		"=SUM('My Data'!B5:B7)+'my data'!$C6": "=SUM(#REF!)+#REF!",
		"=SUM('My Data'!B5:'My Data'!B7)":     "=SUM(#REF!)",
		"=B5:INDEX(C:C,3)":                    "=#REF!:INDEX(C:C,3)",
		"=SUM(B6:B1048576)":                   "=SUM(B5:B1048576)",
		"=SUM(B5:B)":                          "=SUM(B5:B)",
		"=SUM(A5:B7)":                         "=SUM(A5:B7)",
		"=B6#":                                "=#REF!#",
	} {
		if got, err := r.Rewrite(text, Place{Sheet: "My Data", Row: 9, Column: 9}); err != nil || got != want {
			t.Errorf("%s became %s (%v), want %s", text, got, err, want)
		}
	}
}

func TestReferencesToSeveralSheets(t *testing.T) {
	sheets := []string{"Jan", "Feb", "Mar", "Total"}
	month := func(sheet string, row, rows int) CellShift {
		return CellShift{Sheet: sheet, Left: 1, Right: 3, Row: row, Rows: rows, Block: placements.Rect{Top: 1, Left: 1, Bottom: 9, Right: 3}}
	}
	for name, test := range map[string]struct {
		by         Shifts
		text, want string // empty: none is right
	}{
		"one moves":               {Shifts{month("feb", 4, 2)}, "=SUM(Jan:Mar!B5)", ""},
		"one moves part":          {Shifts{month("Feb", 4, 2)}, "=SUM('Mar:Jan'!B2:B6)", ""},
		"one is deleted":          {Shifts{month("Feb", 4, -2)}, "=SUM(Jan:Mar!B5)", ""},
		"one that is not between": {Shifts{month("Total", 4, 2)}, "=SUM(Jan:Mar!B5)", "=SUM(Jan:Mar!B5)"},
		"cells above":             {Shifts{month("Feb", 4, 2)}, "=SUM(Jan:Mar!B4)", "=SUM(Jan:Mar!B4)"},
		"all move": {
			Shifts{month("Jan", 4, 2), month("Feb", 4, 2), month("Mar", 4, 2)}, "=SUM(Jan:Mar!B5)", "=SUM(Jan:Mar!B7)",
		},
		"all are deleted":              {Shifts{month("Jan", 4, -2), month("Feb", 4, -2)}, "=SUM('Jan:Feb'!B5)", "=SUM(#REF!)"},
		"they do not move alike":       {Shifts{month("Jan", 4, 2), month("Feb", 4, 3)}, "=SUM(Jan:Feb!B5)", ""},
		"all grow":                     {Shifts{month("Jan", 10, 2), month("Feb", 10, 2)}, "=SUM(Jan:Feb!B3:B10)", "=SUM(Jan:Feb!B3:B12)"},
		"one grows, but no cells move": {Shifts{month("Jan", 10, 2)}, "=SUM(Jan:Feb!B3:B10)", "=SUM(Jan:Feb!B3:B10)"},
		"sheets that are not known":    {Shifts{month("Apr", 4, 2)}, "=SUM(Apr:Jun!B5)", ""},
		"sheets of another workbook": {
			Shifts{month("Feb", 4, 2)}, "=SUM([1]Jan:Mar!B5,'[b]Jan:Mar'!B5)", "=SUM([1]Jan:Mar!B5,'[b]Jan:Mar'!B5)",
		},
		"the formula stands in its own":   {Shifts{month("Total", 4, 2)}, "=SUM(Jan:Mar!B5)+B5", "=SUM(Jan:Mar!B5)+B7"},
		"an unknown one beside one's own": {Shifts{month("Total", 4, 2)}, "=SUM(X:Y!B5)+B5", "=SUM(X:Y!B5)+B7"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Rewriter{By: test.by, Sheets: sheets}.Rewrite(test.text, Place{Sheet: "Total", Row: 99})
			var unmovable *Unmovable
			if errors.As(err, &unmovable) != (test.want == "") || got != test.want {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
			if unmovable != nil && !strings.Contains(test.text, unmovable.Reference) {
				t.Errorf("%q is not in %s", unmovable.Reference, test.text)
			}
		})
	}
}

// TestNames are rewritten where they say which row, not where it counts from the cell that uses the name.
func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"Data!$B$5":               "Data!$B$8",
		"Data!B5":                 "Data!B5",
		"Data!$B$2:$B$10":         "Data!$B$2:$B$13",
		"Data!B$2:$B10":           "Data!B$2:$B10",
		"SUM(Data!B5,Data!B$5)":   "SUM(Data!B5,Data!B$8)",
		"!$B$5":                   "!$B$5",
		"$B$5":                    "$B$5",
		"Data!$B$5:$C$6,Data!B$9": "Data!$B$8:$C$9,Data!B$12",
	} {
		if got, err := (Rewriter{By: inserted}).RewriteName(text); err != nil || got != want {
			t.Errorf("%s became %s (%v), want %s", text, got, err, want)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{
		"=SUM('a b'!A1:B2,T[[#All],[x]])", "=\"x", "='", "=[", "={1,2;A1", "=A1:INDEX(B:B", "=#REF!A1#",
		"=A1:!B2", "=Data:!A1", "=$A$01:A$:5", "=[1]:A1!A2",
	} {
		f.Add(seed, uint16(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, row uint16, rows uint8) {
		shift := func(sheet string, rows int) CellShift {
			return CellShift{Sheet: sheet, Right: placements.MaxColumn, Row: int(row), Rows: rows}
		}
		at := Place{Sheet: "Data", Row: 5}
		if got, _ := (Rewriter{By: Shifts{shift("an unlikely name", 3)}}).Rewrite(text, at); got != text {
			t.Errorf("%q became %q when another sheet was shifted", text, got)
		}
		inserted := shift("Data", int(rows))
		there, err := Rewriter{By: Shifts{inserted}}.Rewrite(text, at)
		list := References(text)
		if err != nil || slices.ContainsFunc(list, func(r Reference) bool { return r.Area.Bottom > placements.MaxRow-int(rows) }) {
			return
		}
		if got := References(there); len(got) != len(list) {
			t.Errorf("%q became %q: it referred to %v, and now to %v", text, there, list, got)
		}
		back, err := Rewriter{By: Shifts{inserted, shift("Data", -int(rows))}}.Rewrite(text, at)
		if back != text || err != nil {
			t.Errorf("%q became %q (%v) when what was inserted was deleted", text, back, err)
		}
	})
}

func BenchmarkRewrite(b *testing.B) {
	at := Place{Sheet: "Data", Row: 50_000, Column: 12}
	by := Shifts{{Sheet: "Data", Left: 1, Right: 10, Row: 40_000, Rows: 1000}}
	for name, text := range map[string]string{
		"without a cell":     "TODAY()",
		"of another sheet":   "VLOOKUP(A2,Prices!$A$2:$D$900,4,FALSE)",
		"that stays":         "IF(A2>0,ROUND(B2*C2*(1+$N$1),2),0)",
		"that moves":         "IF(B50001>0,ROUND(B50001*C50001*(1+$N$1),2),0)",
		"a range of a total": "SUM(D3:D90001)",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (Rewriter{By: by}).Rewrite(text, at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
