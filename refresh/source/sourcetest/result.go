package sourcetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/source"
)

func (s Subject) cells(t *testing.T) {
	src := s.open(t, nil)
	for _, c := range s.Cells {
		t.Run(c.Name, func(t *testing.T) {
			columns, grid := Table(t, src, c.Query)
			if grid.Rows() != 2 {
				t.Fatalf("%d rows, want a header and one row", grid.Rows())
			}
			got := append(grid.Cells(1, nil), make([]checksum.Cell, len(columns))...)[:len(columns)]
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			want := append(c.Formats, make([]string, len(columns))...)[:len(columns)]
			if diff := cmp.Diff(want, formats(columns)); diff != "" {
				t.Errorf("formats (-want +got):\n%s", diff)
			}
		})
	}
}

func formats(columns []source.Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Format
	}
	return out
}

// header proves that a result without rows still says what its columns are.
func (s Subject) header(t *testing.T) {
	want := s.HeaderNames
	if want == nil {
		want = []string{"id", "label"}
	}
	columns, grid := Table(t, s.open(t, nil), s.Header)
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("column names (-want +got):\n%s", diff)
	}
	if got, want := grid.Extent(), (checksum.Extent{Rows: 1, Columns: len(want)}); got != want {
		t.Fatalf("extent %v, want %v", got, want)
	}
	var header []string
	for _, cell := range grid.Cells(0, nil) {
		header = append(header, cell.Text)
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("row 0 (-want +got):\n%s", diff)
	}
}
