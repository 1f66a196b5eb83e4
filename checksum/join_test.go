package checksum

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestJoin builds a table from rows of another one and of its own: it is the table of the same rows one by one.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := func(i int) []Cell {
			return []Cell{Num(float64(i)), Str("text"), Num(1.0 / float64(3+i%7)), Bool(i%2 == 0)}[:1+i%4]
		}
		var other Builder
		for i := range 600 {
			other.Append(row(i)...)
		}
		g := other.Grid()
		var joined, alone Builder
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			from := rapid.IntRange(0, 600).Draw(t, "from")
			to := rapid.IntRange(from, 600).Draw(t, "to")
			joined.Join(g, from, to)
			for i := from; i < to; i++ {
				alone.Append(row(i)...)
			}
			if rapid.Bool().Draw(t, "own") {
				joined.Append(Str("own"))
				alone.Append(Str("own"))
			}
		}
		if joined.Rows() != alone.Rows() || joined.Size() != alone.Size() {
			t.Fatalf("%d rows of %d bytes, want %d of %d", joined.Rows(), joined.Size(), alone.Rows(), alone.Size())
		}
		got, want := joined.Grid(), alone.Grid()
		if got.Extent() != want.Extent() {
			t.Fatalf("%+v, want %+v", got.Extent(), want.Extent())
		}
		block := want.Block().Fingerprints
		for i := range want.Rows() {
			if !bytes.Equal(got.Row(i), want.Row(i)) || got.Fingerprint(i) != block[i] {
				t.Fatalf("row %d: %x with %x, want %x with %x", i, got.Row(i), got.Fingerprint(i), want.Row(i), block[i])
			}
		}
	})
}

func TestRowsDigest(t *testing.T) {
	a, b, c := RowsDigest([]uint64{1, 2}), RowsDigest([]uint64{2, 1}), RowsDigest(nil)
	if a == b || a == c || a != RowsDigest([]uint64{1, 2}) || c == 0 {
		t.Errorf("digests %x %x %x", a, b, c)
	}
}
