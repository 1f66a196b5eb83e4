package graphfake

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/token"
)

// Start runs a fake until Close.
func Start() *Server {
	s := &Server{cloud: cloud{docs: map[string]*document{}, sessions: map[string]session{}, drives: []*drive{{id: Drive, grant: Write}}}}
	s.tokens = token.Issuer{Check: grant, Status: http.StatusUnauthorized, Code: "invalid_client"}
	mux := http.NewServeMux()
	mux.Handle("POST /"+Tenant+"/oauth2/v2.0/token", &s.tokens)
	mux.HandleFunc("/v1.0/", s.api)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1.0"
	s.TokenURL = s.http.URL + "/" + Tenant + "/oauth2/v2.0/token"
	return s
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/v1.0")
	s.requests = append(s.requests, Request{Method: r.Method, Path: path, Body: len(body)})
	if err == nil {
		err = s.admit(w, r)
	}
	var answer any
	status := http.StatusOK
	switch {
	case err != nil:
	case path == "/$batch" && r.Method == http.MethodPost:
		answer, err = s.batch(body)
	default:
		status, answer, err = s.route(exchange{s.URL, r.Method, path, r.URL.Query(), r.Header, body})
	}
	writeJSON(w, status, answer, err)
	if s.between != nil {
		for _, doc := range s.docs {
			s.between(doc.Book)
		}
	}
}

// route answers one request about a site, a drive, an item or its workbook.
func (c *cloud) route(x exchange) (int, any, error) {
	for name := range x.query {
		if name != "$select" && name != "$skip" {
			return 0, nil, invalid("The query option %q is not known.", name)
		}
	}
	if below, ok := strings.CutPrefix(x.path, "/sites/"); ok {
		return c.site(below, x)
	}
	if below, ok := strings.CutPrefix(x.path, "/shares/"); ok {
		return c.shared(below, x)
	}
	id, rest, _ := strings.Cut(strings.TrimPrefix(x.path, "/drives/"), "/")
	d, err := c.drive(id)
	if err != nil || !strings.HasPrefix(x.path, "/drives/") {
		return 0, nil, cmp.Or(err, missing("itemNotFound", "The drive could not be found."))
	}
	switch {
	case rest == "":
		return answer(x, d.object())
	case strings.HasPrefix(rest, "root"):
		return c.root(d, strings.TrimPrefix(rest, "root"), x)
	}
	item, rest, _ := strings.Cut(strings.TrimPrefix(rest, "items/"), "/")
	name, _ := url.PathUnescape(item)
	doc := c.docs[name]
	switch {
	case doc == nil, doc.drive != d:
		return 0, nil, missing("itemNotFound", "The resource could not be found.")
	case doc.denied:
		return 0, nil, &apiError{http.StatusForbidden, "accessDenied", "Access denied"}
	case rest == "":
		return answer(x, doc.object(name))
	case rest == "content":
		return upload(name, doc, x)
	case !strings.HasPrefix(rest, "workbook/"):
		return 0, nil, invalid("Resource not found for the segment %q.", rest)
	case d.refusesWorkbooks:
		return 0, nil, &apiError{http.StatusForbidden, "OpenWorkbookAccessDenied", "You do not have permissions to open this file."}
	}
	return c.workbook(name, doc, strings.TrimPrefix(rest, "workbook"), x)
}

