package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// newShiftingDesk is a block whose runs may shift rows of cells, and what stands around it.
func newShiftingDesk(t *testing.T, block []string, around ...string) *blockDesk {
	d := newBlockDesk(t, block...)
	d.means = checksum.Means{Shifts: 256}
	d.sheet = append(d.sheet, around...)
	return d
}

func TestWhatStandsBelowKeepsItsDistance(t *testing.T) {
	for _, tt := range []struct {
		name         string
		sheet, below []string
		ours         [][]string // refresh by refresh
	}{
		{
			"a total right below, over rows gained, lost and gained",
			[]string{"name|n", "a|1", "b|2"},
			[]string{"total|=sum"},
			[][]string{
				{"name|n", "a|1", "b|2", "c|3", "d|4"},
				{"name|n", "d|4"},
				{"name|n"},
				{"name|n", "0|0", "d|4", "e|5"},
				{"name|n"},
				{"name|n", "a|1"},
			},
		},
		{
			"a total below an empty row",
			[]string{"name|n", "a|1", "b|2"},
			[]string{"", "total|=sum", "", "a note"},
			[][]string{{"name|n", "x|0", "a|1", "b|2"}, {"name|n"}, {"name|n", "a|1", "b|2"}},
		},
		{
			"rows that look like the block's",
			[]string{"name|n", "a|1", "b|2"},
			[]string{"a|1", "b|2"},
			[][]string{{"name|n", "x|0"}, {"name|n", "x|0", "y|0", "z|0"}},
		},
		{
			"all rows replaced by more",
			[]string{"name|n", "a|1"},
			[]string{"total|=sum"},
			[][]string{{"name|n", "x|7", "y|8", "z|9"}, {"title|m", "u|7"}},
		},
		{
			"a wider block",
			[]string{"name|n", "a|1"},
			[]string{"total|=sum|other"},
			[][]string{{"name|n|m", "a|1|2", "b|1|2"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newShiftingDesk(t, tt.sheet, tt.below...)
			for _, ours := range tt.ours {
				want := slices.Clone(ours)
				if len(want) == 1 {
					want = append(want, "") // the row that a total below refers to
				}
				d.refreshed(placements.Keep, ours, append(want, tt.below...)...)
				d.wantEdits("")
				d.refreshed(placements.Keep, ours, d.sheet...)
				if !d.plan.Empty() {
					t.Errorf("the same rows again: %+v", d.plan.RowPlan)
				}
			}
		})
	}
}

func TestTheFirstWriteShiftsNothing(t *testing.T) {
	d := &blockDesk{T: t, means: checksum.Means{Shifts: 256}, sheet: []string{"", "", "", "total|=sum"}}
	ours := []string{"name|n", "a|1", "b|2", "c|3"}
	if conflict := d.run(placements.Keep, ours...); !strings.Contains(conflict, "B5:C5 holds something that is not its own") {
		t.Errorf("conflict %q", conflict)
	}
	d.sheet = []string{"name|n"} // as a person prepared it
	d.refreshed(placements.Keep, ours, ours...)
	if len(d.plan.Shifts) > 0 {
		t.Errorf("shifts %v", d.plan.Shifts)
	}
}

func TestWhatStandsBesideIsInTheWayOfGainedColumns(t *testing.T) {
	d := newShiftingDesk(t, []string{"name|n", "a|1"}, "total|=sum")
	d.sheet[1] += "|mine"
	const want = "but Sheet1!D3 holds something that is not its own: insert a column left of column D, clear that cell"
	if conflict := d.run(placements.Keep, "name|n|m", "a|1|2", "b|1|2"); !strings.Contains(conflict, want) {
		t.Errorf("conflict %q, want %q", conflict, want)
	}
}

func TestARowThatTheSourceLosesTakesNoEditAlong(t *testing.T) {
	before, ours := []string{"name|n", "a|1", "b|2", "c|3", "d|4"}, []string{"name|n", "a|1", "d|4"}
	edited := []string{"name|n", "a|1", "b|by hand", "c|3", "d|4", "total|=sum"}
	desk := func() *blockDesk {
		d := newShiftingDesk(t, before)
		d.sheet = edited
		return d
	}
	d := desk()
	d.refreshed(placements.Keep, ours, "name|n", "a|1", "b|by hand", "d|4", "total|=sum")
	d.refreshed(placements.Keep, before, "name|n", "a|1", "b|by hand", "b|2", "c|3", "d|4", "total|=sum")
	d = desk()
	if conflict := d.run(placements.Stop, ours...); !strings.Contains(conflict, "by hand") {
		t.Errorf("conflict %q", conflict)
	}
	if diff := cmp.Diff(edited, d.sheet); diff != "" {
		t.Errorf("the sheet (-want +got):\n%s", diff)
	}
	d.refreshed(placements.Overwrite, ours, "name|n", "a|1", "d|4", "total|=sum")
	if diff := cmp.Diff([]OverwrittenRow{{Row: 4, Values: []any{"b", "by hand"}}}, d.plan.Overwritten); diff != "" {
		t.Errorf("overwritten (-want +got):\n%s", diff)
	}
}

func TestRowsThatAPersonAddedStayAboveWhatStandsBelow(t *testing.T) {
	d := newShiftingDesk(t, []string{"name|n", "a|1", "b|2"}, "total|=sum")
	d.sheet = []string{"name|n", "a|1", "mine|9", "b|2", "total|=sum"}
	d.extent.Rows++ // the marker grew around what was inserted
	d.refreshed(placements.Keep, []string{"name|n", "a|1", "x|5", "b|2", "y|6"},
		"name|n", "a|1", "mine|9", "x|5", "b|2", "y|6", "total|=sum")
	d.refreshed(placements.Keep, []string{"name|n", "b|2"}, "name|n", "mine|9", "b|2", "total|=sum")
}

func TestEmptyRowsOfTheBlockAreItsOwn(t *testing.T) {
	d := newShiftingDesk(t, []string{"name|n", "a|1", "b|2"})
	d.sheet = []string{"name|n", "a|1", "", "", "b|2", "", "", "total|=sum"}
	d.extent.Rows = 7 // inserted by a person, who then moved b up
	d.sheet[4], d.sheet[2] = "", "b|2"
	d.refreshed(placements.Keep, []string{"name|n", "a|1", "b|2", "c|3"}, "name|n", "a|1", "b|2", "c|3", "total|=sum")
}

func TestABlockWhoseColumnsWereChangedIsOverwrittenWithoutWhatStandsBelow(t *testing.T) {
	d := newShiftingDesk(t, []string{"name|n", "a|1", "b|2"}, "total||=sum")
	d.sheet = []string{"name|mine|n", "a|x|1", "b|y|2", "total||=sum"}
	d.extent.Columns++
	ours := []string{"name|n", "a|1", "b|2", "c|3", "d|4"}
	d.refreshed(placements.Overwrite, ours, append(ours, "total||=sum")...)
}

func TestABlockOfHeadingsAloneGrowsFromTheEmptyRowBelow(t *testing.T) {
	for _, tt := range []struct {
		name        string
		below, want []string
		shifts      []checksum.Shift
	}{
		{"that its total refers to", []string{"", "total|=sum"}, []string{"a|1", "b|2", "total|=sum"}, []checksum.Shift{{At: 2, Rows: 1}}},
		{"of a sheet that ends there", nil, []string{"a|1", "b|2"}, []checksum.Shift{{At: 2, Rows: 1}}},
		{"but for a total", []string{"total|=sum"}, []string{"a|1", "b|2", "total|=sum"}, []checksum.Shift{{At: 1, Rows: 2}}},
		{"but for a formula that shows nothing", []string{"|=none"}, []string{"a|1", "b|2", "|=none"}, []checksum.Shift{{At: 1, Rows: 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newShiftingDesk(t, []string{"name|n"}, tt.below...)
			d.refreshed(placements.Keep, []string{"name|n", "a|1", "b|2"}, append([]string{"name|n"}, tt.want...)...)
			if diff := cmp.Diff(tt.shifts, d.plan.Shifts); diff != "" {
				t.Errorf("shifts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAPersonTypesIntoTheRowThatAnEmptyBlockKeepsStays(t *testing.T) {
	d := newShiftingDesk(t, []string{"name|n", "a|1", "b|2"}, "total|=sum")
	d.refreshed(placements.Keep, []string{"name|n"}, "name|n", "", "total|=sum")
	d.sheet[1] = "mine|9"
	d.refreshed(placements.Keep, []string{"name|n"}, "name|n", "mine|9", "total|=sum")
	d.refreshed(placements.Keep, []string{"name|n", "a|1"}, "name|n", "mine|9", "a|1", "total|=sum")
}

func TestShiftedNamesTheFirstPlaces(t *testing.T) {
	at := placements.Location{Sheet: "Data", Anchor: placements.Anchor{Row: 1}}
	for _, tt := range []struct {
		shifts []checksum.Shift
		want   string
	}{
		{nil, ""},
		{[]checksum.Shift{{At: 38, Rows: 12}}, "12 rows inserted at Data!A40"},
		{[]checksum.Shift{{At: 1, Rows: 1}, {At: 10, Rows: -3}}, "1 row inserted at Data!A3, 3 rows deleted at Data!A12"},
		{
			[]checksum.Shift{{At: 1, Rows: 1}, {At: 3, Rows: -1}, {At: 5, Rows: 2}, {At: 7, Rows: -1}, {At: 9, Rows: 1}},
			"1 row inserted at Data!A3, 1 row deleted at Data!A5, 2 rows inserted at Data!A7 and 2 more places",
		},
	} {
		if got := (Changes{RowPlan: checksum.RowPlan{Shifts: tt.shifts}}).Shifted(at); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.shifts, got, tt.want)
		}
	}
}
