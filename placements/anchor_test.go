package placements

import (
	"errors"
	"strings"
	"testing"
)

func TestParseAnchor(t *testing.T) {
	for _, tc := range []struct {
		fact, in string
		want     Anchor
		normal   string
	}{
		{"the first cell", "A1", Anchor{0, 0}, "A1"},
		{"rows and columns count from zero", "B3", Anchor{2, 1}, "B3"},
		{"lower case", "b2", Anchor{1, 1}, "B2"},
		{"dollars", "$B$2", Anchor{1, 1}, "B2"},
		{"one dollar", "B$2", Anchor{1, 1}, "B2"},
		{"two letters", "AA10", Anchor{9, 26}, "AA10"},
		{"the last of two letters", "ZZ1", Anchor{0, 701}, "ZZ1"},
		{"the first of three letters", "AAA1", Anchor{0, 702}, "AAA1"},
		{"the last cell", "xfd1048576", Anchor{MaxRow, MaxColumn}, "XFD1048576"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got, err := ParseAnchor(tc.in)
			if err != nil || got != tc.want {
				t.Fatalf("ParseAnchor(%q) = %v, %v, want %v", tc.in, got, err, tc.want)
			}
			if got.String() != tc.normal {
				t.Errorf("String() = %q, want %q", got, tc.normal)
			}
		})
	}
}

func TestParseAnchorRefuses(t *testing.T) {
	for _, tc := range []struct{ fact, in, says string }{
		{"nothing", "", "is not a cell"},
		{"a column beyond the last", "XFE1", "beyond the last one, XFD"},
		{"a row beyond the last", "A1048577", "beyond the last one, 1048576"},
		{"a column that would overflow", strings.Repeat("Z", 100) + "1", "beyond the last one, XFD"},
		{"a row that would overflow", "A" + strings.Repeat("9", 100), "beyond the last one, 1048576"},
		{"row zero", "A0", "begins with 0"},
		{"a leading zero", "A01", "begins with 0"},
		{"a column alone", "B", "no row"},
		{"a row alone", "2", "no column"},
		{"a range", "B2:D20", "is not a cell"},
		{"R1C1 form", "R2C3", "is not a cell"},
		{"a dollar alone", "$", "is not a cell"},
		{"a dollar at the end", "B$", "is not a cell"},
		{"two dollars", "$$B2", "is not a cell"},
		{"a space", "B 2", "is not a cell"},
		{"full-width letters", "Ｂ2", "is not a cell"},
		{"Arabic digits", "B٢", "is not a cell"},
		{"a negative row", "B-2", "is not a cell"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			_, err := ParseAnchor(tc.in)
			bad, ok := errors.AsType[*InvalidError](err)
			if !ok || bad.Code != CodeInvalidAddress || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("ParseAnchor(%.20q): %v, want an invalid address that says %q", tc.in, err, tc.says)
			}
			if len(err.Error()) > 400 {
				t.Errorf("the message has %d bytes: it repeats too much of the input", len(err.Error()))
			}
		})
	}
}
