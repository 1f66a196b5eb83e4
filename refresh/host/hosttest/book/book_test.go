package book

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block makes a sheet of 20 × 10 whose column B holds its row numbers, with a name on B3:C6 (rows 2–5 from zero).
func block() (*Book, *Sheet) {
	b := New(20, 10, "Data")
	s := b.Sheet("data")
	for row := range 10 {
		s.Set(row, 1, float64(row))
	}
	b.AddName(Name{ID: "n1", Name: "marker", Sheet: s, Rect: Region{Row: 2, Column: 1, Rows: 4, Columns: 2}})
	return b, s
}

func TestNamesMoveWithTheirCells(t *testing.T) {
	whole := Region{Column: 1, Columns: 2}
	at := func(r Region, row, rows int) Region { r.Row, r.Rows = row, rows; return r }
	for _, row := range []struct {
		fact string
		edit func(*Sheet)
		want Region // zero: the name marks nothing
	}{
		{"rows inserted above move it down", func(s *Sheet) { s.InsertRows(0, 3) }, at(whole, 5, 4)},
		{"rows inserted at its first row move it down", func(s *Sheet) { s.InsertRows(2, 1) }, at(whole, 3, 4)},
		{"rows inserted inside make it grow", func(s *Sheet) { s.InsertRows(3, 2) }, at(whole, 2, 6)},
		{"rows inserted below leave it", func(s *Sheet) { s.InsertRows(6, 2) }, at(whole, 2, 4)},
		{"rows deleted above move it up", func(s *Sheet) { s.DeleteRows(0, 2) }, at(whole, 0, 4)},
		{"rows deleted over its top edge cut it", func(s *Sheet) { s.DeleteRows(1, 2) }, at(whole, 1, 3)},
		{"rows deleted inside make it shrink", func(s *Sheet) { s.DeleteRows(3, 2) }, at(whole, 2, 2)},
		{"all its rows deleted leave it marking nothing", func(s *Sheet) { s.DeleteRows(2, 4) }, Region{}},
		{"cells inserted over its width make it grow", func(s *Sheet) { s.InsertCells(at(whole, 3, 2)) }, at(whole, 2, 6)},
		{
			"cells inserted over part of its width leave it",
			func(s *Sheet) { s.InsertCells(Region{Row: 3, Column: 1, Rows: 2, Columns: 1}) }, at(whole, 2, 4),
		},
		{"cells deleted over its width make it shrink", func(s *Sheet) { s.DeleteCells(at(whole, 4, 5)) }, at(whole, 2, 2)},
		{"its sheet deleted leaves it marking nothing", func(s *Sheet) { s.book.DeleteSheet("Data") }, Region{}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			b, s := block()
			before := b.Revision
			row.edit(s)
			var got Region
			if n := b.Name("MARKER"); n.Sheet != nil {
				got = n.Rect
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			if b.Revision == before {
				t.Error("the revision did not grow")
			}
		})
	}
}

func column(s *Sheet, column, rows int) []any {
	var got []any
	for row := range rows {
		got = append(got, s.Cell(row, column).Value)
	}
	return got
}

