package xml

import (
	"bytes"
	"strings"
)

// alternate is an element AlternateContent that is open: of its branches, each for programs that know some namespaces, one counts
// (ISO/IEC 29500-3, markup compatibility).
type alternate struct {
	depth  int    // how many elements are open inside it before a branch begins
	attrs  []byte // of its tag, which may declare prefixes
	chosen bool   // a branch that counts was seen
}

// alternates follows the AlternateContent elements of a document.
type alternates struct {
	root   []byte // attributes of the root element
	open   []alternate
	hidden int // depth at which a branch began that does not count; 0 outside one
}

// enter notes the tag of an element, which is the depth-th that is open; leave is to follow an empty one.
func (a *alternates) enter(name, attrs []byte, depth int) {
	if depth == 1 {
		a.root = bytes.Clone(attrs)
	}
	if a.hidden > 0 || len(name) < len("Choice") && depth > 1 {
		return
	}
	if bytes.HasSuffix(name, []byte(":AlternateContent")) {
		a.open = append(a.open, alternate{depth: depth, attrs: bytes.Clone(attrs)})
		return
	}
	if len(a.open) == 0 || depth != a.open[len(a.open)-1].depth+1 {
		return
	}
	last := &a.open[len(a.open)-1]
	choice := bytes.HasSuffix(name, []byte(":Choice"))
	if last.chosen || choice && !a.knows(attrs, last.attrs) {
		a.hidden = depth
		return
	}
	last.chosen = true
}

// leave notes that depth elements are left open.
func (a *alternates) leave(depth int) {
	if depth < a.hidden {
		a.hidden = 0
	}
	if n := len(a.open); n > 0 && depth < a.open[n-1].depth {
		a.open = a.open[:n-1]
	}
}

// knows reports whether all namespaces that a branch requires are Microsoft's own extensions. Every spreadsheet program takes these
// branches, and none those of other makers.
func (a *alternates) knows(branch, alternate []byte) bool {
	requires, _ := Attr(branch, "Requires")
	prefixes := strings.Fields(string(requires))
	for _, prefix := range prefixes {
		known := false
		for _, attrs := range [][]byte{branch, alternate, a.root} {
			if uri, ok := Attr(attrs, "xmlns:"+prefix); ok {
				known = bytes.HasPrefix(uri, []byte("http://schemas.microsoft.com/office/"))
				break
			}
		}
		if !known {
			return false
		}
	}
	return len(prefixes) > 0
}
