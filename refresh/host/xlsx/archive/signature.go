package archive

import (
	"fmt"
	"path"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

// The traces of a digital signature in a package (ECMA-376-2, part 13). The signature of macros belongs to the macros and is none of them.
const (
	signatureOrigin = "origin"          // the kind of the relationship that says: this package is signed
	signatureFolder = "_xmlsignatures/" // where programs put the parts
	// signatureType begins the content types of the parts: the origin, the signatures, and the certificates beside them.
	signatureType = "application/vnd.openxmlformats-package.digital-signature-"
)

// Unsign makes the new file one without a signature, which has the parts to keep: a file that calls one of them a part of its signature is damaged.
func (d *Draft) Unsign(keep []string) error {
	doc, err := d.Current(ContentTypes)
	if err != nil {
		return err
	}
	signature, edits, err := signatureTypes(doc)
	if err != nil {
		return d.Archive.Broken(fmt.Errorf("%s: %w", ContentTypes, err))
	}
	d.Set(ContentTypes, xml.Apply(doc, edits))
	if err := d.DropRelations("", signatureOrigin); err != nil {
		return err
	}
	for _, f := range d.Archive.Files() {
		if signature.has(partName(f)) {
			d.dropped[f] = true
		}
	}
	for _, name := range keep {
		if d.dropped[d.Archive.Part(name)] {
			return d.Archive.Broken(fmt.Errorf("%s is listed as a signature", name))
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
		names: map[string]bool{}, extensions: map[string]bool{}, others: map[string]bool{strings.ToLower(ContentTypes): true},
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
