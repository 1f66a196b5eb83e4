package layout

import (
	"strconv"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
)

func TestDecodedDefinitionsAreBoundedInBytes(t *testing.T) {
	s := NewReader(nil)
	c := s.known
	text := `{"meta":{"text":"` + strings.Repeat("x", 1<<20) + `"}}`
	for i := range 100 {
		if _, err := s.Definition("report "+strconv.Itoa(i), text); err != nil {
			t.Fatal(err)
		}
	}
	if c.held > maxDefinitionBytes || c.held != len(c.values)*len(text) {
		t.Errorf("%d definitions of %d bytes are cached, counted as %d", len(c.values), len(text), c.held)
	}
	s.keepDefinition("report 99", "{}", record.Definition{})
	if d, _ := c.get("report 99"); d.text != "{}" {
		t.Error("a new definition was not cached in the place of the old one")
	}
	if _, err := s.Definition("huge", `{"meta":"`+strings.Repeat("x", 15<<20)+`"}`); err != nil {
		t.Error(err)
	}
	if _, cached := c.get("huge"); cached {
		t.Error("a huge definition is cached")
	}
}

// What is remembered of a placement is small, however many chunks its checksums have, and shares no text with what was read of it.
func TestRememberedPlacementsHoldNoChecksums(t *testing.T) {
	s := NewMemory(NewReader(nil))
	k := keys.Of(record.Deployment{Tenant: "acme", ID: 1}, 1)
	sum := &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{To: 9, Hash: "aa"}}}
	p := Placed{Placement: placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", ResultChecksum: sum}, text: "{}"}
	p.Base = &placements.Base{Behalf: 7, Kept: &placements.Write{Query: "q", Checksum: sum}}
	s.Remember(k, &Report{ReportHead: record.ReportHead{ID: 1}, Placements: []Placed{p}}, nil)
	seen, ok := s.placed.get(placedRef{refOf(k, 1), "p"})
	if !ok || seen.ResultChecksum != nil || seen.text != "" || seen.LastWrite() != (placements.Write{Query: "q"}) || seen.WrittenFor() != 7 {
		t.Errorf("remembered: %+v", seen)
	}
	if p.LastWrite().Checksum != sum {
		t.Error("what was remembered has lost its checksum itself")
	}
}

func TestCacheIsBoundedInNumber(t *testing.T) {
	c := newCache[int, string](100)
	for i := range 1000 {
		c.put(i, strconv.Itoa(i), 1)
		if got, ok := c.get(i); !ok || got != strconv.Itoa(i) {
			t.Fatalf("%d was not cached: %q", i, got)
		}
	}
	if len(c.values) != 100 || c.held != 100 {
		t.Errorf("%d values of size %d are cached", len(c.values), c.held)
	}
	for i := range 1000 {
		c.remove(i)
	}
	if len(c.values) != 0 || c.held != 0 {
		t.Errorf("%d values of size %d are left", len(c.values), c.held)
	}
}
