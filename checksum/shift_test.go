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

func TestShift(t *testing.T) {
	base := slices.Concat([]uint64{7_000_000}, counted(1, 49_999))
	fresh := func(n int) []uint64 { return counted(1_000_000, n) }
	changed := func(rows []uint64, at ...int) []uint64 {
		rows = slices.Clone(rows)
		for _, i := range at {
			rows[i] += 2_000_000
		}
		return rows
	}
	reversed := slices.Clone(base)
	slices.Reverse(reversed[1:])
	onTop := func(parts ...[]uint64) []uint64 { return slices.Concat(base[:1], slices.Concat(parts...)) }
	tests := []struct {
		name string
		ours []uint64
		want Plan
	}{
		{"nothing changed", base, Plan{}},
		{"20 rows inserted on top are one shift and 20 rows", onTop(fresh(20), base[1:]), Plan{
			Shifts: []Shift{{1, 20}}, Rows: []Span{{1, 21}},
		}},
		{"20 rows deleted on top are one shift", onTop(base[21:]), Plan{Shifts: []Shift{{1, -20}}, Gone: span(1, 21)}},
		{"inserted in one place, deleted in another", slices.Concat(base[:100], fresh(3), base[100:40_000], base[40_005:]), Plan{
			Shifts: []Shift{{100, 3}, {40_003, -5}}, Rows: []Span{{100, 103}}, Gone: span(40_000, 40_005),
		}},
		{"rows changed in place beside an insertion", onTop(fresh(1), changed(base, 500, 501)[1:]), Plan{
			Shifts: []Shift{{1, 1}}, Rows: []Span{{1, 2}, {501, 503}},
		}},
		{"rows added at the end are inserted there", slices.Concat(base, fresh(20)), Plan{
			Shifts: []Shift{{50_000, 20}}, Rows: []Span{{50_000, 50_020}},
		}},
		{"rows lost at the end are deleted", base[:49_000], Plan{Shifts: []Shift{{49_000, -1000}}, Gone: span(49_000, 50_000)}},
		{"rows changed in place need no shift", changed(base, 7, 30_000), Plan{Rows: []Span{{7, 8}, {30_000, 30_001}}}},
		{"a row near the end is inserted where it belongs", slices.Concat(base[:49_995], fresh(1), base[49_995:]), Plan{
			Shifts: []Shift{{49_995, 1}}, Rows: []Span{{49_995, 49_996}},
		}},
		{"the one row between two insertions keeps its cells", slices.Concat(base[:9], fresh(1), base[9:10], fresh(2)[1:], base[10:]), Plan{
			Shifts: []Shift{{9, 1}, {11, 1}}, Rows: []Span{{9, 10}, {11, 12}},
		}},
		{"rows in the middle move as they are", onTop(base[41:49_950], fresh(30), base[49_990:]), Plan{
			Shifts: []Shift{{1, -40}, {49_910, 30}, {49_940, -40}}, Rows: []Span{{49_910, 49_940}},
			Gone: slices.Concat(span(1, 41), span(49_950, 49_990)),
		}},
		{"an insertion and a deletion near each other are two shifts", slices.Concat(base[:50], fresh(1), base[50:51], base[52:]), Plan{
			Shifts: []Shift{{50, 1}, {52, -1}}, Rows: []Span{{50, 51}}, Gone: []int{51},
		}},
		{"others than those below the headings are inserted among these", onTop(fresh(2), base[4:]), Plan{
			Shifts: []Shift{{4, 2}, {1, -3}}, Rows: []Span{{1, 3}}, Gone: span(1, 4),
		}},
		{"the last becomes the first: in its own cells it would need more than are left where they were", onTop(base[49_999:], base[1:49_999]), Plan{
			Shifts: []Shift{{1, 1}, {50_000, -1}}, Rows: []Span{{1, 2}}, Gone: []int{49_999}, Anew: []int{1},
		}},
		{"neighbours that change places stay in the cells of each other", onTop(base[2:3], base[1:2], base[3:]), Plan{
			Rows: []Span{{1, 3}}, Strays: []int{1, 2},
		}},
		{"so do rows in the reverse order", reversed, Plan{
			Rows: []Span{{1, 25_000}, {25_001, 50_000}}, Strays: slices.Concat(span(1, 25_000), span(25_001, 50_000)),
		}},
		{"and a row between them is deleted", onTop(base[3:4], base[1:2], base[4:]), Plan{
			Shifts: []Shift{{2, -1}}, Rows: []Span{{1, 3}}, Gone: []int{2}, Strays: []int{1, 2},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := diffShift(Block{base, 2}, Block{tt.ours, 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// span is the numbers of rows [from,to).
func span(from, to int) (rows []int) {
	for row := from; row < to; row++ {
		rows = append(rows, row)
	}
	return rows
}

func TestShiftClearsLostColumnsOfWhatItKeeps(t *testing.T) {
	header := []uint64{7_000}
	base := Block{slices.Concat(header, counted(1, 99)), 5}
	ours := Block{slices.Concat(header, counted(900, 2), counted(1, 90)), 4}
	want := Plan{Shifts: []Shift{{1, 2}, {93, -9}}, Rows: []Span{{1, 3}}, Clear: []CellRect{{0, 4, 93, 1}}, Gone: span(91, 100)}
	if diff := cmp.Diff(want, diffShift(base, ours)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestShiftOfASmallBlock(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, ours string
		want       Plan
	}{
		{"nothing stands", "", "habc", Plan{Rows: []Span{{0, 4}}}},
		{"a row inserted in the middle", "habc", "habXc", Plan{Shifts: []Shift{{3, 1}}, Rows: []Span{{3, 4}}}},
		{"a row deleted in the middle", "habc", "hac", Plan{Shifts: []Shift{{2, -1}}, Gone: []int{2}}},
		{"a row added below the header", "h", "ha", Plan{Shifts: []Shift{{1, 1}}, Rows: []Span{{1, 2}}}},
		{"every row lost but the header", "habc", "h", Plan{
			Shifts: []Shift{{2, -2}}, Rows: []Span{{1, 2}}, Gone: []int{1, 2, 3}, Strays: []int{1},
		}},
		{"all rows replaced by more", "habc", "hvwxyz", Plan{
			Shifts: []Shift{{2, 4}, {6, -2}}, Rows: []Span{{1, 6}}, Gone: []int{1, 2, 3}, Strays: []int{1},
		}},
		{"all rows replaced by one", "habc", "hx", Plan{
			Shifts: []Shift{{2, -2}}, Rows: []Span{{1, 2}}, Gone: []int{1, 2, 3}, Strays: []int{1},
		}},
		{"one inserted, another changed", "habcd", "hXabcD", Plan{Shifts: []Shift{{1, 1}}, Rows: []Span{{1, 2}, {5, 6}}}},
		{"one gained, another lost", "habcd", "hXabc", Plan{Shifts: []Shift{{1, 1}, {5, -1}}, Rows: []Span{{1, 2}}, Gone: []int{4}}},
		{"two for one", "habc", "haxyc", Plan{Shifts: []Shift{{2, 2}, {4, -1}}, Rows: []Span{{2, 4}}, Gone: []int{2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := diffShift(Block{letters(tt.base), 2}, Block{letters(tt.ours), 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
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
