package document

import (
	"testing"

	"mooring/placements"
)

// The sheet that proves a block is that of the last write which tells it: an add-in's does not.
func TestTheSheetOfTheLastWriteThatTellsIt(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1"}
	at := func(sheet string) stored { return stored{Address: p.AddressKey(), origin: origin{Sheet: sheet}} }
	for _, tt := range []struct{ completed, begun, want string }{
		{"1", "2", "2"}, {"1", "", "1"}, {"", "2", "2"}, {"", "", ""},
	} {
		if need := proofOf(p, at(tt.completed), at(tt.begun)); need.sheet != tt.want {
			t.Errorf("after %q and %q: %q, want %q", tt.completed, tt.begun, need.sheet, tt.want)
		}
	}
}
