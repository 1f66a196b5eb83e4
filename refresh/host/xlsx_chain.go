package host

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mooring/placements"
)

// pruneCalcChain takes the formula cells of one sheet that are gone out of the calculation chain, which would otherwise name cells without
// a formula. left is how many entries remain.
func pruneCalcChain(doc []byte, sheetID string, gone []placements.Anchor) (pruned []byte, left int, err error) {
	cells := map[string]bool{}
	for _, a := range gone {
		cells[a.String()] = true
	}
	var edits []xmlEdit
	inherited, lost := "", false // sheet of the entry before; whether the entry that named it was taken out
	s := newXMLScanner(bytes.NewReader(doc))
	for err = s.root("calcChain", nil); err == nil; err = s.next() {
		if !s.opens("c") {
			continue
		}
		sheet, named := inherited, false
		if v, ok := xmlAttr(s.attrs, "i"); ok {
			sheet, named = string(v), true
		}
		inherited = sheet
		if sheet == sheetID && cells[s.attr("r")] {
			edits = append(edits, xmlEdit{from: s.from, to: s.to()})
			lost = lost || named
			continue
		}
		left++
		if lost && !named {
			tag := fmt.Appendf(nil, "<%sc%s", s.ns, setXMLAttr(s.attrs, "i", sheet))
			edits = append(edits, xmlEdit{s.from, s.from + int64(len("<c")+len(s.ns)+len(s.attrs)), tag})
		}
		lost = false
	}
	if err != io.EOF {
		return nil, 0, fmt.Errorf("calculation chain: %w", err)
	}
	return applyXMLEdits(doc, edits), left, nil
}

// dropRelation takes the relationships of one kind out of a relationships part.
func dropRelation(doc []byte, kind string) ([]byte, error) {
	edits, err := dropElements(doc, "Relationships", func(s *xmlScanner) bool {
		return s.is("Relationship") && strings.HasSuffix(s.attr("Type"), "/"+kind)
	})
	if err != nil {
		return nil, fmt.Errorf("relationships: %w", err)
	}
	return applyXMLEdits(doc, edits), nil
}
