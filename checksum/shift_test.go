package checksum

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counted is a block of n distinct rows, numbered from first on.
func counted(first, n int) []uint64 {
	rows := make([]uint64, n)
	for i := range rows {
		rows[i] = uint64(first + i)
	}
	return rows
}

func TestDiffShift(t *testing.T) {
	base := counted(1, 50_000)
	fresh := func(n int) []uint64 { return counted(1_000_000, n) }
	changed := func(rows []uint64, at ...int) []uint64 {
		rows = slices.Clone(rows)
		for _, i := range at {
			rows[i] += 2_000_000
		}
		return rows
	}
	reversed := slices.Clone(base)
	slices.Reverse(reversed)
	tests := []struct {
		name string
		ours []uint64
		want Plan
	}{
		{"nothing changed", base, Plan{}},
		{"20 rows inserted on top are one shift and 20 rows", slices.Concat(fresh(20), base), Plan{
			Shifts: []Shift{{0, 20}}, Rows: []Span{{0, 20}},
		}},
		{"20 rows deleted on top are one shift", base[20:], Plan{Shifts: []Shift{{0, -20}}}},
		{"inserted in one place, deleted in another", slices.Concat(base[:100], fresh(3), base[100:40_000], base[40_005:]), Plan{
			Shifts: []Shift{{100, 3}, {40_003, -5}}, Rows: []Span{{100, 103}},
		}},
		{"rows changed in place beside an insertion", slices.Concat(fresh(1), changed(base, 500, 501)), Plan{
			Shifts: []Shift{{0, 1}}, Rows: []Span{{0, 1}, {501, 503}},
		}},
		{"rows added at the end are inserted there", slices.Concat(base, fresh(20)), Plan{
			Shifts: []Shift{{50_000, 20}}, Rows: []Span{{50_000, 50_020}},
		}},
		{"rows lost at the end are deleted", base[:49_000], Plan{Shifts: []Shift{{49_000, -1000}}}},
		{"a few rows changed in place need no shift", changed(base, 7, 30_000), Plan{Rows: []Span{{7, 8}, {30_000, 30_001}}}},
		{"a row near the end is inserted where it belongs", slices.Concat(base[:49_995], fresh(1), base[49_995:]), Plan{
			Shifts: []Shift{{49_995, 1}}, Rows: []Span{{49_995, 49_996}},
		}},
		{"few rows between two insertions are rewritten", slices.Concat(base[:9], fresh(1), base[9:12], fresh(2)[1:], base[12:]), Plan{
			Shifts: []Shift{{12, 2}}, Rows: []Span{{9, 14}},
		}},
		{"few rows that move by the growth stay as they are", slices.Concat(base[40:49_950], fresh(30), base[49_990:]), Plan{
			Shifts: []Shift{{0, -40}, {49_940, -10}}, Rows: []Span{{49_910, 49_940}},
		}},
		{"an insertion and a deletion near each other are not worth two shifts", slices.Concat(base[:50], fresh(1), base[50:55], base[56:]), Plan{
			Rows: []Span{{50, 56}},
		}},
		{"rows replaced by fewer are rewritten in part", slices.Concat(base[:10], fresh(2), base[15:]), Plan{
			Shifts: []Shift{{12, -3}}, Rows: []Span{{10, 12}},
		}},
		{"rows in another order are rewritten", reversed, Plan{Rows: []Span{{0, 50_000}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := DiffShift(Block{base, 2}, Block{tt.ours, 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffShiftClearsLostColumnsOfWhatItKeeps(t *testing.T) {
	base := Block{counted(1, 100), 5}
	ours := Block{slices.Concat(counted(900, 2), base.Fingerprints[:90]), 4}
	want := Plan{Shifts: []Shift{{0, 2}, {92, -10}}, Rows: []Span{{0, 2}}, Clear: []Rect{{0, 4, 92, 1}}}
	if diff := cmp.Diff(want, DiffShift(base, ours)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestDiffShiftOfASmallBlock(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, ours string
		want       Plan
	}{
		{"nothing stands", "", "habc", Plan{Rows: []Span{{0, 4}}}},
		{"a row inserted in the middle", "habc", "habXc", Plan{Shifts: []Shift{{3, 1}}, Rows: []Span{{3, 4}}}},
		{"a row deleted in the middle", "habc", "hac", Plan{Shifts: []Shift{{2, -1}}}},
		{"a row added below the header", "h", "ha", Plan{Shifts: []Shift{{1, 1}}, Rows: []Span{{1, 2}}}},
		{"every row lost but the header", "habc", "h", Plan{Shifts: []Shift{{1, -3}}}},
		{"all rows replaced by more", "habc", "hvwxyz", Plan{Shifts: []Shift{{4, 2}}, Rows: []Span{{1, 6}}}},
		{"all rows replaced by fewer", "habc", "hx", Plan{Shifts: []Shift{{2, -2}}, Rows: []Span{{1, 2}}}},
		{"one inserted, another changed", "habcd", "hXabcD", Plan{Shifts: []Shift{{1, 1}}, Rows: []Span{{1, 2}, {5, 6}}}},
		{"as many lost as gained", "habcd", "hXabc", Plan{Rows: []Span{{1, 5}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := DiffShift(Block{letters(tt.base), 2}, Block{letters(tt.ours), 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAlignFollowsTheLongestOrderOfDistinctRows(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		want []run
	}{
		{"nothing shared", "abc", "xyz", nil},
		{"all shared", "abc", "abc", []run{{0, 0, 3}}},
		{"head and tail", "abXcd", "abYZcd", []run{{0, 0, 2}, {3, 4, 2}}},
		{"the head does not reach into the tail", "aa", "aaa", []run{{0, 0, 2}}},
		{"the longer of two orders", "xabcdy", "zcdabcdw", []run{{1, 3, 4}}},
		{"repeated rows beside a distinct one", "1--a--2", "3--a--4", []run{{1, 1, 5}}},
		{"only repeated rows", "1----2", "3----4", []run{{1, 1, 4}}},
		{"two shared rows may be so by chance", "1--2", "34--5", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := align(letters(tt.a), letters(tt.b))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(run{})); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func letters(s string) []uint64 {
	var rows []uint64
	for _, c := range s {
		rows = append(rows, uint64(c))
	}
	return rows
}
