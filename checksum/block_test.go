package checksum

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEmptyRowFingerprint(t *testing.T) {
	if got := (table{{}}).grid().Block().Fingerprints[0]; got != EmptyRow {
		t.Errorf("an empty row's fingerprint is %#x, not the constant", got)
	}
}

func TestBlockIsStoredAndReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := BlockRows{
			Fingerprints: rapid.SliceOf(rapid.Uint64()).Draw(t, "fingerprints"),
			Columns:      rapid.IntRange(0, 20_000).Draw(t, "columns"),
		}
		stored, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if over := len(stored) - 8*len(want.Fingerprints); over > 20 {
			t.Errorf("%d bytes beside the fingerprints", over)
		}
		var got BlockRows
		if err := got.UnmarshalBinary(stored); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("block (-want +got):\n%s", diff)
		}
	})
}

func TestBytesThatAreNoBlockAreRefused(t *testing.T) {
	good, err := BlockRows{Fingerprints: []uint64{1, 2}, Columns: 3}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		data string
	}{
		{"nothing", ""},
		{"another header", "MBLX" + string(good[4:])},
		{"a later version", "MBLK\x02" + string(good[5:])},
		{"the header alone", string(good[:5])},
		{"no number of rows", string(good[:6])},
		{"a fingerprint cut short", string(good[:len(good)-1])},
		{"a fingerprint missing", string(good[:len(good)-8])},
		{"a byte too many", string(good) + "x"},
		{"a fingerprint too many", string(good) + "12345678"},
		{"a number of rows beyond memory", blockHeader + "\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{"an endless number", blockHeader + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"more columns than any sheet", blockHeader + "\xff\xff\xff\xff\x0f\x00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := BlockRows{Columns: 7}
			if err := b.UnmarshalBinary([]byte(tt.data)); !errors.Is(err, ErrBlock) {
				t.Errorf("error %v, want ErrBlock", err)
			}
			if b.Columns != 7 {
				t.Error("the block was changed")
			}
		})
	}
}
