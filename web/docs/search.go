package docs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
)

// indexFile is the asset with the sections of all pages, which search.js looks through.
const indexFile = "search.json"

// section is a part of a page from one heading to the next.
type section struct {
	level     int
	id, title string
	text      string
}

// Heading is a heading that a page's contents list.
type Heading struct{ ID, Title string }

// result is a section as the search shows it.
type result struct {
	Page    string `json:"page"` // the page's name
	ID      string `json:"id"`   // of the heading
	Title   string `json:"title"`
	Section string `json:"section,omitempty"` // empty: the page's beginning
	Text    string `json:"text"`
}

// found are the sections of a page as the search has them.
func (s *Site) found(name, title string, sections []section) []result {
	all := make([]result, len(sections))
	for i, one := range sections {
		all[i] = result{Page: name, ID: one.id, Title: title, Text: one.text}
		if one.level > 1 {
			all[i].Section = one.title
		}
	}
	return all
}

// contents are the headings of the second level.
func contents(sections []section) (list []Heading) {
	for _, s := range sections {
		if s.level == 2 {
			list = append(list, Heading{s.id, s.title})
		}
	}
	return list
}

// serveIndex answers with the index, or that the client has it already. Its texts change with the program: it is asked for each time.
func (s *Site) serveIndex(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256(s.index)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(s.index))
}

// sectionsOf takes a page apart at its headings. What stands before the first one belongs to none and is left out.
func sectionsOf(tree ast.Node, source []byte) (sections []section) {
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			text, _ := id.([]byte)
			sections = append(sections, section{level: h.Level, id: string(text), title: plainText(h, source)})
		} else if len(sections) > 0 {
			last := &sections[len(sections)-1]
			last.text = strings.TrimSpace(last.text + " " + plainText(n, source))
		}
	}
	return sections
}

// plainText is the text of a node, its blocks parted by spaces.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which never fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
