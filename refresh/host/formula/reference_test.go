package formula

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// test writes a reference as the tests below want it.
func (r Reference) test() string {
	s := ""
	if r.Sheet != "" {
		s = r.Sheet + "|"
	}
	if r.Name != "" || r.Table != "" {
		return s + r.Name + r.Table
	}
	corner := func(row, column int) string { return placements.Anchor{Row: row, Column: column}.String() }
	return s + corner(r.Area.Top, r.Area.Left) + ":" + corner(r.Area.Bottom, r.Area.Right)
}

func TestReferences(t *testing.T) {
	last := placements.Anchor{Row: placements.MaxRow, Column: placements.MaxColumn}.String()
	for _, row := range []struct{ formula, want string }{
		{"=A1+$B$2*C$3", "A1:A1 B2:B2 C3:C3"},
		{"=SUM(D9:B2)", "B2:D9"},
		{"=SUM(B:C,3:4)", fmt.Sprintf("B1:C%d A3:%s4", placements.MaxRow+1, strings.TrimRight(last, "0123456789"))},
		{"=Data!A1&'My Sheet'!$A$1:B5&'it''s'!A1", "Data|A1:A1 My Sheet|A1:B5 it's|A1:A1"},
		{"=SUM(Sheet1:Sheet3!A1)", "Sheet1:Sheet3|A1:A1"},
		{"=SUM(Data!A1:Data!B2)", "Data|A1:B2"},
		{"=[1]Data!A1+'[book.xlsx]Data'!A1", ""},
		{"=SUM(A1:INDEX(B:B,3))", fmt.Sprintf("A1:A1 B1:B%d", placements.MaxRow+1)},
		{"=\"A1\"&IF(TRUE,1.5E+3,#N/A)", ""},
		{"=LOG10(A1)", "A1:A1"},
		{"=rate*Data!rate", "rate Data|rate"},
		{"=XFE1+A1048577", "XFE1 A1048577"},
		{"=SUM(T[Price])", "T[Price]"},
		{"=[@Price]*T[@[Unit Price]]", "[@Price] T[@[Unit Price]]"},
		{"=SUM(T[[#Data],[a]:[b]],C3)", "T[[#Data],[a]:[b]] C3:C3"},
		{"=T[a!b]", "T[a!b]"},
		{"=T[a'[]+B2", "T[a'[] B2:B2"},
		{"=TABLE(A1,)", "A1:A1"},
		{"=_xlfn.ANCHORARRAY(A1)", "A1:A1"},
		{"=#REF!+Data!#REF!+A1", "A1:A1"},
		{"=SUM(A1:B2 B1:C3)", "A1:B2 B1:C3"},
		{"=-A1%", "A1:A1"},
		{"=SUM(\n  A1,\r\n\tB2\n)", "A1:A1 B2:B2"},
		{"=", ""},
		{"=SUM(A1#)+B2+Data!C3#", "A1:A1 B2:B2 Data|C3:C3"},
		{"=12E+3+A1", "A1:A1"},
		{"=T[a'[b]+T[['#c]]+A1", "T[a'[b] T[['#c]] A1:A1"},
		{"=#REF!A1+#SPILL!+#N/A+true", ""},
		{"=SUM(A2:B,B:C9)", fmt.Sprintf("A2:B%d B1:C9", placements.MaxRow+1)},
	} {
		var got []string
		for _, r := range References(row.formula) {
			got = append(got, r.test())
		}
		if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.formula, diff)
		}
	}
}

func TestSwept(t *testing.T) {
	at := placements.Anchor{Row: 4, Column: 5}
	over := placements.Rect{Top: 4, Left: 5, Bottom: 14, Right: 6}
	for text, want := range map[string]string{
		"=A1+$A$1+A$1+$A1":         "A1:B11 A1:A1 A1:B1 A1:A11",
		"=SUM(D$5:D5)":             "D5:E15",
		"=SUM(Data!$A:$B,Rate)":    fmt.Sprintf("Data|A1:B%d Rate", placements.MaxRow+1),
		"=B1048570":                fmt.Sprintf("B1:C%d", placements.MaxRow+1),
		"=[1]Data!A1+T1[@A1]+Tab ": "T1[@A1] Tab",
	} {
		var got []string
		for _, r := range Swept(text, at, over) {
			got = append(got, r.test())
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzReferences(f *testing.F) {
	for _, seed := range []string{
		"=SUM('a b'!A1:B2,T[[#All],[x]])", "=\"x", "='", "=[", "={1,2;A1", "=A1:INDEX(B:B", "=#", "=)", "=%", "=,;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, formula string) {
		for _, r := range References(formula) {
			a := r.Area
			if a.Top < 0 || a.Left < 0 || a.Bottom > placements.MaxRow || a.Right > placements.MaxColumn {
				t.Errorf("%q refers to %+v", formula, r)
			}
		}
	})
}
