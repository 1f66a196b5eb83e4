package placements

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

func TestRefreshed(t *testing.T) {
	p := moored("p1", "doc", "Data", "B2", "D20")
	unplaced := with(p, func(p *Placement) { p.PlacedAt, p.PlacedByUserID = "", 0 })
	for _, tc := range []struct {
		rule string
		p    Placement
		w    Rewrite
		want Placement
	}{
		{"a rewrite stamps and clears the checksum", p, Rewrite{}, with(p, dataWrite)},
		{"a rewrite replaces checksum and end", p, Rewrite{EndResultCell: "$d$30", ResultChecksum: newSum}, with(p, dataWrite, func(p *Placement) {
			p.EndResultCell, p.ResultChecksum = "D30", newSum
		})},
		{"the first data write is when it was placed", unplaced, Rewrite{}, with(unplaced, firstWrite)},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			got, err := Refreshed(tc.p, tc.w, stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefreshedRefuses(t *testing.T) {
	p := moored("p1", "doc", "Data", "B2", "D20")
	for _, tc := range []struct {
		fact    string
		w       Rewrite
		pointer string
		alone   bool // wrong whichever the placement
	}{
		{"an end before the anchor", Rewrite{EndResultCell: "A1"}, "/endResultCell", false},
		{"a broken end", Rewrite{EndResultCell: "D"}, "/endResultCell", true},
		{"a bad checksum", Rewrite{ResultChecksum: &checksum.ResultChecksum{V: -1}}, "/resultChecksum", true},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			_, err := Refreshed(p, tc.w, stamp())
			bad, ok := errors.AsType[*InvalidError](err)
			if !ok || bad.Details[0].Pointer[:8] != tc.pointer[:8] {
				t.Errorf("got %v, want a fault at %s", err, tc.pointer)
			}
			if err := tc.w.Check(); (err != nil) != tc.alone {
				t.Errorf("Check = %v, want a fault: %t", err, tc.alone)
			}
		})
	}
}
