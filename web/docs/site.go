package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/swaggest/swgui/v5emb"
)

// Policy is the Content-Security-Policy of every page: scripts, styles and requests are the server's own, and none is inline. Swagger
// UI has its icons in data addresses.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed assets layout.html
var files embed.FS

//go:embed pages
var ownPages embed.FS

// People returns the pages for those who work with blocks and know nothing of servers.
func People() []Page {
	var pages []Page
	for _, name := range []string{"analysts", "glossary"} {
		text, _ := ownPages.ReadFile("pages/" + name + ".md") // embedded
		pages = append(pages, Page{Name: name, File: "web/docs/pages/" + name + ".md", Text: string(text)})
	}
	return pages
}

// Page is a text that the site shows.
type Page struct {
	Name string // the last segment of its address
	File string // where it stands in the repository; links between pages are written for that place
	Text string // Markdown; its first line is the title, "# …", and the paragraph below it goes into the index
}

// Site is the pages, their index and the viewer, rendered once. It is safe for concurrent use.
type Site struct {
	pages  map[string][]byte
	layout *template.Template
	menu   []entry
	index  []byte       // of all sections, for the search
	own    http.Handler // docs.css, viewer.js, search.js
	viewer http.Handler // Swagger UI's files
}

// entry is a page in the index.
type entry struct{ Name, Title, Summary string }

// New renders the pages. Its errors are mistakes in their texts.
func New(pages []Page) (*Site, error) {
	layout, err := template.ParseFS(files, "layout.html")
	if err != nil {
		return nil, err
	}
	s := &Site{pages: map[string][]byte{}, layout: layout, own: http.FileServerFS(files), viewer: v5emb.New("", "", "/assets")}
	for _, p := range pages {
		title, summary := p.opening()
		if title == "" {
			return nil, fmt.Errorf("%s: the first line is no title: begin it with \"# \"", p.File)
		}
		s.menu = append(s.menu, entry{p.Name, title, summary})
	}
	found := []result{}
	for i, p := range pages {
		body, sections, err := p.render(pages)
		if err != nil {
			return nil, err
		}
		found = append(found, s.found(p.Name, s.menu[i].Title, sections)...)
		v := view{Name: p.Name, Title: s.menu[i].Title, Body: body, Sections: contents(sections)}
		if s.pages[p.Name], err = s.lay("page", v); err != nil {
			return nil, err
		}
	}
	if s.pages[""], err = s.lay("index", view{Title: "Mooring"}); err != nil {
		return nil, err
	}
	s.index, err = json.Marshal(found)
	return s, err
}

// view is what the layout shows.
type view struct {
	Name     string // of the page, which the menu marks; empty: the index
	Title    string
	Sections []Heading     // of a page
	Body     template.HTML // of a page
	Spec     string        // of the viewer: the address of the OpenAPI document
	Root     string        // the address of the site
	Menu     []entry

	Interface *Interface // what the viewer's page lists
}

// lay puts a view into one of the layout's templates. Addresses are relative, so that a proxy may serve the site below a prefix.
func (s *Site) lay(name string, v view) ([]byte, error) {
	v.Menu = s.menu
	if v.Root == "" {
		v.Root = "../docs"
	}
	if name == "index" {
		v.Root = "docs"
	}
	var b bytes.Buffer
	err := s.layout.ExecuteTemplate(&b, name, v)
	return b.Bytes(), err
}

// Page returns a page as HTML and whether there is one of that name; "" names the index.
func (s *Site) Page(name string) ([]byte, bool) {
	text, ok := s.pages[name]
	return text, ok
}

// Viewer returns the page that lists the operations of an OpenAPI document and shows each of them. Both addresses are relative to the
// page: the document's and the site's.
func (s *Site) Viewer(described *Interface, spec, site string) ([]byte, error) {
	return s.lay("viewer", view{Name: "api", Title: "The interface", Spec: spec, Root: site, Interface: described})
}

// Asset answers with a script, a style or an icon of the pages: the whole of it, or that the client has it already.
func (s *Site) Asset(w http.ResponseWriter, r *http.Request, name string) {
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = path.Join("/assets", name), ""
	for _, condition := range []string{"Range", "If-Match", "If-Unmodified-Since"} {
		r.Header.Del(condition)
	}
	if name == indexFile {
		s.serveIndex(w, r)
		return
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	if strings.HasPrefix(name, "swagger-") {
		s.viewer.ServeHTTP(w, r)
		return
	}
	s.own.ServeHTTP(w, r)
}

// HasAsset reports whether there is an asset of that name.
func (s *Site) HasAsset(name string) bool {
	switch name {
	case "docs.css", "viewer.js", "search.js", indexFile, "swagger-ui.css", "swagger-ui-bundle.js":
		return true
	}
	return false
}
