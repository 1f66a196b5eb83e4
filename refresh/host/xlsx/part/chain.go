package part

import (
	"bytes"
	"fmt"
	"io"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

// PruneCalcChain takes the formula cells of one sheet that are gone out of the calculation chain, which would otherwise name cells without
// a formula. left is how many entries remain.
func PruneCalcChain(doc []byte, sheetID string, gone []placements.Anchor) (pruned []byte, left int, err error) {
	cells := map[string]bool{}
	for _, a := range gone {
		cells[a.String()] = true
	}
	var edits []xml.Edit
	inherited, lost := "", false // sheet of the entry before; whether the entry that named it was taken out
	s := xml.NewScanner(bytes.NewReader(doc))
	for err = s.Root("calcChain", nil); err == nil; err = s.Next() {
		if !s.Opens("c") {
			continue
		}
		sheet, named := inherited, false
		if v, ok := xml.Attr(s.Attrs, "i"); ok {
			sheet, named = string(v), true
		}
		inherited = sheet
		if sheet == sheetID && cells[s.Attr("r")] {
			edits = append(edits, xml.Edit{From: s.From, To: s.To()})
			lost = lost || named
			continue
		}
		left++
		if lost && !named {
			tag := fmt.Appendf(nil, "<%sc%s", s.NS, xml.SetAttr(s.Attrs, "i", sheet))
			edits = append(edits, xml.Edit{From: s.From, To: s.From + int64(len("<c")+len(s.NS)+len(s.Attrs)), With: tag})
		}
		lost = false
	}
	if err != io.EOF {
		return nil, 0, fmt.Errorf("calculation chain: %w", err)
	}
	return xml.Apply(doc, edits), left, nil
}

// DropCalcChain takes out what refers to the calculation chain, which may not be empty. One that nothing refers to does not count, and
// goes at the next save.
func (wb *Workbook) DropCalcChain(d *archive.Draft) error {
	return d.DropRelations(wb.Part, "calcChain")
}
