package shift

import (
	"fmt"
	"strings"

	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// pivotCache moves the cells that a pivot table is made from. A cache whose cells are all deleted could not be made anew: that is refused.
func (m *Moves) pivotCache(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "worksheetSource", "rangeSet":
			return e.pivotSource()
		}
		return nil
	})
}

// pivotSource moves the cells that the tag names, unless they are another workbook's.
func (e *editor) pivotSource() error {
	before, ok := cursor.ParseArea(e.Attr("ref"))
	if !ok || external(e.Attrs) {
		return nil
	}
	sheet := e.Attr("sheet")
	after, ok := e.by().Range(before, sheet, e.place())
	if !ok {
		return &Torn{What: "the source of a pivot table", Sheet: sheet, Area: before}
	}
	e.setArea("ref", before, after)
	return nil
}

// external reports whether a tag's attributes name a relationship, as those do that mean another workbook.
func external(attrs []byte) bool {
	for rest := attrs; ; {
		var name []byte
		if name, _, rest = xml.NextAttr(rest); len(name) == 0 {
			return false
		}
		if strings.HasSuffix(string(name), ":id") {
			return true
		}
	}
}

// pivotTable moves a pivot table, which nothing may be inserted into or deleted from, with the filters above it.
func (m *Moves) pivotTable(doc []byte, sheet string) ([]byte, error) {
	name := ""
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "pivotTableDefinition":
			name = e.Attr("name")
		case "location":
			return e.pivotLocation(name)
		}
		return nil
	})
}

// pivotLocation moves the cells of the pivot table of that name. Its filters stand above them, with an empty row between, each two columns
// wide, with an empty column between.
func (e *editor) pivotLocation(name string) error {
	before, ok := cursor.ParseArea(e.Attr("ref"))
	if !ok {
		return fmt.Errorf("pivot table %q has no location", name)
	}
	all := before
	if rows := e.count("rowPageCount", 0); rows > 0 {
		all.Top = max(before.Top-rows-1, 0)
		all.Right = max(before.Right, before.Left+3*e.count("colPageCount", 1)-2)
	}
	after, ok := e.whole(e.sheet, all, all.Bottom-all.Top+1, 0)
	if !ok {
		return &Torn{What: fmt.Sprintf("the pivot table %q", name), Sheet: e.sheet, Area: all}
	}
	by := after.Top - all.Top
	after = before
	after.Top, after.Bottom = after.Top+by, after.Bottom+by
	e.setArea("ref", before, after)
	return nil
}
