package shift

import (
	"bytes"
	"strconv"
	"strings"

	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// element is a child of the root, beside the rows, which is held whole.
type element struct {
	*xml.Scanner
	moves   *sheetMoves
	ranking *ranking
	doc     []byte
	open    []*node // those whose end tag is still to come
	nodes   node    // has all as its kids
	count   int     // of elements
	edits   []xml.Edit
}

// node is an element within one.
type node struct {
	local      string
	attrs      []byte
	attrsAt    int // where they stand
	from, to   int // where it stands
	inner, end int // where its content does
	depth      int
	kids       []*node
	set        []byte // attributes to replace its own
	text       string // to replace its content, if changed
	changed    bool
	gone       bool
	with       []byte // to replace it as a whole, nil if nothing is
	copies     int    // how many more elements of its kind these are
}

// element rewrites the child of the root whose first tag the scanner stands at, and leaves the scanner at its end.
func (m *mover) element() error {
	e := element{Scanner: m.Scanner, moves: m.moves, ranking: &m.ranking}
	depth := m.Depth()
	for more := m.Kind == xml.Start; ; more = m.Depth() >= depth {
		if e.token(); len(e.doc) > maxElement || e.count > maxNodes {
			return &TooLarge{"merged cells, links or rules", m.moves.sheet}
		}
		if !more {
			break
		}
		if err := m.Next(); err != nil {
			return xml.Unexpected(err)
		}
	}
	for _, n := range e.nodes.kids {
		if err := e.visit(n); err != nil {
			return err
		}
		e.note(n)
	}
	if len(e.edits) > 0 {
		m.done.Changed = true
		e.doc = xml.Apply(e.doc, e.edits)
	}
	return m.writeElement(e.doc)
}

// token adds the token that the scanner stands at.
func (e *element) token() {
	at := len(e.doc)
	e.doc = append(e.doc, e.Raw...)
	switch e.Kind {
	case xml.Start, xml.Empty:
		if !e.Counts() {
			return
		}
		n := &node{local: string(e.Local()), attrs: bytes.Clone(e.Attrs), from: at, to: len(e.doc), depth: e.Depth()}
		n.inner, n.end, n.attrsAt = n.to, n.to, n.to-len(e.Attrs)-len(">")
		parent := &e.nodes
		if last := len(e.open) - 1; last >= 0 {
			parent = e.open[last]
		}
		parent.kids = append(parent.kids, n)
		e.count++
		if e.Kind == xml.Start {
			e.open = append(e.open, n)
		} else {
			n.attrsAt -= len("/")
		}
	case xml.End:
		if last := len(e.open) - 1; last >= 0 && e.open[last].depth > e.Depth() {
			e.open[last].end, e.open[last].to = at, len(e.doc)
			e.open = e.open[:last]
		}
	}
}

// note makes edits of what changed in an element.
func (e *element) note(n *node) {
	if n.gone {
		e.edit(n.from, n.to, nil)
		return
	}
	if n.with != nil {
		e.edit(n.from, n.to, n.with)
		return
	}
	if n.set != nil && !bytes.Equal(n.set, n.attrs) {
		e.edit(n.attrsAt, n.attrsAt+len(n.attrs), n.set)
	}
	if n.changed {
		e.edit(n.inner, n.end, xml.AppendText(nil, n.text, false))
		return
	}
	for _, kid := range n.kids {
		e.note(kid)
	}
}

func (e *element) edit(from, to int, with []byte) {
	e.edits = append(e.edits, xml.Edit{From: int64(from), To: int64(to), With: with})
}

// content is the text of an element.
func (e *element) content(n *node) string {
	raw := e.doc[n.inner:n.end]
	if text, ok := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("<![CDATA[")); ok {
		return string(bytes.TrimSuffix(text, []byte("]]>")))
	}
	return string(xml.Unescape(nil, raw))
}

// attr is the value of an attribute, as it is so far.
func (n *node) attr(name string) (string, bool) {
	attrs := n.attrs
	if n.set != nil {
		attrs = n.set
	}
	v, ok := xml.Attr(attrs, name)
	return string(xml.Unescape(nil, v)), ok
}

func (n *node) setAttr(name, value string) {
	if old, ok := n.attr(name); ok && old == value {
		return
	}
	attrs := n.attrs
	if n.set != nil {
		attrs = n.set
	}
	n.set = xml.SetAttr(attrs, name, value)
}

// kid is the first child of a name, nil if there is none.
func (n *node) kid(local string) *node {
	for _, kid := range n.kids {
		if kid.local == local {
			return kid
		}
	}
	return nil
}

// rewriteText rewrites a formula that is an element's content.
func (e *element) rewriteText(n *node, at formula.Place) error {
	text := e.content(n)
	rewritten, err := e.moves.rewrite(text, at)
	if err == nil && rewritten != text {
		n.text, n.changed = rewritten, true
	}
	return err
}

// rewriteAttr rewrites a formula that is an attribute.
func (e *element) rewriteAttr(n *node, name string, at formula.Place) error {
	text, ok := n.attr(name)
	if !ok || text == "" {
		return nil
	}
	rewritten, err := e.moves.rewrite(text, at)
	if err == nil && rewritten != text {
		n.setAttr(name, rewritten)
	}
	return err
}

// emptied are elements that must have a child, and go with the last one.
const emptied = " mergeCells hyperlinks dataValidations protectedRanges ignoredErrors cellWatches smartTags " +
	"conditionalFormattings sparklines sparklineGroup sparklineGroups ext extLst "

// settle follows up children of an element that are gone.
func (n *node) settle() {
	left, gone, copies := 0, 0, 0
	for _, kid := range n.kids {
		if kid.gone {
			gone++
		} else {
			left++
		}
		copies += kid.copies
	}
	if gone+copies == 0 {
		return
	}
	if lines := n.kid("sparklines"); left == 0 || n.local == "sparklineGroup" && lines != nil && lines.gone {
		n.gone = strings.Contains(emptied, " "+n.local+" ")
	}
	if _, ok := n.attr("count"); ok {
		n.setAttr("count", strconv.Itoa(left+copies))
	}
}
