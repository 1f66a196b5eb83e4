package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/xml"
)

// foundBlock is where a block stands in a workbook. Extent is zero when no marker says so.
type foundBlock struct {
	sheet   sheet
	anchor  placements.Anchor
	extent  checksum.Extent
	marked  bool
	doubled bool
	stamp   string // empty unless marked
}

// locate finds b by its marker, or else at its stored address.
func (wb *workbook) locate(b host.Block) (foundBlock, error) {
	block, ok := wb.marked(b.PlacementID)
	if !ok {
		sheet, ok := wb.find(b.Sheet)
		if !ok {
			return foundBlock{}, noWorksheet(b)
		}
		block = foundBlock{sheet: sheet, anchor: b.Anchor}
	}
	block.doubled = wb.doubled(b.PlacementID)
	return block, nil
}

func noWorksheet(b host.Block) error {
	return newFault(placements.Structure, b.Document, nil,
		"has no worksheet %q: name the sheet so again, or place the report in another one.", b.Sheet)
}

// marked finds a placement's block by its marker. One that points nowhere (#REF!), at a deleted sheet, another workbook or several
// areas is lost.
func (wb *workbook) marked(placementID string) (foundBlock, bool) {
	n, ok := wb.marker(placementID)
	if !ok {
		return foundBlock{}, false
	}
	l, err := placements.ParseLocation(strings.TrimSpace(n.ref))
	if err != nil {
		return foundBlock{}, false
	}
	sheet, ok := wb.find(l.Sheet)
	if !ok {
		return foundBlock{}, false
	}
	return foundBlock{
		sheet: sheet, anchor: l.Anchor, marked: true,
		extent: checksum.Extent{Rows: l.Rows, Columns: l.Columns}, stamp: wb.stamp(placementID),
	}, true
}

// stamp is what the workbook keeps beside the placement's marker: a name of its own for a text, since LibreOffice drops the comments of
// names.
func (wb *workbook) stamp(placementID string) string {
	n, _ := wb.marker(host.StampID(placementID))
	text, opens := strings.CutPrefix(strings.TrimSpace(n.ref), `"`)
	text, closes := strings.CutSuffix(text, `"`)
	if !opens || !closes {
		return ""
	}
	return text
}

func (wb *workbook) marker(placementID string) (definedName, bool) {
	return wb.named(host.MarkerName(placementID))
}

// named finds a name of the whole workbook, without regard to case.
func (wb *workbook) named(name string) (definedName, bool) {
	for _, n := range wb.names {
		if strings.EqualFold(n.name, name) {
			return n, true
		}
	}
	return definedName{}, false
}

// doubled reports whether the marker has copies, such as a copied sheet brings along.
func (wb *workbook) doubled(placementID string) bool {
	want, n := host.MarkerName(placementID), 0
	for _, name := range wb.names {
		if strings.EqualFold(name.name, want) {
			n++
		}
	}
	return n > 1 || slices.ContainsFunc(wb.local, func(name definedName) bool { return strings.EqualFold(name.name, want) })
}

// setMarkers returns the edits that make the placements' markers cover the patches' extents, and new names for those that have none; neither
// when they do.
func (wb *workbook) setMarkers(patches []*sheetPatch) (edits []xml.Edit, elements []byte) {
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

// setStamps returns the edits that make the workbook keep the patches' stamps, and new names for them.
func (wb *workbook) setStamps(patches []*sheetPatch) (edits []xml.Edit, elements []byte) {
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
func (wb *workbook) appendName(elements []byte, name, ref string) []byte {
	elements = fmt.Appendf(elements, `<%sdefinedName name="%s" hidden="1">`, wb.ns, name)
	elements = xml.AppendText(elements, ref, false)
	return fmt.Appendf(elements, `</%sdefinedName>`, wb.ns)
}

// addNames is the edit that adds elements to the list of names, none without elements.
func (wb *workbook) addNames(elements []byte) []xml.Edit {
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
func (wb *workbook) marks(placementID, sheet string, a placements.Anchor, e checksum.Extent) bool {
	b, ok := wb.marked(placementID)
	return ok && strings.EqualFold(b.sheet.name, sheet) && b.anchor == a &&
		b.extent == checksum.Extent{Rows: max(e.Rows, 1), Columns: max(e.Columns, 1)}
}

// recalculate returns the edits that make a spreadsheet program compute every formula when it opens the file: which of
// them read the cells that changed is not known here.
func (wb *workbook) recalculate() []xml.Edit {
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
func (wb *workbook) namesEnd() int64 {
	return max(wb.namesTag.to, wb.namesTag.endTo)
}
