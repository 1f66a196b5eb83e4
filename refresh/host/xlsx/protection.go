package xlsx

import (
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// protection is the protection of a sheet. A cell is locked unless its style or a range for all unlocks it.
type protection struct {
	open []placements.Rect // ranges that all users may edit
}

// note takes up what a sheet's element after the rows says about protection; p is nil as long as the sheet is not protected.
func (p *protection) note(s *xml.Scanner) *protection {
	switch {
	case s.Opens("sheetProtection") && xml.True(s.Attr("sheet")):
		return &protection{}
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

// opens reports whether all users may edit a cell although its style locks it.
func (p *protection) opens(row, column int) bool {
	cell := placements.Rect{Top: row, Bottom: row, Left: column, Right: column}
	for _, area := range p.open {
		if area.Intersects(cell) {
			return true
		}
	}
	return false
}

// maxNamed bounds how many ranges of locked cells are told apart.
const maxNamed = 4

// locked are locked cells that a patch would change, by row, then column.
type locked struct {
	areas []placements.Rect
	more  bool // than are named
}

func (l *locked) add(row, column int) {
	last := len(l.areas) - 1
	if last >= 0 && l.areas[last].Top == row && l.areas[last].Right == column-1 {
		l.areas[last].Right = column
		return
	}
	l.join()
	if len(l.areas) > maxNamed {
		l.more = true
		return
	}
	l.areas = append(l.areas, placements.Rect{Top: row, Bottom: row, Left: column, Right: column})
}

// join makes one area of the last two if they are rows of one.
func (l *locked) join() {
	n := len(l.areas)
	if n < 2 {
		return
	}
	above, below := &l.areas[n-2], l.areas[n-1]
	if above.Left == below.Left && above.Right == below.Right && above.Bottom+1 == below.Top {
		above.Bottom = below.Bottom
		l.areas = l.areas[:n-1]
	}
}

// String names the cells.
func (l *locked) String() string {
	l.join()
	var names []string
	for _, a := range l.areas[:min(len(l.areas), maxNamed)] {
		names = append(names, strings.TrimSuffix(rangeName(a), ":"+placements.Anchor{Row: a.Top, Column: a.Left}.String()))
	}
	if l.more || len(l.areas) > maxNamed {
		return fmt.Sprintf("%s and others", strings.Join(names, ", "))
	}
	return strings.Join(names, ", ")
}

// The traces of a digital signature in a package (ECMA-376-2, part 13). The signature of macros belongs to the macros and is none of them.
const (
	signatureOrigin = "origin"          // the kind of the relationship that says: this package is signed
	signatureFolder = "_xmlsignatures/" // where programs put the parts
	// signatureType begins the content types of the parts: the origin, the signatures, and the certificates beside them.
	signatureType = "application/vnd.openxmlformats-package.digital-signature-"
)

func rangeName(area placements.Rect) string {
	return placements.Anchor{Row: area.Top, Column: area.Left}.String() + ":" +
		placements.Anchor{Row: area.Bottom, Column: area.Right}.String()
}
