package xlsx

import (
	"fmt"
	"path"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

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
