package shift

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// apart returns the different lists of parts that rules are for afterwards.
func apart(rules []rule) (lists [][]part) {
	for i := range rules {
		for _, v := range rules[i].versions {
			if !slices.ContainsFunc(lists, func(l []part) bool { return slices.Equal(l, v.parts) }) {
				lists = append(lists, v.parts)
			}
		}
	}
	return lists
}

// several makes elements of one, each with the versions of the rules that are for the same parts.
func (e *element) several(n *node, rules []rule, lists [][]part) error {
	n.with, n.copies = []byte{}, len(lists)-1
	for i, list := range lists {
		n.reset()
		n.setAreas(merged(list))
		if i > 0 {
			n.dropUID()
		}
		for k := range rules {
			r := &rules[k]
			at := slices.IndexFunc(r.versions, func(v version) bool { return slices.Equal(v.parts, list) })
			if at < 0 {
				r.gone = true
				continue
			}
			r.write(r.versions[at].texts)
			e.identify(r.node, at)
		}
		if n.with = append(n.with, e.applied(n)...); len(n.with) > maxElement {
			return &TooLarge{"parts of conditional formats or validations", e.moves.sheet}
		}
	}
	e.ranking.parted = true
	return nil
}

// reset takes back what was to change of an element.
func (n *node) reset() {
	n.set, n.changed, n.gone = nil, false, false
	for _, kid := range n.kids {
		kid.reset()
	}
}

// setAreas sets the areas that rules are for.
func (n *node) setAreas(areas []placements.Rect) {
	if _, attr := n.attr("sqref"); attr {
		n.setAttr("sqref", names(areas))
	} else if list := n.kid("sqref"); list != nil {
		list.text, list.changed = names(areas), true
	}
}

// dropUID takes out the identity that people who edit together know an element by.
func (n *node) dropUID() {
	if n.set == nil {
		n.set = n.attrs
	}
	for rest := n.set; ; {
		var name []byte
		if name, _, rest = xml.NextAttr(rest); len(name) == 0 {
			return
		}
		if bytes.HasSuffix(name, []byte(":uid")) {
			n.set = without(n.set, string(name))
			return
		}
	}
}

// identify gives a copy of a conditional format another id, the same where its extension names it; at is 0 for the first, which keeps its.
func (e *element) identify(n *node, at int) {
	if at == 0 {
		return
	}
	if id, ok := n.attr("id"); ok {
		n.setAttr("id", anotherID(id, at))
	}
	var link func(n *node)
	link = func(n *node) {
		for _, kid := range n.kids {
			if kid.local == "id" && len(kid.kids) == 0 {
				kid.text, kid.changed = anotherID(strings.TrimSpace(e.content(kid)), at), true
			}
			link(kid)
		}
	}
	link(n)
}

// anotherID returns the id of a copy of what has an id, always the same.
func anotherID(id string, at int) string {
	sum := sha256.Sum256([]byte(strings.ToUpper(id) + strconv.Itoa(at)))
	return fmt.Sprintf("{%X-%X-%X-%X-%X}", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// applied returns an element with what is to change of it.
func (e *element) applied(n *node) []byte {
	all, with := e.edits, n.with
	e.edits, n.with = nil, nil
	e.note(n)
	edits := e.edits
	e.edits, n.with = all, with
	for i := range edits {
		edits[i].From -= int64(n.from)
		edits[i].To -= int64(n.from)
	}
	return xml.Apply(e.doc[n.from:n.to], edits)
}
