package hosttest

import (
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// keepsStamps writes blocks with stamps: each is read back with its own, whatever was done to the sheet meanwhile, until the next write
// replaces it.
func keepsStamps(t *testing.T, b Spreadsheet) {
	surround(t, b)
	blocks := []host.Block{b.block(), b.blockAt("beside", b.Sheet, 2, 9)}
	longest := strings.Repeat("aZ9._-", 50)[:host.MaxStamp]
	first := []string{"1.abc", longest}
	s := open(t, b)
	var patches []host.Patch
	for i, v := range s.readAll(wants(blocks)...) {
		if v.Stamp != "" {
			t.Errorf("before the first write there is the stamp %q", v.Stamp)
		}
		p := patchAll(blocks[i], v, names(3))
		p.Stamp = first[i]
		patches = append(patches, p)
	}
	s.writeAll(patches...)
	b.Editor.InsertRows(t, b.Sheet, 1, 2)
	stamped(t, b, blocks, first)

	s = open(t, b)
	v := s.read(blocks[0], checksum.Extent{})
	p := patchAll(blocks[0], v, people(3))
	p.Rows = p.Rows[:1]
	p.Stamp = "1.def"
	s.write(p) // the marker stays as it is
	stamped(t, b, blocks, []string{"1.def", longest})

	s = open(t, b)
	p = patchAll(blocks[0], s.read(blocks[0], checksum.Extent{}), people(5))
	s.write(p) // of a caller that knows no stamps
	stamped(t, b, blocks, []string{"1.def", longest})

	s = open(t, b)
	p = patchAll(blocks[0], s.read(blocks[0], checksum.Extent{}), people(5))
	p.Rows, p.Stamp = nil, "1.ghi"
	if w := s.write(p); w.Cells != 0 {
		t.Errorf("%d cells of a block that is as it should be", w.Cells)
	}
	stamped(t, b, blocks, []string{"1.def", longest})

	unmarked := b.block()
	unmarked.PlacementID = ""
	if v := open(t, b).read(unmarked, checksum.Extent{}); v.Stamp != "" {
		t.Errorf("without the marker there is the stamp %q", v.Stamp)
	}
}

// stamped checks that blocks have stamps.
func stamped(t *testing.T, b Spreadsheet, blocks []host.Block, want []string) {
	t.Helper()
	for i, v := range open(t, b).readAll(wants(blocks)...) {
		if v.Stamp != want[i] || !v.Marked {
			t.Errorf("the stamp of %s is %q, want %q; marked %t", blocks[i].PlacementID, v.Stamp, want[i], v.Marked)
		}
	}
}
