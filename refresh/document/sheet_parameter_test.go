package document

import (
	"errors"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
)

// TestWhereAnAddInSaysThatCellsStand: it becomes where the placement has them, so it must be such cells, and as many as were sent.
func TestWhereAnAddInSaysThatCellsStand(t *testing.T) {
	cells := func(n int) []host.TypedCell {
		list := make([]host.TypedCell, n)
		for i := range list {
			list[i].Value = checksum.Str("North")
		}
		return list
	}
	for _, tt := range []struct {
		at   string // empty: where the placement has them
		list bool
		sent int
		want error
	}{
		{"", false, 1, nil},
		{"", false, 2, host.ErrParameterShape},
		{"", true, 3, nil},
		{"Setup!C4", false, 1, nil},
		{"Setup!C4:D4", false, 1, host.ErrParameterShape},
		{"Setup!C4:C9", false, 1, host.ErrParameterShape},
		{"Setup!C4:C6", true, 3, nil},
		{"Setup!C4:E4", true, 3, nil},
		{"Setup!C4", true, 1, nil},
		{"Setup!C4:C9", true, 3, host.ErrParameterShape},
		{"Setup!C4", true, 3, host.ErrParameterShape},
		{"Setup!C4:D5", true, 4, host.ErrParameterShape},
		{"Setup!A1:XFD1048576", true, 1, host.ErrParameterShape},
		{"Setup!C1:C10001", true, 1, host.ErrParameterLarge},
	} {
		of := []placements.Parameter{{Name: "region", Type: placements.ParameterText, List: tt.list, FromCells: true}}
		p := placements.Placement{ID: "p", Parameters: placements.ParameterSettings{"region": {Cell: "Setup!B2"}}}
		sent := SheetParameter{Cells: cells(tt.sent)}
		if at, err := placements.ParseLocation(tt.at); err == nil {
			sent.At = &at
		}
		said, need := Sheet{Parameters: map[string]SheetParameter{"region": sent}}.ReadParameters(parameter.Feeds(&p, of))
		if need != nil || !errors.Is(said.Err, tt.want) {
			t.Errorf("%d cells at %q: %v, %v, want %v", tt.sent, tt.at, need, said.Err, tt.want)
		}
		if at, found := said.Places["region"]; found != (tt.want == nil) || found && tt.at != "" && at.String() != tt.at {
			t.Errorf("%d cells at %q: they are at %s, found %t", tt.sent, tt.at, at, found)
		}
	}
}
