package demo

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
)

// links are links that sign in, each once. A link holds a code and no token: the page that it leads to asks for the token with the code. The
// zero value has none.
type links struct {
	mu   sync.Mutex
	open map[string]bool // by code: those that nobody has opened yet
}

// add makes a link to the page of the demo on a server.
func (l *links) add(server string) string {
	code := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[string]bool{}
	}
	l.open[code] = true
	return server + "/demo/#enter=" + code // browsers keep the fragment to themselves
}

// take reports whether a code is that of a link that nobody has opened, which is opened thereby.
func (l *links) take(code string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	good := l.open[code]
	delete(l.open, code)
	return good
}

// enter answers the token to who opens a link first, and null to everybody after: to open it again is part of normal work, see save.
func (a *pageActions) enter(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Code string `json:"code"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&in); err != nil {
		http.Error(w, `Send {"code": "…"}, with what the link has behind enter=.`, http.StatusBadRequest)
		return
	}
	answer := map[string]any{"token": nil}
	if a.links.take(in.Code) {
		answer["token"] = a.token
	}
	answerJSON(w, answer)
}
