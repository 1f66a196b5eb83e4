package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

func TestARestoredBlock(t *testing.T) {
	const when = "2026-03-02T07:00:00.000Z"
	backup := []string{"name|n", "a|1", "b|2", "c|3"}
	for _, tt := range []struct {
		name     string
		sheet    []string
		unmarked bool
		ours     []string
		kept     *checksum.EditedRow // by the write of the backup
		want     []string
		conflict string // what the sentence begins with
		replaces []int  // rows of the sheet that overwrite keeps in the run
	}{
		{name: "what stands is what the backup has", sheet: backup, ours: []string{"name|n", "a|7"}, want: []string{"name|n", "a|7"}},
		{
			name:  "what stands is what the source has",
			sheet: []string{"name|n", "a|7", "d|4"}, ours: []string{"name|n", "a|7", "d|4"}, want: []string{"name|n", "a|7", "d|4"},
		},
		{
			name:  "some rows are the backup's, others the source's",
			sheet: []string{"name|n", "d|4", "b|2", "c|3"}, ours: []string{"name|n", "d|4", "e|5"}, want: []string{"name|n", "d|4", "e|5"},
		},
		{
			name:  "rows were deleted",
			sheet: []string{"name|n", "c|3"}, ours: backup, want: backup,
		},
		{
			name:  "a row that the backup knows for a person's",
			sheet: []string{"name|n", "a|1", "b|typed", "c|3"}, ours: []string{"name|n", "a|7", "b|2", "c|3"},
			kept: &checksum.EditedRow{
				ID: "r", Row: 2, Source: []checksum.Cell{checksum.Str("b"), checksum.Str("2")}, Kept: []checksum.Cell{checksum.Str("b"), checksum.Str("typed")},
			},
			want: []string{"name|n", "a|7", "b|typed", "c|3"},
		},
		{
			name:  "a row that neither has",
			sheet: []string{"name|n", "a|1", "b|5", "c|3"}, ours: backup,
			conflict: "B5:C5 in the block at Data!B3 is neither as the backup has it nor as the report: the placement was restored at " + when +
				", and people may have typed it, or Mooring may have written it after the backup: refresh once with onEdit \"overwrite\"",
			replaces: []int{5},
		},
		{
			name:  "neighbours are named as one range",
			sheet: []string{"name|n", "x|1", "y|5", "c|3", "z|6"}, ours: []string{"name|n", "c|3"},
			conflict: "B4:C5, B7:C7 in the block at Data!B3 are neither as the backup has them",
			replaces: []int{4, 5, 7},
		},
		{
			name:  "a row that stands more often",
			sheet: []string{"name|n", "a|1", "a|1", "b|2", "c|3"}, ours: backup, conflict: "B5:C5 in the block", replaces: []int{5},
		},
		{
			name:  "a heading that neither has",
			sheet: []string{"name|m", "a|1", "b|2", "c|3"}, ours: backup, conflict: "B3:C3 in the block", replaces: []int{3},
		},
		{
			name:  "the columns that the source has now",
			sheet: []string{"name|n|t", "a|1|x", "b|2|y"}, ours: []string{"name|n|t", "a|1|x", "b|9|y"},
			conflict: "B5:D5 in the block", replaces: []int{5},
		},
		{
			name:  "the columns and rows that the source has now",
			sheet: []string{"name|n|t", "a|1|x"}, ours: []string{"name|n|t", "a|1|x", "b|9|y"}, want: []string{"name|n|t", "a|1|x", "b|9|y"},
		},
		{
			name:  "columns that neither has",
			sheet: []string{"name|u|n", "a|x|1", "b|y|2"}, ours: backup,
			conflict: "column C (\"u\") was inserted inside the block at Data!B3, or Mooring wrote it so itself after the backup",
			replaces: []int{3, 4, 5},
		},
		{
			name:  "rows below a block whose marker is gone",
			sheet: []string{"name|n", "a|1", "b|2", "c|3", "d|4"}, unmarked: true, ours: []string{"name|n", "a|1", "b|2"},
			conflict: "B7:C7 in the block",
		},
		{
			name:  "rows that the source has there, below a block whose marker is gone",
			sheet: []string{"name|n", "a|1", "b|2", "c|3", "d|4"}, unmarked: true, ours: []string{"name|n", "a|1", "b|2", "c|3", "d|4"},
			want: []string{"name|n", "a|1", "b|2", "c|3", "d|4"},
		},
		{
			name:  "and one more that it has not",
			sheet: []string{"name|n", "a|1", "b|2", "c|3", "d|4", "e|5"}, unmarked: true, ours: []string{"name|n", "a|1", "b|2", "c|3", "d|4"},
			conflict: "B8:C8 in the block",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, onEdit := range []placements.OnEdit{placements.Keep, placements.Stop, placements.Overwrite} {
				ours := grid(tt.ours...)
				in := Input{
					Last: writtenAs(grid(backup...)), Ours: ours, Block: ours.Block(), OnEdit: onEdit, Restored: when,
					View: View{Marked: !tt.unmarked, Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}, Cells: grid(tt.sheet...)},
				}
				if tt.kept != nil {
					in.Last.Completed.Edited = []checksum.EditedRow{*tt.kept}
				}
				if !tt.unmarked {
					in.View.Extent = in.View.Cells.Extent()
				}
				changes, fault := Decide(in)
				switch {
				case onEdit == placements.Overwrite:
					var replaced []int
					for _, r := range changes.Overwritten {
						replaced = append(replaced, r.Row)
					}
					if fault != nil || tt.conflict != "" && !cmp.Equal(tt.replaces, replaced) {
						t.Errorf("overwrite: %v, keeps rows %v, want %v", fault, replaced, tt.replaces)
					}
				case tt.conflict != "":
					if fault == nil || fault.Class != placements.Conflict || !strings.HasPrefix(fault.Message, tt.conflict) {
						t.Errorf("%s: %v, want a conflict that begins with %q", onEdit, fault, tt.conflict)
					}
				case onEdit == placements.Keep:
					if fault != nil {
						t.Fatal(fault)
					}
					if diff := cmp.Diff(tt.want, applied(tt.sheet, changes)); diff != "" {
						t.Errorf("the sheet afterwards (-want +got):\n%s", diff)
					}
				}
			}
		})
	}
}
