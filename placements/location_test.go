package placements

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLocation(t *testing.T) {
	b2 := Anchor{1, 1}
	long := strings.Repeat("語", maxSheetNameA)
	for _, tc := range []struct {
		fact, in string
		want     Location
		normal   string
	}{
		{"a sheet and a cell", "Sheet1!B2", Location{"Sheet1", b2, 1, 1, false}, "Sheet1!B2"},
		{"a cell alone names no sheet", "B2", Location{"", b2, 1, 1, false}, "B2"},
		{"a quoted name, a doubled apostrophe, dollars, a range", "'It''s'!$B$2:D20", Location{"It's", b2, 19, 3, true}, "'It''s'!B2:D20"},
		{"quotes that are not needed go", "'Sheet1'!B2", Location{"Sheet1", b2, 1, 1, false}, "Sheet1!B2"},
		{"lower case", "Sheet1!b2:d20", Location{"Sheet1", b2, 19, 3, true}, "Sheet1!B2:D20"},
		{"a range from bottom-right to top-left", "Sheet1!D20:B2", Location{"Sheet1", b2, 19, 3, true}, "Sheet1!B2:D20"},
		{"a range from top-right to bottom-left", "Sheet1!D2:B20", Location{"Sheet1", b2, 19, 3, true}, "Sheet1!B2:D20"},
		{"a range of one cell stays one", "Sheet1!B2:B2", Location{"Sheet1", b2, 1, 1, true}, "Sheet1!B2:B2"},
		{"the whole sheet as a range", "A1:XFD1048576", Location{"", Anchor{}, MaxRow + 1, MaxColumn + 1, true}, "A1:XFD1048576"},
		{"spaces", "'My Sheet'!B2", Location{"My Sheet", b2, 1, 1, false}, "'My Sheet'!B2"},
		{"spaces without quotes", "My Sheet!B2", Location{"My Sheet", b2, 1, 1, false}, "'My Sheet'!B2"},
		{"a space at the ends belongs to the name", "' a '!B2", Location{" a ", b2, 1, 1, false}, "' a '!B2"},
		{"an exclamation mark in quotes", "'Hey!'!B2", Location{"Hey!", b2, 1, 1, false}, "'Hey!'!B2"},
		{"an exclamation mark without quotes", "Hey!You!B2", Location{"Hey!You", b2, 1, 1, false}, "'Hey!You'!B2"},
		{"a cell in the name", "'Sheet1!B2'!C3", Location{"Sheet1!B2", Anchor{2, 2}, 1, 1, false}, "'Sheet1!B2'!C3"},
		{"a colon in quotes", "'9:00'!B2", Location{"9:00", b2, 1, 1, false}, "'9:00'!B2"},
		{"an apostrophe inside, without quotes", "It's!B2", Location{"It's", b2, 1, 1, false}, "'It''s'!B2"},
		{"a name of apostrophes", "''''''!B2", Location{"''", b2, 1, 1, false}, "''''''!B2"},
		{"an emoji", "'📈 Q1'!B2", Location{"📈 Q1", b2, 1, 1, false}, "'📈 Q1'!B2"},
		{"an emoji of several characters", "👩‍👩‍👧!B2", Location{"👩‍👩‍👧", b2, 1, 1, false}, "'👩‍👩‍👧'!B2"},
		{"right-to-left letters need no quotes", "גיליון1!B2", Location{"גיליון1", b2, 1, 1, false}, "גיליון1!B2"},
		{"right-to-left words", "'ورقة عمل'!B2", Location{"ورقة عمل", b2, 1, 1, false}, "'ورقة عمل'!B2"},
		{"a name like a cell is quoted", "'Q1'!B2", Location{"Q1", b2, 1, 1, false}, "'Q1'!B2"},
		{"a name like a cell of the wider host is quoted", "'ZZZ9'!B2", Location{"ZZZ9", b2, 1, 1, false}, "'ZZZ9'!B2"},
		{"a name like an R1C1 cell is quoted", "'R1C1'!B2", Location{"R1C1", b2, 1, 1, false}, "'R1C1'!B2"},
		{"R alone is quoted", "'r'!B2", Location{"r", b2, 1, 1, false}, "'r'!B2"},
		{"a number is quoted", "'2026'!B2", Location{"2026", b2, 1, 1, false}, "'2026'!B2"},
		{"a constant is quoted", "'True'!B2", Location{"True", b2, 1, 1, false}, "'True'!B2"},
		{"the longest name", "'" + long + "'!B2", Location{long, b2, 1, 1, false}, long + "!B2"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got, err := ParseLocation(tc.in)
			if err != nil {
				t.Fatalf("ParseLocation(%q): %v", tc.in, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ParseLocation(%q) (-want +got):\n%s", tc.in, diff)
			}
			if got.String() != tc.normal {
				t.Errorf("String() = %q, want %q", got, tc.normal)
			}
		})
	}
}

