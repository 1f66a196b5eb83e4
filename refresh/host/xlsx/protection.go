package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
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

// locks reports whether cells of a style are locked once their sheet is protected.
func (st *styles) locks(style int) bool {
	rest := st.at(style).rest
	_, tag, found := bytes.Cut(rest, []byte("<"+st.ns+"protection"))
	if !found {
		return true
	}
	tag, _, _ = bytes.Cut(tag, []byte{'>'})
	locked, ok := xml.Attr(tag, "locked")
	return !ok || xml.True(string(locked))
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

// checkSigned refuses patches to a signed file that do not allow to break the signature.
func (s *session) checkSigned(patches []host.Patch) error {
	for _, p := range patches {
		if s.signed && !p.BreakSignature {
			return newFault(placements.Conflict, s.document, nil,
				`is signed, and a change would break its signature: remove the signature, place the report in a copy without one, `+
					`or set "breakSignature": true on the placement or the refresh to have it removed.`)
		}
	}
	return nil
}

// unsign makes the new file one without a signature.
func (w *writer) unsign() error {
	doc, err := w.current(contentTypes)
	if err != nil {
		return err
	}
	signature, edits, err := signatureTypes(doc)
	if err != nil {
		return w.broken(fmt.Errorf("%s: %w", contentTypes, err))
	}
	w.set(contentTypes, xml.Apply(doc, edits))
	top, err := w.current(relationsOf(""))
	if err != nil {
		return err
	}
	if top, err = dropRelation(top, signatureOrigin); err != nil {
		return w.broken(err)
	}
	w.set(relationsOf(""), top)
	return w.drop(signature)
}

// drop leaves the parts of a signature out of the new file. A file that calls a part of its workbook one of them is damaged.
func (w *writer) drop(signature signatureParts) error {
	for _, f := range w.zip.File {
		if signature.has(partName(f)) {
			w.dropped[f] = true
		}
	}
	for _, r := range append(w.wb.relations, relation{target: w.wb.part}) {
		if w.dropped[w.part(r.target)] {
			return w.broken(fmt.Errorf("%s is listed as a signature", r.target))
		}
	}
	return nil
}

// signatureParts are the parts of a signature, in lower case: some by name, others by their extension.
type signatureParts struct {
	names, extensions map[string]bool
	others            map[string]bool // parts that have a type of their own, which their extension does not speak for
}

// has reports whether a part, or the part whose relationships it holds, is of the signature.
func (s signatureParts) has(part string) bool {
	part = strings.ToLower(part)
	if dir, file := path.Split(part); strings.HasSuffix(dir, "_rels/") {
		part = strings.TrimSuffix(dir, "_rels/") + strings.TrimSuffix(file, ".rels")
	}
	return strings.HasPrefix(part, signatureFolder) || s.names[part] ||
		s.extensions[strings.TrimPrefix(path.Ext(part), ".")] && !s.others[part]
}

// signatureTypes finds the parts of a signature in the list of content types, and the edits that take them out of it.
func signatureTypes(doc []byte) (signatureParts, []xml.Edit, error) {
	parts := signatureParts{
		names: map[string]bool{}, extensions: map[string]bool{}, others: map[string]bool{strings.ToLower(contentTypes): true},
	}
	edits, err := dropElements(doc, "Types", func(s *xml.Scanner) bool {
		name := strings.ToLower(strings.TrimPrefix(s.Attr("PartName"), "/"))
		of := strings.HasPrefix(strings.ToLower(s.Attr("ContentType")), signatureType)
		switch {
		case s.Is("Override") && (of || strings.HasPrefix(name, signatureFolder)):
			parts.names[name] = true
		case s.Is("Override"):
			parts.others[name] = true
			return false
		case s.Is("Default") && of:
			parts.extensions[strings.ToLower(s.Attr("Extension"))] = true
		default:
			return false
		}
		return true
	})
	return parts, edits, err
}

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
