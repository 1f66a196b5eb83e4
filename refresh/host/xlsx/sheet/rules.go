package sheet

import (
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// rules watches for what a patch may not do to a sheet: take a piece out of something that only exists as a whole.
type rules struct {
	patch      *Patches
	fault      *placements.Fault // the first offence
	formulas   []placements.Anchor
	mastersOff map[string]bool  // shared formulas whose text was overwritten
	sharedKept map[string]bool  // shared formulas that a cell left alone refers to
	protection *part.Protection // nil unless the sheet is known to be protected
	locked     locked
}

func newRules(patch *Patches) rules {
	return rules{patch: patch, mastersOff: map[string]bool{}, sharedKept: map[string]bool{}}
}

func (r *rules) conflict(format string, args ...any) {
	if r.fault == nil {
		r.fault = archive.NewFault(placements.Conflict, r.patch.document, nil, format, args...)
	}
}

// merged refuses to write into merged cells, which would hide what is written.
func (r *rules) merged(area placements.Rect) {
	if area.Top == area.Bottom && area.Left == area.Right {
		return
	}
	if r.patch.Touches(area) || r.patch.fillsIn(area) || r.patch.growsOver(area) {
		r.conflict("has merged cells %s on sheet %q in the way: unmerge them, or move the report.", cursor.AreaName(area), r.patch.Name)
	}
}

// formula looks at the formula whose tag s stands at; kept reports whether its cell is left alone.
func (r *rules) formula(s *xml.Scanner, kept bool) {
	t, _ := xml.Attr(s.Attrs, "t")
	switch string(t) {
	case "shared":
		_, master := xml.Attr(s.Attrs, "ref")
		switch index := s.Attr("si"); {
		case kept && !master:
			r.sharedKept[index] = true
		case !kept && master:
			r.mastersOff[index] = true
		}
	case "array", "dataTable":
		area, ok := cursor.Area(s, "ref")
		if ok && r.patch.Touches(area) && !r.patch.covers(area) {
			r.conflict("has a formula on sheet %q that fills %s, and the report would overwrite a part of it: move one of the two.",
				r.patch.Name, cursor.AreaName(area))
		}
	}
}

// dropped notes a formula cell that was overwritten.
func (r *rules) dropped(row, column int) {
	r.formulas = append(r.formulas, placements.Anchor{Row: row, Column: column})
}

// written notes a cell that is written or cleared, in its style before.
func (r *rules) written(row, column, style int, styles *part.Styles) {
	if r.protection != nil && styles.Locks(style) && !r.protection.Opens(row, column) {
		r.locked.add(row, column)
	}
}

// verdict is the fault of the patch, nil if it has none.
func (r *rules) verdict() error {
	for index := range r.mastersOff {
		if r.sharedKept[index] {
			r.conflict("has formulas on sheet %q that were filled down from one inside the report's block: "+
				"enter them anew outside the block, or move the report.", r.patch.Name)
		}
	}
	if len(r.locked.areas) > 0 {
		r.conflict("has locked cells in the way: %s on sheet %q, which is protected. Unlock them (Format Cells, Protection), "+
			"remove the sheet's protection, or move the report.", &r.locked, r.patch.Name)
	}
	if r.fault != nil {
		return r.fault
	}
	return nil
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
		names = append(names, strings.TrimSuffix(cursor.AreaName(a), ":"+placements.Anchor{Row: a.Top, Column: a.Left}.String()))
	}
	if l.more || len(l.areas) > maxNamed {
		return fmt.Sprintf("%s and others", strings.Join(names, ", "))
	}
	return strings.Join(names, ", ")
}
