package part

import (
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// Protection is the protection of a sheet. A cell is locked unless its style or a range for all unlocks it.
type Protection struct {
	open []placements.Rect // ranges that all users may edit
}

// Note takes up what a sheet's element after the rows says about protection; p is nil as long as the sheet is not protected.
func (p *Protection) Note(s *xml.Scanner) *Protection {
	switch {
	case s.Opens("sheetProtection") && xml.True(s.Attr("sheet")):
		return &Protection{}
	case p != nil && s.Opens("protectedRange"):
		for _, needs := range []string{"password", "hashValue", "securityDescriptor"} {
			if _, ok := xml.Attr(s.Attrs, needs); ok {
				return p
			}
		}
		for _, ref := range strings.Fields(s.Attr("sqref")) {
			if area, ok := cursor.ParseArea(ref); ok {
				p.open = append(p.open, area)
			}
		}
	}
	return p
}

// Opens reports whether all users may edit a cell although its style locks it.
func (p *Protection) Opens(row, column int) bool {
	cell := placements.Rect{Top: row, Bottom: row, Left: column, Right: column}
	for _, area := range p.open {
		if area.Intersects(cell) {
			return true
		}
	}
	return false
}
