package host

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
)

// xlsxRelation is one entry of a part's relationships.
type xlsxRelation struct {
	id, kind string // kind is the last word of the type's URI, the same in both dialects of the format
	target   string // part name
}

// xlsxContentTypes is the part that lists the types of all others.
const xlsxContentTypes = "[Content_Types].xml"

// relationsOf is the name of the part that holds another's relationships.
func relationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

// relations lists what a part refers to inside the package.
func (p *xlsxPackage) relations(part string) ([]xlsxRelation, error) {
	doc, err := p.read(relationsOf(part))
	if err != nil || doc == nil {
		return nil, err
	}
	var list []xlsxRelation
	s := newXMLScanner(bytes.NewReader(doc))
	for err = s.root("Relationships", nil); err == nil; err = s.next() {
		if !s.opens("Relationship") || strings.EqualFold(s.attr("TargetMode"), "External") {
			continue
		}
		kind := s.attr("Type")
		list = append(list, xlsxRelation{
			id:     s.attr("Id"),
			kind:   kind[strings.LastIndexByte(kind, '/')+1:],
			target: resolvePart(part, s.attr("Target")),
		})
	}
	if err != io.EOF {
		return nil, p.broken(fmt.Errorf("relationships of %s: %w", part, err))
	}
	return list, nil
}

// resolvePart gives the part that target, seen from part, names.
func resolvePart(part, target string) string {
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return path.Clean(rooted)
	}
	return path.Join(path.Dir(part), target)
}
