package plan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

// longestStamp is how many characters every host can keep.
const longestStamp = 255

func TestAStampIsReadAsItWasWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 13, 14, 15, 100, 1 << 20} {
		rows := make([]uint64, n)
		for i := range rows {
			rows[i] = random.Uint64()
		}
		for _, edited := range []int{0, 1, 20, n} {
			people := map[int]bool{}
			for range min(edited, n) {
				people[random.IntN(n)] = true
			}
			want := newStamp(maxGeneration, 1<<14, rows, people)
			text := want.String()
			got, ok := parseStamp(text)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(stamp{}, rowGroup{})); !ok || diff != "" {
				t.Errorf("%d rows, %d edited: %t (-want +got):\n%s", n, edited, ok, diff)
			}
			if len(text) > longestStamp || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
				t.Errorf("%d rows, %d edited: %d characters: %s", n, edited, len(text), text)
			}
		}
	}
}

func TestAnythingElseIsNoStamp(t *testing.T) {
	good := newStamp(5, 2, []uint64{1, 2, 3}, nil).String()
	for _, text := range []string{
		"", ".", "..", "...", "1..", "1.5", "1.5.", "2.5.2", "1.0.2", "1.-5.2", "1.5.-2", "1.zzzzzzzzzzzzzzzzzzzz.2", "1.5.2.", "1.5.2.1", "1.5.2.0AAAAAAAAAAA",
		"1.5.2.-1AAAAAAAAAAA", "1.5.2.1AAAAAAAAAA!", good + ".", good[:len(good)-1], " " + good, strings.Repeat(good, 100), strings.Repeat(".", 1<<20),
		"Marks the block of a report. Deleting it loses track of the block.",
	} {
		if s, ok := parseStamp(text); ok {
			t.Errorf("%.60q is a stamp: %+v", text, s)
		}
	}
}

func TestAStampCoversRowsWhereverTheyStand(t *testing.T) {
	rows := make([]uint64, 61)
	for i := range rows {
		rows[i] = uint64(i) * 0x1234567
	}
	s := newStamp(1, 1, rows, map[int]bool{30: true})
	for _, tt := range []struct {
		what      string
		stands    []uint64
		uncovered []int // of stands
	}{
		{"as it was written", rows, []int{30}},
		{"two rows inserted above", slices.Insert(slices.Clone(rows), 1, 7, 8), []int{1, 2, 32}},
		{"the header and the last rows alone", slices.Concat(rows[:1], rows[51:]), []int{}},
		{"a group twice", slices.Concat(rows[:1], rows[51:], rows[51:]), []int{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}},
		{"nothing", nil, []int{}},
		{"other rows", []uint64{5, 6, 7}, []int{0, 1, 2}},
	} {
		uncovered := []int{}
		for i, ok := range s.covers(tt.stands) {
			if !ok {
				uncovered = append(uncovered, i)
			}
		}
		if diff := cmp.Diff(tt.uncovered, uncovered); diff != "" {
			t.Errorf("%s: not covered (-want +got):\n%s", tt.what, diff)
		}
	}
	changed := slices.Clone(rows)
	changed[10]++
	missing := 0
	for _, ok := range s.covers(changed) {
		if !ok {
			missing++
		}
	}
	if missing < 2 || missing > 7 {
		t.Errorf("one changed row leaves %d rows uncovered, want those of its group and the person's", missing)
	}
}

func FuzzStamp(f *testing.F) {
	f.Add(newStamp(5, 2, []uint64{1, 2, 3}, nil).String())
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parseStamp(text); ok {
			s.covers([]uint64{1, 2, 3, checksum.EmptyRow})
		}
	})
}
