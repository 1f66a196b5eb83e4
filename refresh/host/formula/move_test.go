package formula

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAFormulaMovesWithItsCell(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{ // two rows down, one column to the right
		"relative references move":            {"=A1+z9*AZ10", "=B3+AA11*BA12"},
		"fixed ones stay":                     {"=$A$1+$A1+A$1", "=$A$1+$A3+B$1"},
		"both ends of a range move":           {"=SUM(A1:$B2)", "=SUM(B3:$B4)"},
		"whole columns":                       {"=SUM(A:A,$B:C)", "=SUM(B:B,$B:D)"},
		"whole rows":                          {"=SUM(1:$3)", "=SUM(3:$3)"},
		"a text is no reference":              {`="A1 ""B2"" "&A1`, `="A1 ""B2"" "&B3`},
		"a sheet keeps its name":              {"=Q1!A1+'A1 ''B2'!A1+[1]Q1!A1", "=Q1!B3+'A1 ''B2'!B3+[1]Q1!B3"},
		"the sheet of each end of a range":    {"=Q1!A1:Q1!B2", "=Q1!B3:Q1!C4"},
		"sheets from one to another":          {"=SUM(Jan:Dec!A1)+SUM(Sheet1:Sheet3!A1)", "=SUM(Jan:Dec!B3)+SUM(Sheet1:Sheet3!B3)"},
		"a function may be named like a cell": {"=LOG10(A1)+ATAN2(1,A1)", "=LOG10(B3)+ATAN2(1,B3)"},
		"a range may end in a function":       {"=SUM(A1:INDEX(B:B,2))", "=SUM(B3:INDEX(C:C,2))"},
		"a table and its columns": {
			"=T1[A1]+T1[[#This Row],[B2]]+T1['[A1']]&A1",
			"=T1[A1]+T1[[#This Row],[B2]]+T1['[A1']]&B3",
		},
		"a name is no reference": {
			"=A1.x+Rate_A1+Räte1+ABCD1+XFE1+A0+A1048577",
			"=A1.x+Rate_A1+Räte1+ABCD1+XFE1+A0+A1048577",
		},
		"numbers are none":                      {"=1+2.5+1E5+1E-5", "=1+2.5+1E5+1E-5"},
		"errors are none":                       {"=IF(A1,#N/A,#DIV/0!)+#REF!", "=IF(B3,#N/A,#DIV/0!)+#REF!"},
		"constants of an array":                 {`={1,2;"A1",TRUE}*A1#`, `={1,2;"A1",TRUE}*B3#`},
		"a function written for newer programs": {"=_xlfn.XLOOKUP(A1,B:B,_xlpm.x1)", "=_xlfn.XLOOKUP(B3,C:C,_xlpm.x1)"},
		"what does not close is left alone":     {`="A1`, `="B3`},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Move(Cut(test.text), 2, 1)
			if !ok || got != test.want {
				t.Errorf("got %s (%t), want %s", got, ok, test.want)
			}
		})
	}
}

func TestAFormulaDoesNotMoveOffTheSheet(t *testing.T) {
	for _, test := range []struct {
		text          string
		rows, columns int
	}{{"=A1", -1, 0}, {"=A1", 0, -1}, {"=A1048576", 1, 0}, {"=XFD1", 0, 1}, {"=SUM(A:XFD)", 0, 1}} {
		if got, ok := Move(Cut(test.text), test.rows, test.columns); ok {
			t.Errorf("%s moved by %d rows and %d columns became %s", test.text, test.rows, test.columns, got)
		}
	}
}

// TestAFormulaComesBack moves formulas made of pieces there and back, and by nothing at all.
func TestAFormulaComesBack(t *testing.T) {
	piece := rapid.SampledFrom([]string{"A1", "$B7", "C$9", "X:Y", "2:$8", "SUM(", ")", ",", "'it''s A1'!", "Q1!", `"B2"`, "T[A1]", "Räte", "1.5", "+", " "})
	rapid.Check(t, func(t *rapid.T) {
		text := "=" + strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "+")
		if got, _ := Move(Cut(text), 0, 0); got != text {
			t.Fatalf("moved by nothing, %s became %s", text, got)
		}
		rows, columns := rapid.IntRange(0, 99).Draw(t, "rows"), rapid.IntRange(0, 99).Draw(t, "columns")
		there, ok := Move(Cut(text), rows, columns)
		if !ok {
			t.Fatalf("%s did not move by %d rows and %d columns", text, rows, columns)
		}
		if back, _ := Move(Cut(there), -rows, -columns); back != text {
			t.Fatalf("%s became %s and came back as %s", text, there, back)
		}
	})
}
