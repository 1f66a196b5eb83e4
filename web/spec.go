package web

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/web/docs"
	"mooring/web/face"
)

// openAPI is the description of the interface, written by hand; spec_test.go holds it to the routes and to real answers.
//
//go:embed openapi.json
var openAPI []byte

// What the servers of a process share of the document, each read once: it is large. Nobody changes what they return.
var (
	openAPIParameters = sync.OnceValues(func() (map[string][]string, error) { return parametersOf(openAPI) })
	openAPIPages      = sync.OnceValues(func() (*docs.Interface, error) { return docs.Describe(openAPI) })
)

// getSpec answers with the OpenAPI document.
func (s *Server) getSpec(c *gin.Context) error {
	answerJSON(c, openAPI)
	return nil
}

// getDocs answers with the viewer of the same document, at the address that it has had from the beginning.
func (s *Server) getDocs(c *gin.Context) error {
	return s.showViewer(c, "spec", "../../docs")
}

// getDocsIndex answers with the list of the pages.
func (s *Server) getDocsIndex(c *gin.Context) error {
	return s.showPage(c, "")
}

// getDocsPage answers with a page, or with the viewer.
func (s *Server) getDocsPage(c *gin.Context) error {
	if name := c.Param("page"); name != "api" {
		return s.showPage(c, name)
	}
	return s.showViewer(c, "../api/v1/spec", "../docs")
}

// getDocsAsset answers with a script or a style of the pages.
func (s *Server) getDocsAsset(c *gin.Context) error {
	name := c.Param("file")
	if !s.docs.HasAsset(name) {
		return placements.Errorf(placements.CodeNoRoute, "There is no such file; the pages begin at /docs.")
	}
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "same-origin")
	s.docs.Asset(c.Writer, c.Request, name)
	return nil
}

func (s *Server) showPage(c *gin.Context, name string) error {
	text, ok := s.docs.Page(name)
	if name == "" && c.Param("page") != "" || !ok {
		return placements.Errorf(placements.CodeNoRoute, "There is no such page; /docs lists what there is.")
	}
	return showHTML(c, text)
}

func (s *Server) showViewer(c *gin.Context, spec, site string) error {
	text, err := s.docs.Viewer(s.described, spec, site)
	if err != nil {
		return err
	}
	return showHTML(c, text)
}

func showHTML(c *gin.Context, text []byte) error {
	c.Header("Content-Security-Policy", docs.Policy)
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "same-origin")
	c.Data(http.StatusOK, "text/html; charset=utf-8", text)
	return nil
}

// faceFiles are the pages that people use, with their modules.
//
//go:embed ui addin console demo
var faceFiles embed.FS

// faceTree is what the servers of a process send of them, read and made short once.
var faceTree = sync.OnceValues(func() (*face.Tree, error) { return face.Read(faceFiles) })

// serverLine is the line of the script for Google Sheets that names the server.
var serverLine = regexp.MustCompile(`(?m)^const SERVER = "[^"]*"`)

// AppsScript returns the files of the add-in for Google Sheets, by their names, whose pane is on the server at an https address.
func AppsScript(server string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"Code.js", "sidebar.html", "appsscript.json"} {
		text, err := faceFiles.ReadFile("addin/apps-script/" + name)
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	line := "const SERVER = " + strconv.Quote(server)
	files["Code.js"] = serverLine.ReplaceAllLiteral(files["Code.js"], []byte(line))
	return files, nil
}

// The faces' pages, icons and files; face is the first segment of the path.
func (s *Server) getFace(c *gin.Context) error {
	name, _, _ := strings.Cut(c.Request.URL.Path[1:], "/")
	var f face.File
	var ok bool
	tree, file := c.Param("tree"), c.Param("file")
	if file != "" {
		f, ok = s.faces.File(name, tree, file[1:])
	} else if f, ok = s.faces.Icon(name, tree); !ok {
		f, ok = s.faces.Page(name, tree)
	}
	if !ok {
		return placements.Errorf(placements.CodeNoRoute, "There is no such file; the page begins at /%s/.", name)
	}
	return s.sendFile(c, f)
}

// leadTo redirects to a page whose address was written with a slash too few or too many. The address is relative: a proxy may serve all of
// the service below a prefix.
func leadTo(address string) handler {
	return func(_ *Server, c *gin.Context) error {
		to := url.URL{Path: address, RawQuery: c.Request.URL.RawQuery}
		c.Header("Location", to.String())
		c.Status(http.StatusFound)
		return nil
	}
}

// sendFile answers with a file of a face, packed if the client takes that.
func (s *Server) sendFile(c *gin.Context, f face.File) error {
	h := c.Writer.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Security-Policy", f.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	if f.Immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", `W/"`+s.faces.Hash+`"`)
	h.Add("Vary", "Accept-Encoding")
	if clientHas(c, `"`+s.faces.Hash+`"`) {
		c.Status(http.StatusNotModified)
		return nil
	}
	text := f.Text
	switch accepted := c.GetHeader("Accept-Encoding"); {
	case accepts(accepted, "br"):
		text = f.Brotli()
		h.Set("Content-Encoding", "br")
	case accepts(accepted, "gzip"):
		text = f.Gzip()
		h.Set("Content-Encoding", "gzip")
	}
	c.Data(http.StatusOK, f.Type, text)
	return nil
}

// getManifest answers with the manifest of the Excel add-in.
func (s *Server) getManifest(c *gin.Context) error {
	if s.manifest == nil {
		return placements.Errorf(placements.CodeNoPublicURL,
			"Excel loads an add-in from an https address only: set publicURL in the configuration to the one of this service.")
	}
	text, err := s.manifest.text(c.Request.Context(), s.store)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-cache")
	c.Data(http.StatusOK, "application/xml; charset=utf-8", text)
	return nil
}

// text returns the manifest with its present version.
func (m *manifest) text(ctx context.Context, store *storage.Store) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	told, err := store.CountManifest(ctx, m.Hash, face.ManifestTemplate, m.known)
	if err != nil {
		return nil, err
	}
	m.known = told
	return m.Text(told.Template, told.Number)
}

// CountManifest counts the manifest of the Excel add-in as one that is served from now on: if it is another than before, its version grows.
func (s *Server) CountManifest(ctx context.Context) error {
	if s.manifest == nil {
		return nil
	}
	_, err := s.manifest.text(ctx, s.store)
	return err
}

// document is what the router reads of an OpenAPI document.
type document struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Parameters map[string]parameter }
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
}

// parametersOf lists the query parameters of each operation of an OpenAPI document, by method and path as routes have it. Swagger UI does
// not follow references among the parameters of a path, so that each operation has its own.
func parametersOf(text []byte) (map[string][]string, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	known := map[string][]string{}
	for path, item := range d.Paths {
		path = strings.NewReplacer("{", ":", "}", "").Replace(path)
		for method, raw := range item {
			var operation struct{ Parameters []parameter }
			if err := json.Unmarshal(raw, &operation); err != nil {
				return nil, err
			}
			key := strings.ToUpper(method) + " " + path
			known[key] = d.queryNames(operation.Parameters)
		}
	}
	return known, nil
}

// queryNames returns the names of those parameters that stand in the query, references followed.
func (d *document) queryNames(parameters []parameter) (names []string) {
	for _, p := range parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
		}
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}
