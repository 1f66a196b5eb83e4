package checksum

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cellsFrom reads a table from a fuzzer's bytes: each row ends at a byte 6, each other first byte is a kind.
func cellsFrom(data []byte) table {
	rows := table{nil}
	for len(data) > 0 {
		kind := CellKind(data[0] % 7)
		data = data[1:]
		cell := Cell{Kind: kind}
		switch kind {
		case Number:
			var bits [8]byte
			data = data[copy(bits[:], data):]
			cell.Number = math.Float64frombits(binary.BigEndian.Uint64(bits[:]))
		case Text, Error:
			n := 0
			if len(data) > 0 {
				n = min(int(data[0]), len(data)-1)
				data = data[1:]
			}
			cell.Text, data = string(data[:n]), data[n:]
		case 6:
			rows = append(rows, nil)
			continue
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], cell)
	}
	return rows
}

var fuzzTables = []string{
	"", "\x06\x06", "\x02\x03abc\x01\x3f\xf0", "\x03\x04\x06\x05\x04#N/A", "\x02\x01\r\x00\x00", "\x01\x7f\xf8",
	"\x00\x00\x02\x05\xff\r\n\xc3\xa9\x06\x00",
}

func FuzzEncodingIsReadBack(f *testing.F) {
	for _, s := range fuzzTables {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows := cellsFrom(data)
		g, s := appended(rows...), streamed(rows...)
		read := decoded(g)
		again := appended(read...)
		for i := range rows {
			if !bytes.Equal(g.Row(i), s.Row(i)) {
				t.Fatalf("row %d is %x appended, %x streamed", i, g.Row(i), s.Row(i))
			}
			if !bytes.Equal(g.Row(i), again.Row(i)) {
				t.Fatalf("row %d is %x, read and encoded again %x", i, g.Row(i), again.Row(i))
			}
		}
		if diff := cmp.Diff(read, decoded(again)); diff != "" {
			t.Fatalf("cells (-first +again):\n%s", diff)
		}
	})
}

// Two different tables never encode alike: the bytes of all rows together tell every row and cell apart.
func FuzzFraming(f *testing.F) {
	for _, a := range fuzzTables {
		for _, b := range fuzzTables {
			f.Add([]byte(a), []byte(b))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		left, right := cellsFrom(a).grid(), cellsFrom(b).grid()
		same := cmp.Equal(decoded(left), decoded(right))
		if alike := bytes.Equal(allBytes(left), allBytes(right)); alike != same {
			t.Fatalf("tables equal: %v, encodings equal: %v\n%x\n%x", same, alike, allBytes(left), allBytes(right))
		}
	})
}

func allBytes(g *Grid) []byte {
	var all []byte
	for row := range g.each {
		all = append(all, row...)
	}
	return all
}

func FuzzUnmarshalBinary(f *testing.F) {
	good, err := BlockRows{Fingerprints: []uint64{1, 2, 3}, Columns: 300}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(blockHeader))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b, again BlockRows
		if b.UnmarshalBinary(data) != nil {
			return
		}
		stored, err := b.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalBinary(stored); err != nil || !cmp.Equal(b, again) {
			t.Fatalf("%+v read back as %+v, %v", b, again, err)
		}
	})
}

// A byte a row: few different rows, so that they repeat and move.
func FuzzMerge(f *testing.F) {
	f.Add("abcdef", "abXdef", "aBcdef")
	f.Add("aaaa", "aaa", "aaaaa")
	f.Add("abc..", "abc", "")
	f.Fuzz(func(t *testing.T, b, th, o string) {
		if len(b)+len(th)+len(o) > 300 {
			return
		}
		base, theirs, ours := lettered(folded(b)), lettered(folded(th)), lettered(folded(o))
		m := merged(t, written(base), theirs, ours)
		for name, by := range map[string]Means{"Keep": {}, "KeepShift": {Shifts: someShifts}, "KeepMove": {Shifts: someShifts, Move: true}} {
			plan := m.Keep(by)
			kept := m.Kept.Padded(by.Takes(len(theirs), m.Kept.Rows()))
			if by.Shift() && len(theirs) > 0 {
				checkNet(t, plan, kept.Rows()-len(theirs))
			}
			got := apply(theirs, plan, kept, kept.Columns())
			if diff := cmp.Diff(filledRows(decoded(m.Kept)), filledRows(got)); diff != "" {
				t.Fatalf("%s %+v (-want +got):\n%s", name, plan, diff)
			}
		}
		by := Means{Shifts: someShifts}
		anew := ours.grid().Padded(by.Takes(len(theirs), len(ours)))
		got := apply(theirs, m.Overwrite(by), anew, anew.Columns())
		if diff := cmp.Diff(filledRows(ours), filledRows(got)); diff != "" {
			t.Fatalf("OverwriteShift (-want +got):\n%s", diff)
		}
		last := written(base)
		last.Restored = true
		checkRestored(t, merged(t, last, theirs, ours), ours)
	})
}

// checkRestored: of a restored block in which nothing is strange, the source's rows are left, and rows that a person emptied.
func checkRestored(t *testing.T, m Merged, ours table) {
	t.Helper()
	if len(m.Strange) > 0 {
		return
	}
	free := map[uint64]int{}
	for _, row := range ours.grid().Block().Fingerprints {
		free[row]++
	}
	for _, row := range m.Kept.Block().Fingerprints {
		if free[row]--; free[row] < 0 && row != EmptyRow {
			t.Fatalf("row %x is kept, which the source has not, and which is not strange", row)
		}
	}
}

// folded turns a fuzzer's text into a row a byte, of ten different ones.
func folded(s string) string {
	rows := []byte(s)
	for i, c := range rows {
		rows[i] = ".abcdefghi"[c%10]
	}
	return string(rows)
}
