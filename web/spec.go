package web

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"mooring/placements"
	"mooring/web/docs"
	"mooring/web/request"
)

// documents are the routes of the pages about the interface.
func (s *Server) documents() []request.Route {
	return []request.Route{
		s.of("GET", root+"/spec", (*Server).getSpec, open),
		s.of("GET", root+"/docs", (*Server).getDocs, open),
		s.of("GET", "/docs", (*Server).getDocsIndex, open),
		s.of("GET", "/docs/:page", (*Server).getDocsPage, open),
		s.of("GET", "/docs/assets/:file", (*Server).getDocsAsset, open),
		s.of("GET", manifestPath, (*Server).getManifest, open),
	}
}

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
func (s *Server) getSpec(c *request.Call) error {
	return request.JSON(openAPI).Send(c)
}

// getDocs answers with the viewer of the same document, at the address that it has had from the beginning.
func (s *Server) getDocs(c *request.Call) error {
	return s.showViewer(c, "spec", "../../docs")
}

// getDocsIndex answers with the list of the pages.
func (s *Server) getDocsIndex(c *request.Call) error {
	return s.showPage(c, "")
}

// getDocsPage answers with a page, or with the viewer.
func (s *Server) getDocsPage(c *request.Call) error {
	if name := c.Param("page"); name != "api" {
		return s.showPage(c, name)
	}
	return s.showViewer(c, "../api/v1/spec", "../docs")
}

// getDocsAsset answers with a script or a style of the pages.
func (s *Server) getDocsAsset(c *request.Call) error {
	name := c.Param("file")
	if !s.docs.HasAsset(name) {
		return placements.Errorf(placements.CodeNoRoute, "There is no such file; the pages begin at /docs.")
	}
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("Referrer-Policy", "same-origin")
	s.docs.Asset(c.Writer(), c.Request, name)
	return nil
}

func (s *Server) showPage(c *request.Call, name string) error {
	text, ok := s.docs.Page(name)
	if name == "" && c.Param("page") != "" || !ok {
		return placements.Errorf(placements.CodeNoRoute, "There is no such page; /docs lists what there is.")
	}
	return showHTML(c, text)
}

func (s *Server) showViewer(c *request.Call, spec, site string) error {
	text, err := s.docs.Viewer(s.described, spec, site)
	if err != nil {
		return err
	}
	return showHTML(c, text)
}

func showHTML(c *request.Call, text []byte) error {
	c.Set("Content-Security-Policy", docs.Policy)
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("Referrer-Policy", "same-origin")
	c.Data(http.StatusOK, "text/html; charset=utf-8", text)
	return nil
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
