package xlsx

import (
	"bytes"
	"fmt"
	"io"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// checkTables refuses to change what belongs to a table's frame: a heading that would no longer be its column's name, or a row of totals. A spreadsheet program takes
// a file with such a change for damaged.
func (p *archive) checkTables(patch *partPatch) error {
	relations, err := p.relations(patch.part)
	if err != nil {
		return err
	}
	for _, r := range relations {
		if r.kind != "table" {
			continue
		}
		if err := p.checkTable(r.target, patch); err != nil {
			return p.broken(fmt.Errorf("%s: %w", r.target, err))
		}
	}
	return nil
}

func (p *archive) checkTable(part string, patch *partPatch) error {
	doc, err := p.read(part)
	if err != nil {
		return err
	}
	s := xml.NewScanner(bytes.NewReader(doc))
	if err := s.Root("table", nil); err != nil {
		return err
	}
	area, ok := area(s, "ref")
	if !ok || !patch.touches(area) {
		return nil
	}
	name := s.Attr("displayName")
	header, totals := s.Attr("headerRowCount") != "0", s.Attr("totalsRowCount")
	if totals != "" && totals != "0" && patch.touches(placements.Rect{Top: area.Bottom, Bottom: area.Bottom, Left: area.Left, Right: area.Right}) {
		return newFault(placements.Conflict, p.document, nil, "has the totals row of table %q in the way: turn it off, or move one of the two.", name)
	}
	column := area.Left
	for ; err == nil; err = s.Next() {
		if !header || !s.Opens("tableColumn") {
			continue
		}
		heading := string(decodeXLSXText([]byte(s.Attr("name")), 0))
		if c, ok := patch.at(area.Top, column); ok && c != checksum.Str(heading) {
			return newFault(placements.Conflict, p.document, nil, "has the headings of table %q in the way: turn the table into a range, or move one of the two.", name)
		}
		column++
	}
	if err != io.EOF {
		return err
	}
	return nil
}