func (c *cloud) workbook(id string, doc *document, path string, x exchange) (int, any, error) {
	if path == "/functions/date" { // which changes nothing
		return dateFunction(doc.Book, x)
	}
	if edit := c.beforeWrite; edit != nil && x.method != http.MethodGet {
		c.beforeWrite = nil
		edit(doc.Book)
	}
	session := x.header.Get("Workbook-Session-Id")
	if x.method != http.MethodGet && doc.drive.grant != Write && path != "/closeSession" {
		return 0, nil, &apiError{http.StatusForbidden, "EditModeAccessDenied", "The application may only read."}
	}
	if x.method != http.MethodGet && (session == "" && c.losesWrites || c.sessions[session].passing) {
		doc = doc.copy()
	}
	if session != "" && c.sessions[session].document != id {
		return 0, nil, missing("invalidSessionReCreatable", "The session specified in the request does not exist.")
	}
	switch {
	case path == "/createSession" && c.refusesSessions:
		return 0, nil, &apiError{http.StatusForbidden, "EditModeAccessDenied", "The workbook cannot be opened for editing."}
	case path == "/createSession" && x.method == http.MethodPost:
		return c.createSession(id, x.body)
	case path == "/closeSession" && x.method == http.MethodPost:
		if session == "" {
			return 0, nil, invalid("The session to close is missing.")
		}
		delete(c.sessions, session)
		return http.StatusNoContent, nil, nil
	case path == "/worksheets":
		return list(x, doc.Sheets, func(on *book.Sheet) map[string]any { return sheetObject(doc.Book, on) })
	case path == "/names":
		return list(x, doc.Names, nameObject)
	case path == "/names/add" && x.method == http.MethodPost:
		return addName(doc.Book, x)
	}
	if m := namePath.FindStringSubmatch(strings.TrimSuffix(path, "/range")); m != nil && strings.HasSuffix(path, "/range") {
		name, _ := url.PathUnescape(m[1])
		return namedRange(doc, strings.ReplaceAll(name, "''", "'"), x)
	}
	if m := namePath.FindStringSubmatch(path); m != nil {
		name, _ := url.PathUnescape(m[1])
		if c.refusesHiding && strings.Contains(string(x.body), `"visible"`) {
			return 0, nil, invalid("The property 'visible' cannot be updated.")
		}
		return named(doc.Book, strings.ReplaceAll(name, "''", "'"), x)
	}
	m := sheetPath.FindStringSubmatch(path)
	if m == nil {
		return 0, nil, invalid("Resource not found for the segment %q.", path)
	}
	on := findSheet(doc.Book, m[1], m[2])
	if on == nil {
		return 0, nil, missing("itemNotFound", "The requested resource doesn't exist.")
	}
	switch {
	case m[3] == "/usedRange(valuesOnly=true)":
		return answer(x, usedObject(on))
	case m[3] != "":
		return answer(x, map[string]any{"protected": doc.protected(on)})
	case m[4] == "":
		return answer(x, sheetObject(doc.Book, on))
	}
	return onRange(doc, on, m[4], m[5], x)
}

// root answers a request about a drive's root or a path below it: /root/children, /root:/{path}, /root:/{path}:/children,
// /root:/{path}:/content and, of either, /search(q='…').
func (c *cloud) root(d *drive, below string, x exchange) (int, any, error) {
	if plain, err := url.PathUnescape(below); err == nil {
		if m := searchForm.FindStringSubmatch(plain); m != nil {
			return c.search(d, m[1], strings.ReplaceAll(m[2], "''", "'"), x)
		}
	}
	below, content := strings.CutSuffix(below, ":/content")
	at, children := strings.CutSuffix(below, "/children")
	at, err := url.PathUnescape(strings.Trim(at, ":/"))
	if err != nil {
		return 0, nil, invalid("Resource not found for the segment %q.", below)
	}
	entries := c.entries(d, at)
	switch {
	case children && (len(entries) > 0 || at == ""):
		return list(x, entries, func(e entry) map[string]any { return selectable(e.object()) })
	case children:
		return 0, nil, missing("itemNotFound", "The resource could not be found.")
	}
	for id, doc := range c.docs {
		if doc.drive == d && strings.EqualFold(doc.path, at) {
			if content {
				return upload(id, doc, x)
			}
			return answer(x, doc.object(id))
		}
	}
	return 0, nil, missing("itemNotFound", "The resource could not be found.")
}
