package shift

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHiddenRowsDoNotSwallowCells inserts two rows before row 5 above rows that are hidden.
func TestHiddenRowsDoNotSwallowCells(t *testing.T) {
	for name, test := range map[string]struct {
		in, want string
		shown    []int
	}{
		"a cell that would move into a hidden row": {
			in:    `<row r="6"><c r="B6"><v>1</v></c></row><row r="8" hidden="1" ht="15" outlineLevel="1"><c r="F8"><v>2</v></c></row>`,
			want:  `<row r="6"></row><row r="8" ht="15" outlineLevel="1"><c r="B8"><v>1</v></c><c r="F8"><v>2</v></c></row>`,
			shown: []int{7},
		},
		"one that was hidden stays hidden": {
			in:   `<row r="6" hidden="1"><c r="B6"><v>1</v></c></row><row r="8" hidden="1"/>`,
			want: `<row r="6" hidden="1"></row><row r="8" hidden="1"><c r="B8"><v>1</v></c></row>`,
		},
		"one that holds nothing": {
			in:   `<row r="6"><c r="B6" s="1"/></row><row r="8" hidden="1"/>`,
			want: `<row r="6"></row><row r="8" hidden="1"><c r="B8" s="1"/></row>`,
		},
		"cells beside": {
			in:   `<row r="6"><c r="F6"><v>1</v></c></row><row r="8" hidden="true"><c r="F8"><v>1</v></c></row>`,
			want: `<row r="6"><c r="F6"><v>1</v></c></row><row r="8" hidden="true"><c r="F8"><v>1</v></c></row>`,
		},
		"a row without height": {
			in:    `<row r="6"><c r="B6"><v>1</v></c></row><row r="8" ht="0" customHeight="1"></row>`,
			want:  `<row r="6"></row><row r="8"><c r="B8"><v>1</v></c></row>`,
			shown: []int{7},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, followed, err := runSheet(sheetTest{moves: inserted(), in: "<sheetData>" + test.in + "</sheetData>"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("<sheetData>"+test.want+"</sheetData>", got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(followed.Shown, test.shown) {
				t.Errorf("shown %v, want %v", followed.Shown, test.shown)
			}
		})
	}
}
