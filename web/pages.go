package web

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"mooring/placements"
	"mooring/storage"
	"mooring/web/face"
	"mooring/web/request"
)

// pages is the routes of the faces, which are no operations of the interface.
func (s *Server) pages() (list []request.Route) {
	list = s.account().Pages()
	names := []string{"addin", "console"}
	if s.demo != nil {
		names = append(names, "demo")
		act := func(s *Server, c *request.Call) error {
			s.demo.ServeHTTP(c.Writer(), c.Request)
			return nil
		}
		list = append(list, s.of("GET", "/demo/actions/*action", act, open), s.of("POST", "/demo/actions/*action", act, open))
	}
	for _, name := range names {
		list = append(list, s.of("GET", "/"+name, leadTo(name+"/"), open))
		for _, path := range []string{"/", "/:tree", "/:tree/*file"} {
			list = append(list, s.of("GET", "/"+name+path, (*Server).getFace, open))
		}
	}
	list = append(list, s.of("GET", "/docs/", leadTo("../docs"), open))
	return list
}

// faceFiles are the pages that people use, with their modules.
//
//go:embed ui addin builder console demo
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
func (s *Server) getFace(c *request.Call) error {
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
	return func(_ *Server, c *request.Call) error {
		to := url.URL{Path: address, RawQuery: c.Request.URL.RawQuery}
		c.Set("Location", to.String())
		c.Status(http.StatusFound)
		return nil
	}
}

// sendFile answers with a file of a face, packed if the client takes that.
func (s *Server) sendFile(c *request.Call, f face.File) error {
	h := c.Writer().Header()
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
	if c.Has(`"` + s.faces.Hash + `"`) {
		c.Status(http.StatusNotModified)
		return nil
	}
	text := f.Text
	switch accepted := c.Header("Accept-Encoding"); {
	case request.Accepts(accepted, "br"):
		text = f.Brotli()
		h.Set("Content-Encoding", "br")
	case request.Accepts(accepted, "gzip"):
		text = f.Gzip()
		h.Set("Content-Encoding", "gzip")
	}
	c.Data(http.StatusOK, f.Type, text)
	return nil
}

// getManifest answers with the manifest of the Excel add-in.
func (s *Server) getManifest(c *request.Call) error {
	if s.manifest == nil {
		return placements.Errorf(placements.CodeNoPublicURL,
			"Excel loads an add-in from an https address only: set publicURL in the configuration to the one of this service.")
	}
	text, err := s.manifest.text(c.Request.Context(), s.store)
	if err != nil {
		return err
	}
	c.Set("Cache-Control", "no-cache")
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
