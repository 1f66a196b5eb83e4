package shift

import (
	"bytes"
	"strconv"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

// legacyDrawing moves what a drawing in VML has over cells: the boxes of comments, which go with a deleted cell, and controls, of which it
// rewrites the cells that they show and set.
func (m *Moves) legacyDrawing(doc []byte, sheet string) ([]byte, error) {
	shape, before := int64(0), 0 // the innermost shape, and the edits before it
	edits, err := m.edits(closeBreaks(doc), sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "shape", "rect", "roundrect", "oval", "line", "polyline", "arc", "curve", "image", "group":
			shape, before = e.From, len(e.edits)
		case "ClientData":
			depth := e.Depth()
			deleted, err := e.clientData()
			if err != nil || !deleted {
				return err
			}
			for e.Depth() >= depth-1 {
				if err := e.Next(); err != nil {
					return err
				}
			}
			e.drop(shape, before)
		}
		return nil
	})
	if err != nil || len(edits) == 0 {
		return doc, err
	}
	return xml.Apply(doc, edits), nil
}

// closeBreaks blanks the line breaks of VML, which Excel writes as HTML does, without an end. The rest stays where it is.
func closeBreaks(doc []byte) []byte {
	for _, br := range []string{"<br>", "<BR>"} {
		doc = bytes.ReplaceAll(doc, []byte(br), []byte("    "))
	}
	return doc
}

// clientData moves the object that the element tells of, or reports that its cell is deleted.
func (e *editor) clientData() (deleted bool, err error) {
	note := e.Attr("ObjectType") == "Note"
	data := map[string]span{}
	err = e.within(func() error {
		name := string(e.Local())
		if strings.HasPrefix(name, "Fmla") && name != "FmlaMacro" {
			return e.formula(e.place())
		}
		s, err := e.content()
		data[name] = s
		return err
	})
	if err != nil {
		return false, err
	}
	by, ok := e.cellOf(data)
	switch {
	case note && !ok:
		return true, nil
	case note:
		e.putAnchor(data["Anchor"], func(f frame) (top, bottom int) { return f.top + max(by, -f.top), f.bottom + max(by, -f.top) })
	default:
		e.vmlObject(data)
	}
	return false, nil
}

// cellOf moves the cell that an object belongs to, if it names one, and returns by how many rows. ok is false when the cell is deleted.
func (e *editor) cellOf(data map[string]span) (by int, ok bool) {
	row, err := strconv.Atoi(strings.TrimSpace(data["Row"].text))
	column, errColumn := strconv.Atoi(strings.TrimSpace(data["Column"].text))
	if err != nil || errColumn != nil {
		return 0, true
	}
	after, ok := e.by().Cell(e.sheet, row, column)
	if ok && after != row {
		e.put(data["Row"], strconv.Itoa(after))
	}
	return after - row, ok
}

// vmlObject moves an object by the cells that it lies over. The names of its elements say the contrary of what they mean: one that has
// MoveWithCells does not move with them, and one that has SizeWithCells keeps its size.
func (e *editor) vmlObject(data map[string]span) {
	says := func(name string) bool {
		s, ok := data[name]
		return ok && !strings.EqualFold(strings.TrimSpace(s.text), "false")
	}
	if !says("MoveWithCells") {
		e.putAnchor(data["Anchor"], func(f frame) (top, bottom int) { return e.lies(e.sheet, f, says("SizeWithCells")) })
	}
}

// putAnchor replaces the rows of an anchor: left column, its offset, top row, its offset, and so on for right and bottom.
func (e *editor) putAnchor(s span, moved func(frame) (top, bottom int)) {
	parts := strings.Split(s.text, ",")
	var n [8]int
	for i, p := range parts {
		var err error
		if i == len(n) {
			return
		}
		if n[i], err = strconv.Atoi(strings.TrimSpace(p)); err != nil {
			return
		}
	}
	if len(parts) < len(n) {
		return
	}
	f := frame{left: n[0], leftOff: n[1], top: n[2], topOff: n[3], right: n[4], rightOff: n[5], bottom: n[6], bottomOff: n[7]}
	top, bottom := moved(f)
	parts[2] = strings.Replace(parts[2], strconv.Itoa(f.top), strconv.Itoa(top), 1)
	parts[6] = strings.Replace(parts[6], strconv.Itoa(f.bottom), strconv.Itoa(bottom), 1)
	e.put(s, strings.Join(parts, ","))
}