func TestParseLocationRefuses(t *testing.T) {
	for _, tc := range []struct{ fact, in, says string }{
		{"nothing", "", "names no cell"},
		{"a sheet alone", "Sheet1!", "names no cell"},
		{"a word", "somewhere", "beyond the last one, XFD"},
		{"whole columns", "Sheet1!B:D", "whole column"},
		{"one whole column", "Sheet1!B", "whole column"},
		{"whole rows", "Sheet1!2:5", "whole row"},
		{"a range open below", "Sheet1!B2:D", "open end"},
		{"a range open to the right", "Sheet1!B2:5", "open end"},
		{"a column to a row", "Sheet1!B:5", "open end"},
		{"a range without an end", "Sheet1!B2:", "is not a cell"},
		{"three corners", "Sheet1!B2:C3:D4", "is not a cell"},
		{"a corner beyond the sheet", "Sheet1!B2:XFE3", "beyond the last one, XFD"},
		{"an empty sheet name", "!B2", "sheet name is empty"},
		{"an empty quoted name", "''!B2", "sheet name is empty"},
		{"a quote never closed", "'Sheet1!B2", "never closed"},
		{"a quote that only closes", "Sheet1'!B2", "no other one opens"},
		{"a quoted name without !", "'Sheet1'B2", "not followed by !"},
		{"several sheets", "Sheet1:Sheet3!B2", "several sheets"},
		{"a control character", "She\x00et!B2", "control character"},
		{"a line break", "'a\nb'!B2", "control character"},
		{"broken UTF-8", "\xff!B2", "UTF-8"},
		{"a name longer than any host takes", strings.Repeat("x", maxSheetNameA+1) + "!B2", "longer than 100"},
		{"a space after the cell", "Sheet1!B2 ", "is not a cell"},
		{"a formula", "=Sheet1!B2+1", "is not a cell"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			_, err := ParseLocation(tc.in)
			bad, ok := errors.AsType[*InvalidError](err)
			if !ok || bad.Code != CodeInvalidAddress || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseLocation(%.30q): %v, want an invalid address that says %q", tc.in, err, tc.says)
			}
		})
	}
}

// FuzzParseLocation: what is accepted has a normal form, and the normal form means the same and is its own.
func FuzzParseLocation(f *testing.F) {
	for _, seed := range []string{
		"Sheet1!B2", "'It''s'!$B$2:D20", "B2", "Hey!You!b2", "📈!A1:XFD1048576", "'R1C1'!D20:B2", "'", "''!A1", "B:D", "ſ!A1", "a!$1$A",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		l, err := ParseLocation(in)
		if err != nil {
			return
		}
		again, err := ParseLocation(l.String())
		if err != nil {
			t.Fatalf("%q gives %q, which is refused: %v", in, l, err)
		}
		if again != l || again.String() != l.String() {
			t.Errorf("%q gives %#v, its normal form %q gives %#v", in, l, l, again)
		}
		end := l.End()
		if l.Rows < 1 || l.Columns < 1 || end.Row > MaxRow || end.Column > MaxColumn || checkSheet(l.Sheet) != "" && l.Sheet != "" {
			t.Errorf("%q gives %#v, which no sheet holds", in, l)
		}
	})
}
