package archive

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

// Relation is one entry of a part's relationships.
type Relation struct {
	ID, Kind string // kind is the last word of the type's URI, the same in both dialects of the format
	Target   string // part name
}

// ContentTypes is the part that lists the types of all others.
const ContentTypes = "[Content_Types].xml"

// RelationsOf is the name of the part that holds another's relationships.
func RelationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

// Relations lists what a part refers to inside the package.
func (a *Archive) Relations(part string) ([]Relation, error) {
	doc, err := a.Read(RelationsOf(part))
	if err != nil || doc == nil {
		return nil, err
	}
	var list []Relation
	s := xml.NewScanner(bytes.NewReader(doc))
	for err = s.Root("Relationships", nil); err == nil; err = s.Next() {
		if !s.Opens("Relationship") || strings.EqualFold(s.Attr("TargetMode"), "External") {
			continue
		}
		kind := s.Attr("Type")
		list = append(list, Relation{
			ID:     s.Attr("Id"),
			Kind:   kind[strings.LastIndexByte(kind, '/')+1:],
			Target: ResolvePart(part, s.Attr("Target")),
		})
	}
	if err != io.EOF {
		return nil, a.Broken(fmt.Errorf("relationships of %s: %w", part, err))
	}
	return list, nil
}

// ResolvePart returns the part that target, seen from part, names.
func ResolvePart(part, target string) string {
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return path.Clean(rooted)
	}
	return path.Join(path.Dir(part), target)
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

// dropRelation takes the relationships of one kind out of a relationships part.
func dropRelation(doc []byte, kind string) ([]byte, error) {
	edits, err := dropElements(doc, "Relationships", func(s *xml.Scanner) bool {
		return s.Is("Relationship") && strings.HasSuffix(s.Attr("Type"), "/"+kind)
	})
	if err != nil {
		return nil, fmt.Errorf("relationships: %w", err)
	}
	return xml.Apply(doc, edits), nil
}
