package placements_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestParseLocation(t *testing.T) {
	for _, tc := range placementstest.Locations() {
		t.Run(tc.Fact, func(t *testing.T) {
			got, err := placements.ParseLocation(tc.Text)
			if err != nil {
				t.Fatalf("ParseLocation(%q): %v", tc.Text, err)
			}
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("ParseLocation(%q) (-want +got):\n%s", tc.Text, diff)
			}
			if got.String() != tc.Normal {
				t.Errorf("String() = %q, want %q", got, tc.Normal)
			}
		})
	}
}

func TestParseLocationRefuses(t *testing.T) {
	for _, tc := range placementstest.RefusedLocations() {
		t.Run(tc.Fact, func(t *testing.T) {
			_, err := placements.ParseLocation(tc.Text)
			bad, ok := errors.AsType[*placements.Error](err)
			if !ok || bad.Code != placements.CodeAddress || !strings.Contains(err.Error(), tc.Says) {
				t.Errorf("ParseLocation(%.30q): %v, want an invalid address that says %q", tc.Text, err, tc.Says)
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
		l, err := placements.ParseLocation(in)
		if err != nil {
			return
		}
		again, err := placements.ParseLocation(l.String())
		if err != nil {
			t.Fatalf("%q gives %q, which is refused: %v", in, l, err)
		}
		if again != l || again.String() != l.String() {
			t.Errorf("%q gives %#v, its normal form %q gives %#v", in, l, l, again)
		}
		end := l.End()
		if l.Rows < 1 || l.Columns < 1 || end.Row > placements.MaxRow || end.Column > placements.MaxColumn || placements.CheckSheet(l.Sheet) != "" && l.Sheet != "" {
			t.Errorf("%q gives %#v, which no sheet holds", in, l)
		}
	})
}
