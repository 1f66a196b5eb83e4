package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

// relation is one entry of a part's relationships.
type relation struct {
	id, kind string // kind is the last word of the type's URI, the same in both dialects of the format
	target   string // part name
}

// contentTypes is the part that lists the types of all others.
const contentTypes = "[Content_Types].xml"

// relationsOf is the name of the part that holds another's relationships.
func relationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

// relations lists what a part refers to inside the package.
func (p *archive) relations(part string) ([]relation, error) {
	doc, err := p.read(relationsOf(part))
	if err != nil || doc == nil {
		return nil, err
	}
	var list []relation
	s := xml.NewScanner(bytes.NewReader(doc))
	for err = s.Root("Relationships", nil); err == nil; err = s.Next() {
		if !s.Opens("Relationship") || strings.EqualFold(s.Attr("TargetMode"), "External") {
			continue
		}
		kind := s.Attr("Type")
		list = append(list, relation{
			id:     s.Attr("Id"),
			kind:   kind[strings.LastIndexByte(kind, '/')+1:],
			target: resolvePart(part, s.Attr("Target")),
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
