package xlsx

import (
	"bytes"
	"io"

	"mooring/refresh/host/xlsx/xml"
)

// dropElements returns the edits that take those children out of a document's root which drop names.
func dropElements(doc []byte, root string, drop func(*xml.Scanner) bool) (edits []xml.Edit, err error) {
	s := xml.NewScanner(bytes.NewReader(doc))
	dropping := false // the end tag is still to come
	for err = s.Root(root, nil); err == nil; err = s.Next() {
		switch {
		case dropping:
			edits[len(edits)-1].To = s.To()
			dropping = s.Kind != xml.End || s.Depth() > 1
		case (s.Kind == xml.Start || s.Kind == xml.Empty) && drop(s):
			edits = append(edits, xml.Edit{From: s.From, To: s.To()})
			dropping = s.Kind == xml.Start
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return edits, nil
}
