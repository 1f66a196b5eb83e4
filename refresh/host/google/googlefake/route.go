package googlefake

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"mooring/refresh/host/hosttest/token"
)

// Start runs a fake until Close.
func Start() (*Server, error) {
	key, err := serviceKey()
	if err != nil {
		return nil, err
	}
	s := &Server{key: key, docs: map[string]*document{}}
	s.tokens = token.Issuer{Check: s.grant, Status: http.StatusBadRequest, Code: "invalid_grant"}
	mux := http.NewServeMux()
	mux.Handle("POST /token", &s.tokens)
	mux.HandleFunc("/v4/spreadsheets/{id}", s.api)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	return s, nil
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Body: len(body)})
	if err == nil {
		err = s.admit(w, r)
	}
	var answer any
	if err == nil {
		answer, err = s.route(r, body)
	}
	writeJSON(w, answer, err)
}

func (s *Server) route(r *http.Request, body []byte) (any, error) {
	id, verb, _ := strings.Cut(r.PathValue("id"), ":")
	doc := s.docs[id]
	switch {
	case doc == nil:
		return nil, &apiError{http.StatusNotFound, "Requested entity was not found."}
	case doc.denied:
		return nil, &apiError{http.StatusForbidden, "The caller does not have permission"}
	case verb == "" && r.Method == http.MethodGet:
		return s.get(id, doc.Book, r.URL.Query())
	case verb == "batchUpdate" && r.Method == http.MethodPost:
		return s.batchUpdate(id, doc, r, body)
	}
	return nil, &apiError{http.StatusNotFound, "The requested URL was not found on this server."}
}
