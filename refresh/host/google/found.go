package google

import (
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// found is where a block stands.
type found struct {
	sheet     sheet
	marker    *gridRange // nil when it has none
	stamp     string
	doubled   bool // a copied sheet has a copy of the marker
	anchor    placements.Anchor
	want      checksum.Extent
	elsewhere bool // the marker is on a sheet that the answer did not tell of
}

// place is the rectangle to read: marker and want, as far as the sheet reaches.
func (f found) place() place {
	size := f.want
	if f.marker != nil {
		size = checksum.Extent{Rows: max(size.Rows, f.marker.extent().Rows), Columns: max(size.Columns, f.marker.extent().Columns)}
	}
	size.Rows = max(0, min(max(size.Rows, 1), f.sheet.Grid.Rows-f.anchor.Row))
	size.Columns = max(0, min(max(size.Columns, 1), f.sheet.Grid.Columns-f.anchor.Column))
	return place{sheet: f.sheet.Title, anchor: f.anchor, size: size}
}

// within reports whether what was read holds all there is to read; sheet names compare as the service compares them.
func (f found) within(read place) bool {
	p := f.place()
	return strings.EqualFold(p.sheet, read.sheet) && p.anchor == read.anchor &&
		p.size.Rows <= read.size.Rows && p.size.Columns <= read.size.Columns
}

// view is what the cells of a rectangle show; nil data has none.
func (f found) view(data *gridData, read place) host.View {
	if data == nil {
		data = &gridData{}
	}
	v := host.View{
		Doubled: f.doubled, SheetID: strconv.FormatInt(f.sheet.ID, 10), Sheet: f.sheet.Title, Anchor: f.anchor,
		Formulas: data.formulas, Cells: data.grid(max(read.size.Rows, f.want.Rows)),
	}
	if f.marker != nil {
		v.Marked, v.Extent, v.Stamp = true, f.marker.extent(), f.stamp
	}
	return v
}

// findGoogleName finds the last generation of a named range that marks something.
func findGoogleName(names []namedRange, name string) *namedRange {
	var found *namedRange
	last := int64(0)
	for i, n := range names {
		if generation := generationOf(n.Name, name); generation > last && n.Range != nil {
			found, last = &names[i], generation
		}
	}
	return found
}

// hasGoogleCopy reports whether a copied sheet has a copy of a named range, which the service lists as 'Copy of Data'!name.
func hasGoogleCopy(names []namedRange, name string) bool {
	for _, n := range names {
		if at := strings.LastIndexByte(n.Name, '!'); at >= 0 && generationOf(n.Name[at+1:], name) > 0 && n.Range != nil {
			return true
		}
	}
	return false
}

func (p *page) sheetByID(id int64) (sheet, bool) {
	for _, s := range p.sheets {
		if s.ID == id {
			return s, true
		}
	}
	return sheet{}, false
}

func (p *page) sheetByTitle(title string) (sheet, bool) {
	for _, s := range p.sheets {
		if strings.EqualFold(s.Title, title) {
			return s, true
		}
	}
	return sheet{}, false
}

// take returns the cells of a rectangle that was asked for, each once: the service answers a sheet's rectangles in the order of the
// request. It is nil when the answer has none.
func (p *page) take(at place) *gridData {
	for _, d := range p.data {
		if !d.taken && strings.EqualFold(d.sheet, at.sheet) && d.row == at.anchor.Row && d.column == at.anchor.Column {
			d.taken = true
			return d
		}
	}
	return nil
}

// bound sets the ends of a range of whole rows or columns.
func (r *gridRange) bound(s sheet) {
	if r.EndRow == 0 {
		r.EndRow = s.Grid.Rows
	}
	if r.EndColumn == 0 {
		r.EndColumn = s.Grid.Columns
	}
}
