package part

import (
	"fmt"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

// BlockPlace is where a block stands in a workbook. Extent is zero when no marker says so.
type BlockPlace struct {
	Sheet   Sheet
	Anchor  placements.Anchor
	Extent  checksum.Extent
	Marked  bool
	Doubled bool
	Stamp   string // empty unless marked
}

// Locate finds b by its marker, or else at its stored address.
func (wb *Workbook) Locate(b host.Block) (BlockPlace, error) {
	block, ok := wb.Marked(b.PlacementID)
	if !ok {
		sheet, ok := wb.Find(b.Sheet)
		if !ok {
			return BlockPlace{}, NoWorksheet(b)
		}
		block = BlockPlace{Sheet: sheet, Anchor: b.Anchor}
	}
	block.Doubled = wb.doubled(b.PlacementID)
	return block, nil
}

// NoWorksheet is the fault of a workbook that does not have the block's sheet.
func NoWorksheet(b host.Block) error {
	return archive.NewFault(placements.Structure, b.Document, nil,
		"has no worksheet %q: name the sheet so again, or place the report in another one.", b.Sheet)
}

// Marked finds a placement's block by its marker. One that points nowhere (#REF!), at a deleted sheet, another workbook or several
// areas is lost.
func (wb *Workbook) Marked(placementID string) (BlockPlace, bool) {
	n, ok := wb.marker(placementID)
	if !ok {
		return BlockPlace{}, false
	}
	l, err := placements.ParseLocation(strings.TrimSpace(n.Ref))
	if err != nil {
		return BlockPlace{}, false
	}
	sheet, ok := wb.Find(l.Sheet)
	if !ok {
		return BlockPlace{}, false
	}
	return BlockPlace{
		Sheet: sheet, Anchor: l.Anchor, Marked: true,
		Extent: checksum.Extent{Rows: l.Rows, Columns: l.Columns}, Stamp: wb.stamp(placementID),
	}, true
}

// stamp is what the workbook keeps beside the placement's marker: a name of its own for a text, since LibreOffice drops the comments of
// names.
func (wb *Workbook) stamp(placementID string) string {
	n, _ := wb.marker(host.StampID(placementID))
	text, opens := strings.CutPrefix(strings.TrimSpace(n.Ref), `"`)
	text, closes := strings.CutSuffix(text, `"`)
	if !opens || !closes {
		return ""
	}
	return text
}

func (wb *Workbook) marker(placementID string) (definedName, bool) {
	return wb.named(host.MarkerName(placementID))
}

// named finds a name of the whole workbook, without regard to case.
func (wb *Workbook) named(name string) (definedName, bool) {
	for _, n := range wb.Names {
		if strings.EqualFold(n.Name, name) {
			return n, true
		}
	}
	return definedName{}, false
}

// MarksBlock reports whether a name of the workbook marks a block, or a single cell beside one, and not cells that a parameter of another
// block takes its value from.
func (wb *Workbook) MarksBlock(name string) bool {
	if of, ok := host.ParameterOf(name); ok {
		if _, there := wb.named(of); there {
			return false
		}
	}
	return host.IsMarker(name)
}

// doubled reports whether the marker has copies, such as a copied sheet brings along.
func (wb *Workbook) doubled(placementID string) bool {
	want, n := host.MarkerName(placementID), 0
	for _, name := range wb.Names {
		if strings.EqualFold(name.Name, want) {
			n++
		}
	}
	return n > 1 || slices.ContainsFunc(wb.Local, func(name definedName) bool { return strings.EqualFold(name.Name, want) })
}

// SetMarkers returns the edits that make the placements' markers cover the patches' extents, and new names for those that have none; neither
// when they do.
func (wb *Workbook) SetMarkers(patches []host.Patch) (edits []xml.Edit, elements []byte) {
	for _, p := range patches {
		id, ref := p.Block.PlacementID, host.Reference(p.Block.Sheet, p.Block.Anchor, p.Extent)
		if wb.marks(id, p.Block.Sheet, p.Block.Anchor, p.Extent) {
			continue
		}
		if old, ok := wb.marker(id); ok {
			edits = append(edits, xml.Edit{From: old.from, To: old.to, With: xml.AppendText(nil, ref, false)})
			continue
		}
		elements = wb.appendName(elements, host.MarkerName(id), ref)
	}
	return edits, elements
}

// SetStamps returns the edits that make the workbook keep the patches' stamps, and new names for them.
func (wb *Workbook) SetStamps(patches []host.Patch) (edits []xml.Edit, elements []byte) {
	for _, p := range patches {
		if p.Stamp == "" {
			continue
		}
		id, text := host.StampID(p.Block.PlacementID), `"`+p.Stamp+`"`
		if old, ok := wb.marker(id); ok {
			edits = append(edits, xml.Edit{From: old.from, To: old.to, With: xml.AppendText(nil, text, false)})
			continue
		}
		elements = wb.appendName(elements, host.MarkerName(id), text)
	}
	return edits, elements
}

// appendName appends a hidden name to elements of the list of names.
func (wb *Workbook) appendName(elements []byte, name, ref string) []byte {
	elements = fmt.Appendf(elements, `<%sdefinedName name="%s" hidden="1">`, wb.ns, name)
	elements = xml.AppendText(elements, ref, false)
	return fmt.Appendf(elements, `</%sdefinedName>`, wb.ns)
}

// AddNames is the edit that adds elements to the list of names, none without elements.
func (wb *Workbook) AddNames(elements []byte) []xml.Edit {
	if len(elements) == 0 {
		return nil
	}
	tag := wb.namesTag
	if tag.endTo > 0 {
		return []xml.Edit{{From: tag.endFrom, To: tag.endFrom, With: elements}}
	}
	list := fmt.Appendf(nil, "<%sdefinedNames>%s</%[1]sdefinedNames>", wb.ns, elements)
	if tag.to > 0 {
		return []xml.Edit{{From: tag.from, To: tag.to, With: list}}
	}
	return []xml.Edit{{From: wb.afterSheets, To: wb.afterSheets, With: list}}
}

// marks reports whether the placement's marker covers just the rectangle.
func (wb *Workbook) marks(placementID, sheet string, a placements.Anchor, e checksum.Extent) bool {
	b, ok := wb.Marked(placementID)
	return ok && strings.EqualFold(b.Sheet.Name, sheet) && b.Anchor == a &&
		b.Extent == checksum.Extent{Rows: max(e.Rows, 1), Columns: max(e.Columns, 1)}
}

// Recalculate returns the edits that make a spreadsheet program compute every formula when it opens the file: which of
// them read the cells that changed is not known here.
func (wb *Workbook) Recalculate() []xml.Edit {
	tag := wb.calcTag
	if v, _ := xml.Attr(tag.attrs, "fullCalcOnLoad"); xml.True(string(v)) {
		return nil
	}
	element := fmt.Sprintf("<%scalcPr", wb.ns)
	if tag.to == 0 {
		at := max(wb.afterSheets, wb.namesEnd())
		return []xml.Edit{{From: at, To: at, With: []byte(element + ` fullCalcOnLoad="1"/>`)}}
	}
	end := ">"
	if tag.empty {
		end = "/>"
	}
	return []xml.Edit{{From: tag.from, To: tag.to, With: []byte(element + string(xml.SetAttr(tag.attrs, "fullCalcOnLoad", "1")) + end)}}
}

// namesEnd is the offset behind the list of names, 0 when there is none.
func (wb *Workbook) namesEnd() int64 {
	return max(wb.namesTag.to, wb.namesTag.endTo)
}

// Identity is what the workbook says of itself.
func (wb *Workbook) Identity() host.Identity {
	n, _ := wb.named(host.DocumentName)
	return host.ParseIdentity(strings.TrimSpace(n.Ref))
}

// SetIdentity returns the edits that make the workbook say which one it is, and a new name for that.
func (wb *Workbook) SetIdentity(i host.Identity) (edits []xml.Edit, elements []byte) {
	if i == (host.Identity{}) || i == wb.Identity() {
		return nil, nil
	}
	if old, ok := wb.named(host.DocumentName); ok {
		return []xml.Edit{{From: old.from, To: old.to, With: xml.AppendText(nil, i.Formula(), false)}}, nil
	}
	return nil, wb.appendName(nil, host.DocumentName, i.Formula())
}
