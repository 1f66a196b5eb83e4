package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

func TestDifference(t *testing.T) {
	base := []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm"}
	row := func(row int, before, after []any) ChangedRow {
		return ChangedRow{Row: row, Before: before, After: after}
	}
	moved := func(was, row int, before, after []any) ChangedRow {
		return ChangedRow{Row: row, Was: was, Before: before, After: after}
	}
	for _, tt := range []struct {
		name   string
		base   []string // nil: nothing was written
		sheet  []string // nil: as base
		ours   []string
		onEdit placements.OnEdit
		key    []string
		want   Difference
	}{
		{name: "an unchanged block", base: base, ours: base},
		{
			name: "a cell that the source changed", base: base, ours: []string{"name|n|city", "a|1|Bonn", "b|7|Kiel", "c|3|Ulm"},
			want: Difference{Changed: 1, Restorable: 1, Rows: []ChangedRow{row(4, []any{"b", "2", "Kiel"}, []any{"b", "7", "Kiel"})}},
		},
		{
			name: "a first write adds its rows, and the header is none", ours: base[:3],
			want: Difference{Added: 2, Rows: []ChangedRow{
				row(3, nil, []any{"a", "1", "Bonn"}), row(4, nil, []any{"b", "2", "Kiel"}),
			}},
		},
		{
			name: "a new row beside a changed one", base: base, ours: []string{"name|n|city", "a|1|Bonn", "x|9|Rom", "b|7|Kiel", "c|3|Ulm"},
			want: Difference{Changed: 1, Added: 1, Restorable: 1, Rows: []ChangedRow{
				row(4, nil, []any{"x", "9", "Rom"}), moved(4, 5, []any{"b", "2", "Kiel"}, []any{"b", "7", "Kiel"}),
			}},
		},
		{
			name: "a dropped row is named by where it stood", base: base, ours: []string{"name|n|city", "b|2|Kiel", "c|3|Ulm"},
			want: Difference{Removed: 1, Restorable: 3, Rows: []ChangedRow{row(3, []any{"a", "1", "Bonn"}, nil)}},
		},
		{
			name: "another order moves rows", base: base, ours: []string{"name|n|city", "c|3|Ulm", "a|1|Bonn", "b|2|Kiel"},
			want: Difference{Moved: 1},
		},
		{
			name: "cells typed by hand that stay are no change", base: base, sheet: []string{"name|n|city", "a|1|mine", "b|2|Kiel", "c|3|Ulm"},
			ours: []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|4|Ulm"},
			want: Difference{Changed: 1, Restorable: 1, Rows: []ChangedRow{row(5, []any{"c", "3", "Ulm"}, []any{"c", "4", "Ulm"})}},
		},
		{
			name: "an edited row stays whole where what the source had is not known", base: base,
			sheet: []string{"name|n|city", "a|1|mine", "b|2|Kiel", "c|3|Ulm"}, ours: []string{"name|n|city", "a|8|Bonn", "b|2|Kiel", "c|3|Ulm"},
			key:  []string{"name"},
			want: Difference{},
		},
		{
			name: "cells typed by hand that are overwritten are one", base: base, onEdit: placements.Overwrite,
			sheet: []string{"name|n|city", "a|1|mine", "b|=two|Kiel", "c|3|Ulm"}, ours: base,
			want: Difference{Changed: 2, Restorable: 2, Rows: []ChangedRow{
				row(3, []any{"a", "1", "mine"}, []any{"a", "1", "Bonn"}),
				row(4, []any{"b", overwrittenFormula{"=TWO()", "two"}, "Kiel"}, []any{"b", "2", "Kiel"}),
			}},
		},
		{
			name: "with a row key the row is the one with the same values there", base: base, key: []string{"name"},
			ours: []string{"name|n|city", "x|1|Bonn", "c|5|Jena", "b|2|Kiel"},
			want: Difference{Changed: 1, Added: 1, Removed: 1, Restorable: 5, Rows: []ChangedRow{
				row(3, nil, []any{"x", "1", "Bonn"}), row(3, []any{"a", "1", "Bonn"}, nil),
				moved(5, 4, []any{"c", "3", "Ulm"}, []any{"c", "5", "Jena"}),
			}},
		},
		{
			name: "a new column changes the header and every row", base: base[:2], ours: []string{"name|n|city|zip", "a|1|Bonn|53"},
			want: Difference{Changed: 2, Rows: []ChangedRow{
				row(2, []any{"name", "n", "city"}, []any{"name", "n", "city", "zip"}),
				row(3, []any{"a", "1", "Bonn"}, []any{"a", "1", "Bonn", "53"}),
			}},
		},
		{
			name: "a person's column that is overwritten", base: base[:2], sheet: []string{"name|own|n|city", "a|x|1|Bonn"}, ours: base[:2],
			onEdit: placements.Overwrite,
			want: Difference{Changed: 2, Rows: []ChangedRow{
				row(2, []any{"name", "own", "n", "city"}, []any{"name", "n", "city"}),
				row(3, []any{"a", "x", "1", "Bonn"}, []any{"a", "1", "Bonn"}),
			}},
		},
		{
			name: "rows that a person deleted are added again", base: base, sheet: []string{"name|n|city", "a|1|Bonn", "c|3|Ulm"}, ours: base,
			want: Difference{Added: 1, Rows: []ChangedRow{row(4, nil, []any{"b", "2", "Kiel"})}},
		},
		{
			name: "a cleared block is added again", base: base[:3], sheet: []string{"name|n|city", "", ""}, ours: base[:3],
			want: Difference{Added: 2, Rows: []ChangedRow{row(3, nil, []any{"a", "1", "Bonn"}), row(4, nil, []any{"b", "2", "Kiel"})}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sheet := tt.sheet
			if sheet == nil {
				sheet = tt.base
			}
			in := Input{Ours: grid(tt.ours...), OnEdit: tt.onEdit, RowKey: tt.key}
			in.Block = in.Ours.Block()
			in.View = View{Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1}, Cells: grid(sheet...), Formulas: formulas(sheet...)}
			if tt.base != nil {
				in.Last = writtenAs(grid(tt.base...))
				in.View.Marked, in.View.Extent = true, grid(sheet...).Extent().Union(in.Last.Extent)
				if tt.sheet != nil && len(tt.sheet) < len(tt.base) {
					in.View.Extent.Rows = len(tt.sheet)
				}
			}
			changes, fault := Decide(in)
			if fault != nil {
				t.Fatal(fault)
			}
			if !changes.Empty() {
				tt.want.Columns, tt.want.Top = strings.Split(tt.ours[0], "|"), 2
			}
			if diff := cmp.Diff(tt.want, changes.Difference); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDifferenceBeyondItsBoundsOnlyCounts(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows int
		text string
		kept bool
	}{
		{"as many rows as are kept", MaxChangedRows, "x", true},
		{"one row more", MaxChangedRows + 1, "x", false},
		{"long texts", 20, strings.Repeat("x", 1<<20), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := []string{"name|n"}
			for i := range tt.rows {
				rows = append(rows, fmt.Sprintf("%d|%s", i, tt.text))
			}
			ours := grid(rows...)
			changes, fault := Decide(Input{Ours: ours, Block: ours.Block(), View: View{Sheet: "Sheet1", Cells: new(checksum.Grid)}})
			if fault != nil {
				t.Fatal(fault)
			}
			d := changes.Difference
			if d.Added != tt.rows || d.Dropped == tt.kept || (len(d.Rows) == tt.rows) != tt.kept {
				t.Errorf("%d added, %d rows kept, dropped: %t", d.Added, len(d.Rows), d.Dropped)
			}
		})
	}
}
