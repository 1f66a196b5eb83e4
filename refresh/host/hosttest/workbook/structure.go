package workbook

import (
	"regexp"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// InsertRows is hosttest.Editor's.
func (e Editor) InsertRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error { return f.InsertRows(sheet, row, n) })
}

// InsertColumns is hosttest.Editor's.
func (e Editor) InsertColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error { return f.InsertCols(sheet, column, n) })
}

// DeleteColumns is hosttest.Editor's.
func (e Editor) DeleteColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	refs := e.refs(t)
	e.Edit(t, func(f *excelize.File) error {
		for range n {
			if err := f.RemoveCol(sheet, column); err != nil {
				return err
			}
		}
		return nil
	})
	from, err := placements.ParseAnchor(column + "1")
	if err != nil {
		t.Fatal(err)
	}
	e.setRefs(t, sheet, refs, func(l placements.Location) (placements.Location, bool) {
		l.Anchor.Column, l.Columns = without(l.Anchor.Column, l.Columns, from.Column, n)
		return l, l.Columns > 0
	})
}

// without is where a run of lines is once some are deleted, and how many of its own are left.
func without(first, count, from, n int) (int, int) {
	gone := func(to int) int { return max(0, min(to, from+n)-from) }
	left := first - gone(first)
	return left, first + count - gone(first+count) - left
}

var nameElement = regexp.MustCompile(`(<definedName [^>]*>)([^<]*)<`)

// refs are what the names of the workbook refer to, in their order.
func (e Editor) refs(t testing.TB) (list []string) {
	t.Helper()
	Rewrite(t, e.Path, "xl/workbook.xml", func(doc string) string {
		for _, m := range nameElement.FindAllStringSubmatch(doc, -1) {
			list = append(list, strings.ReplaceAll(m[2], "&#39;", "'"))
		}
		return doc
	})
	return list
}

// setRefs has the names refer to what became of their cells, as Excel does: those of a sheet are moved.
func (e Editor) setRefs(t testing.TB, sheet string, refs []string, moved func(placements.Location) (placements.Location, bool)) {
	t.Helper()
	Rewrite(t, e.Path, "xl/workbook.xml", func(doc string) string {
		return nameElement.ReplaceAllStringFunc(doc, func(element string) string {
			ref := refs[0]
			refs = refs[1:]
			if l, err := placements.ParseLocation(ref); err == nil && l.Sheet == sheet {
				if to, ok := moved(l); ok {
					ref = host.Reference(to.Sheet, to.Anchor, checksum.Extent{Rows: to.Rows, Columns: to.Columns})
				} else {
					ref = "#REF!"
				}
			}
			return element[:strings.Index(element, ">")+1] + ref + "<"
		})
	})
}

// Merge is hosttest.Editor's.
func (e Editor) Merge(t testing.TB, sheet, area string) {
	t.Helper()
	from, to, _ := strings.Cut(area, ":")
	e.Edit(t, func(f *excelize.File) error { return f.MergeCell(sheet, from, to) })
}

// CopySheet gives the copy names of its own, as Excel does.
func (e Editor) CopySheet(t testing.TB, sheet, as string) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error {
		from, err := f.GetSheetIndex(sheet)
		if err != nil {
			return err
		}
		to, err := f.NewSheet(as)
		if err != nil {
			return err
		}
		if err := f.CopySheet(from, to); err != nil {
			return err
		}
		for _, n := range f.GetDefinedName() {
			l, err := placements.ParseLocation(n.RefersTo)
			if err != nil || l.Sheet != sheet {
				continue
			}
			own := &excelize.DefinedName{Name: n.Name, Scope: as, RefersTo: host.Reference(as, l.Anchor, checksum.Extent{Rows: l.Rows, Columns: l.Columns})}
			if err := f.SetDefinedName(own); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cut moves values, and lets the names of cells that are cut follow, as Excel does.
func (e Editor) Cut(t testing.TB, sheet, area, on, cell string) {
	t.Helper()
	from, err := placements.ParseLocation(area)
	if err != nil {
		t.Fatal(err)
	}
	to, err := placements.ParseAnchor(cell)
	if err != nil {
		t.Fatal(err)
	}
	down, right := to.Row-from.Anchor.Row, to.Column-from.Anchor.Column
	e.Edit(t, func(f *excelize.File) error {
		for i := range from.Rows * from.Columns {
			a := placements.Anchor{Row: from.Anchor.Row + i/from.Columns, Column: from.Anchor.Column + i%from.Columns}
			text, err := f.GetCellValue(sheet, a.String())
			if err == nil {
				err = f.SetCellValue(sheet, a.String(), nil)
			}
			if err == nil && text != "" {
				err = f.SetCellStr(on, placements.Anchor{Row: a.Row + down, Column: a.Column + right}.String(), text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	e.setRefs(t, sheet, e.refs(t), func(l placements.Location) (placements.Location, bool) {
		end, last := l.End(), from.End()
		if l.Anchor.Row >= from.Anchor.Row && l.Anchor.Column >= from.Anchor.Column && end.Row <= last.Row && end.Column <= last.Column {
			l.Sheet, l.Anchor = on, placements.Anchor{Row: l.Anchor.Row + down, Column: l.Anchor.Column + right}
		}
		return l, true
	})
}

// DeleteRows is hosttest.Editor's.
func (e Editor) DeleteRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	refs := e.refs(t)
	e.Edit(t, func(f *excelize.File) error {
		for range n {
			if err := f.RemoveRow(sheet, row); err != nil {
				return err
			}
		}
		return nil
	})
	e.setRefs(t, sheet, refs, func(l placements.Location) (placements.Location, bool) {
		l.Anchor.Row, l.Rows = without(l.Anchor.Row, l.Rows, row-1, n)
		return l, l.Rows > 0
	})
}

// RenameSheet is hosttest.Editor's.
func (e Editor) RenameSheet(t testing.TB, sheet, name string) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error { return f.SetSheetName(sheet, name) })
}

// DeleteSheet is hosttest.Editor's.
func (e Editor) DeleteSheet(t testing.TB, sheet string) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error { return f.DeleteSheet(sheet) })
}
