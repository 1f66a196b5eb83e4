package host

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"mooring/placements"
)

// The traces of a digital signature in a package (ECMA-376-2, part 13). The signature of macros belongs to the macros and is none of them.
const (
	xlsxSignatureOrigin = "origin"          // the kind of the relationship that says: this package is signed
	xlsxSignatureFolder = "_xmlsignatures/" // where programs put the parts
	// xlsxSignatureType begins the content types of the parts: the origin, the signatures, and the certificates beside them.
	xlsxSignatureType = "application/vnd.openxmlformats-package.digital-signature-"
)

// checkSigned refuses patches to a signed file that do not allow to break the signature.
func (s *xlsxSession) checkSigned(patches []Patch) error {
	for _, p := range patches {
		if s.signed && !p.BreakSignature {
			return xlsxFault(placements.Conflict, s.document, nil, "is signed, and a change would break its signature: remove the signature, "+
				`place the report in a copy without one, or set "breakSignature": true on the placement or the refresh to have it removed.`)
		}
	}
	return nil
}

// unsign makes the new file one without a signature.
func (w *xlsxWriter) unsign() error {
	doc, err := w.current(xlsxContentTypes)
	if err != nil {
		return err
	}
	signature, edits, err := xlsxSignatureTypes(doc)
	if err != nil {
		return w.broken(fmt.Errorf("%s: %w", xlsxContentTypes, err))
	}
	w.set(xlsxContentTypes, applyXMLEdits(doc, edits))
	top, err := w.current(relationsOf(""))
	if err != nil {
		return err
	}
	if top, err = dropRelation(top, xlsxSignatureOrigin); err != nil {
		return w.broken(err)
	}
	w.set(relationsOf(""), top)
	return w.drop(signature)
}

// drop leaves the parts of a signature out of the new file. A file that calls a part of its workbook one of them is damaged.
func (w *xlsxWriter) drop(signature xlsxSignatureParts) error {
	for _, f := range w.zip.File {
		if signature.has(partName(f)) {
			w.dropped[f] = true
		}
	}
	for _, r := range append(w.wb.relations, xlsxRelation{target: w.wb.part}) {
		if w.dropped[w.part(r.target)] {
			return w.broken(fmt.Errorf("%s is listed as a signature", r.target))
		}
	}
	return nil
}

// xlsxSignatureParts are the parts of a signature, in lower case: some by name, others by their extension.
type xlsxSignatureParts struct {
	names, extensions map[string]bool
	others            map[string]bool // parts that have a type of their own, which their extension does not speak for
}

// has reports whether a part, or the part whose relationships it holds, is of the signature.
func (s xlsxSignatureParts) has(part string) bool {
	part = strings.ToLower(part)
	if dir, file := path.Split(part); strings.HasSuffix(dir, "_rels/") {
		part = strings.TrimSuffix(dir, "_rels/") + strings.TrimSuffix(file, ".rels")
	}
	return strings.HasPrefix(part, xlsxSignatureFolder) || s.names[part] ||
		s.extensions[strings.TrimPrefix(path.Ext(part), ".")] && !s.others[part]
}

// xlsxSignatureTypes finds the parts of a signature in the list of content types, and the edits that take them out of it.
func xlsxSignatureTypes(doc []byte) (xlsxSignatureParts, []xmlEdit, error) {
	parts := xlsxSignatureParts{
		names: map[string]bool{}, extensions: map[string]bool{}, others: map[string]bool{strings.ToLower(xlsxContentTypes): true},
	}
	edits, err := dropElements(doc, "Types", func(s *xmlScanner) bool {
		name := strings.ToLower(strings.TrimPrefix(s.attr("PartName"), "/"))
		of := strings.HasPrefix(strings.ToLower(s.attr("ContentType")), xlsxSignatureType)
		switch {
		case s.is("Override") && (of || strings.HasPrefix(name, xlsxSignatureFolder)):
			parts.names[name] = true
		case s.is("Override"):
			parts.others[name] = true
			return false
		case s.is("Default") && of:
			parts.extensions[strings.ToLower(s.attr("Extension"))] = true
		default:
			return false
		}
		return true
	})
	return parts, edits, err
}

// dropElements returns the edits that take those children out of a document's root which drop names.
func dropElements(doc []byte, root string, drop func(*xmlScanner) bool) (edits []xmlEdit, err error) {
	s := newXMLScanner(bytes.NewReader(doc))
	dropping := false // the end tag is still to come
	for err = s.root(root, nil); err == nil; err = s.next() {
		switch {
		case dropping:
			edits[len(edits)-1].to = s.to()
			dropping = s.kind != xmlEnd || s.depth() > 1
		case (s.kind == xmlStart || s.kind == xmlEmpty) && drop(s):
			edits = append(edits, xmlEdit{from: s.from, to: s.to()})
			dropping = s.kind == xmlStart
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return edits, nil
}
