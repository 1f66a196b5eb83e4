package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

func identityCases() []testCase {
	return []testCase{
		{"a document says which one it is, once told with a write", saysItself},
		{"what a document says of itself stays, whatever moves", keepsIdentity},
		{"what a document says of itself can be replaced", replacesIdentity},
		{"a document is not told what nobody could read, nor without a write", tellsNothing},
		{"a block whose placement is called document is not torn apart", func(t *testing.T, b Spreadsheet) { tearsMarked(t, b, "document") }},
		{"a document that is missing says nothing of itself", missingIdentity},
	}
}

// identified is a session that can say which document it has open.
func identified(t *testing.T, s host.Session) host.Identified {
	t.Helper()
	i, ok := s.(host.Identified)
	if !ok {
		t.Fatalf("%T does not implement host.Identified", s)
	}
	return i
}

// wantIdentity checks what a document says of itself to a session that has read nothing, and to one that has.
func wantIdentity(t *testing.T, b Spreadsheet, want host.Identity) {
	t.Helper()
	s := open(t, b)
	for _, before := range []string{"before", "after"} {
		got, err := identified(t, s.Session).Identity(t.Context())
		if err != nil || got != want {
			t.Errorf("%s a read the document says %q (%v), want %q", before, got, Detail(err), want)
		}
		s.read(b.block(), checksum.Extent{})
	}
}

// tell writes a block, and has the document say which one it is.
func tell(t *testing.T, b Spreadsheet, i host.Identity, g *checksum.Grid) {
	t.Helper()
	s := open(t, b)
	identified(t, s.Session).Identify(i)
	s.write(patchAll(b.block(), s.read(b.block(), g.Extent()), g))
	said := host.ParseIdentity(i.String()) // nothing, if nobody could read it
	if got, err := identified(t, s.Session).Identity(t.Context()); err != nil || said != (host.Identity{}) && got != said {
		t.Errorf("after the write the session says %q (%v), want %q", got, Detail(err), said)
	}
}

func saysItself(t *testing.T, b Spreadsheet) {
	wantIdentity(t, b, host.Identity{})
	i := host.NewIdentity()
	tell(t, b, i, people(3))
	wantIdentity(t, b, i)
	holds(t, read(t, b, b.block(), checksum.Extent{}), people(3))
	tell(t, b, i, people(4))
	wantIdentity(t, b, i)
}

func keepsIdentity(t *testing.T, b Spreadsheet) {
	surround(t, b)
	i := host.NewIdentity()
	tell(t, b, i, people(3))
	tell(t, b, host.Identity{}, people(4))
	b.Editor.InsertRows(t, b.Sheet, 1, 2)
	b.Editor.RenameSheet(t, b.Sheet, "Renamed")
	wantIdentity(t, b, i)
	s := open(t, b)
	p := patchAll(b.block(), s.read(b.block(), checksum.Extent{}), people(6))
	p.Shifts = []checksum.Shift{{At: 2, Rows: 2}}
	s.write(p)
	wantIdentity(t, b, i)
	marker := b.blockAt("document", b.Other, 1, 1) // would have its name, if names were made of ids alone
	place(t, b, marker, people(2))
	wantIdentity(t, b, i)
	if v := read(t, b, marker, checksum.Extent{}); !v.Marked || v.Sheet != b.Other {
		t.Errorf("the block of the placement %q is marked %t, on %q", marker.PlacementID, v.Marked, v.Sheet)
	}
}

func replacesIdentity(t *testing.T, b Spreadsheet) {
	for range 3 {
		i := host.NewIdentity()
		tell(t, b, i, people(3))
		wantIdentity(t, b, i)
	}
}

func tellsNothing(t *testing.T, b Spreadsheet) {
	i := host.NewIdentity()
	tell(t, b, host.Identity{Document: i.Document, Nonce: "short"}, people(3))
	tell(t, b, host.Identity{Document: `x" & A1`, Nonce: i.Nonce}, people(3))
	wantIdentity(t, b, host.Identity{})
	state := b.State(t)
	s := open(t, b)
	identified(t, s.Session).Identify(i)
	p := patchAll(b.block(), s.read(b.block(), checksum.Extent{}), people(3))
	p.Rows = nil
	s.write(p)
	if got := b.State(t); got != state {
		t.Error("the document was changed by a write of nothing")
	}
	wantIdentity(t, b, host.Identity{})
}

func missingIdentity(t *testing.T, b Spreadsheet) {
	s, err := b.Host.Open(t.Context(), "missing-"+b.Document)
	if err != nil {
		return // not even opened
	}
	defer s.Close()
	if got, err := identified(t, s).Identity(t.Context()); err == nil {
		t.Errorf("a missing document says %q of itself", got)
	}
}