func TestCellsMove(t *testing.T) {
	for _, row := range []struct {
		fact string
		edit func(*Sheet)
		want []any
	}{
		{"whole rows", func(s *Sheet) { s.InsertRows(1, 2) }, []any{0., nil, nil, 1., 2.}},
		{"cells of one column", func(s *Sheet) { s.InsertCells(Region{Row: 1, Column: 1, Rows: 1, Columns: 1}) }, []any{0., nil, 1., 2., 3.}},
		{"other columns stay", func(s *Sheet) { s.InsertCells(Region{Row: 1, Column: 2, Rows: 1, Columns: 1}) }, []any{0., 1., 2., 3., 4.}},
		{"cells deleted", func(s *Sheet) { s.DeleteCells(Region{Row: 1, Column: 1, Rows: 2, Columns: 1}) }, []any{0., 3., 4., 5., 6.}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			_, s := block()
			row.edit(s)
			if diff := cmp.Diff(row.want, column(s, 1, 5)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInsertedCellsNeverFallOffTheSheet(t *testing.T) {
	_, s := block()
	s.Set(19, 1, "last")
	s.InsertCells(Region{Row: 0, Column: 1, Rows: 3, Columns: 1})
	if s.Rows != 23 || s.Cell(22, 1).Value != "last" {
		t.Errorf("the sheet has %d rows and its last cell holds %v, want 23 and last", s.Rows, s.Cell(22, 1).Value)
	}
}

func TestCloneIsApart(t *testing.T) {
	b, s := block()
	c := b.Clone()
	s.Set(0, 1, "changed")
	s.InsertRows(0, 1)
	if got := c.Sheet("Data").Cell(0, 1).Value; got != 0. {
		t.Errorf("the clone's cell became %v", got)
	}
	if n := c.Name("marker"); n.Sheet != c.Sheet("Data") || n.Rect.Row != 2 {
		t.Errorf("the clone's name became %+v", n)
	}
}

func TestFormulasFollowTheCellsTheyReferTo(t *testing.T) {
	for _, row := range []struct {
		fact, formula string
		edit          func(*Sheet)
		want          string
	}{
		{"rows inserted above", "=B3+$B$4", func(s *Sheet) { s.InsertRows(0, 2) }, "=B5+$B$6"},
		{"rows inserted inside a range", "=SUM(B3:B6)", func(s *Sheet) { s.InsertRows(3, 2) }, "=SUM(B3:B8)"},
		{"rows deleted", "=B3&B9", func(s *Sheet) { s.DeleteRows(2, 1) }, "=#REF!&B8"},
		{
			"cells of the column inserted", "=B3&C3", func(s *Sheet) { s.InsertCells(Region{Row: 1, Column: 1, Rows: 1, Columns: 1}) },
			"=B4&C3",
		},
		{
			"cells cut and pasted", "=B3&C3&B4", func(s *Sheet) { s.MoveCells(Region{Row: 2, Column: 1, Rows: 1, Columns: 2}, 7, 1) },
			"=B8&C8&B4",
		},
		{"cells pasted over", "=B8", func(s *Sheet) { s.MoveCells(Region{Row: 2, Column: 1, Rows: 1, Columns: 2}, 7, 1) }, "=#REF!"},
		{
			"a part of a range cut", "=SUM(B3:B6)", func(s *Sheet) { s.MoveCells(Region{Row: 2, Column: 1, Rows: 1, Columns: 1}, 7, 1) },
			"=SUM(B3:B6)",
		},
		{
			"a range cut whole", "=SUM($B3:B$4)", func(s *Sheet) { s.MoveCells(Region{Row: 2, Column: 1, Rows: 2, Columns: 1}, 12, 3) },
			"=SUM($D13:D$14)",
		},
		{"the sheet by its name", "=data!B3+'Data'!B3+Other!B3", func(s *Sheet) { s.InsertRows(0, 1) }, "=data!B4+'Data'!B4+Other!B3"},
		{"texts are left alone", `="B3"&B3`, func(s *Sheet) { s.InsertRows(0, 1) }, `="B3"&B4`},
	} {
		t.Run(row.fact, func(t *testing.T) {
			_, s := block()
			s.SetFormula(0, 9, row.formula, 0.)
			row.edit(s)
			got := s.Cell(0, 9).Formula + s.Cell(1, 9).Formula + s.Cell(2, 9).Formula
			if got != row.want {
				t.Errorf("%s became %s, want %s", row.formula, got, row.want)
			}
		})
	}
}

func TestMovedCellsTakeNamesFormulasAndFormatsAlong(t *testing.T) {
	b, s := block()
	s.SetFormula(2, 2, "=B3", 2.)
	s.SetFormat(2, 2, "0.0")
	s.Set(9, 2, "gone")
	s.MoveCells(Region{Row: 2, Column: 1, Rows: 4, Columns: 2}, 6, 1)
	if want := (Content{Value: 2., Formula: "=B7", Format: "0.0"}); s.Cell(6, 2) != want {
		t.Errorf("the cell became %+v, want %+v", s.Cell(6, 2), want)
	}
	if s.Cell(2, 1) != (Content{}) || s.Cell(9, 2) != (Content{}) {
		t.Errorf("%+v and %+v are left", s.Cell(2, 1), s.Cell(9, 2))
	}
	if n := b.Name("marker"); n.Sheet != s || n.Rect != (Region{Row: 6, Column: 1, Rows: 4, Columns: 2}) {
		t.Errorf("the name became %+v", n)
	}
}
