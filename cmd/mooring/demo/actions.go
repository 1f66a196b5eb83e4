package demo

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/xlsx"
)

// pageActions answers what the page of the demo asks for besides the HTTP interface: the file itself, a change of the source, the agent.
// It exists under mooring demo only.
type pageActions struct {
	token  string
	links  *links
	folder sampleFolder
	files  *xlsx.Folder
	agent  *localAgent
	source *sampleSource
}

// maxDocument bounds a file that the page saves.
const maxDocument = 64 << 20

// handler is the actions below their common path, for the page of the demo in a browser on this machine.
func (a *pageActions) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /demo/actions/enter", a.enter)
	mux.HandleFunc("GET /demo/actions/state", a.state)
	mux.HandleFunc("GET /demo/actions/document", a.load)
	mux.HandleFunc("POST /demo/actions/document", a.save)
	mux.HandleFunc("POST /demo/actions/source", a.changeSource)
	mux.HandleFunc("POST /demo/actions/agent", a.setAgent)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		refusal := foreign(r)
		if refusal == "" && r.URL.Path != "/demo/actions/enter" {
			refusal = a.tokenless(r)
		}
		if refusal != "" {
			http.Error(w, refusal, http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// foreign says why a request is of no page of the demo's. A loopback Host name keeps out pages of other names that resolve to this machine.
func foreign(r *http.Request) string {
	site := r.Header.Get("Sec-Fetch-Site")
	origin := r.Header.Get("Origin")
	switch {
	case !loopback(r.Host):
		return "The demo answers on this machine only: open it at 127.0.0.1."
	case site != "" && site != "same-origin", origin != "" && origin != "http://"+r.Host:
		return "The demo answers its own page only."
	}
	return ""
}

// tokenless says that a request lacks the token.
func (a *pageActions) tokenless(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(a.token)) != 1 {
		return "The demo's token is missing: open the address that mooring demo printed."
	}
	return ""
}

// loopback reports whether a Host header names this machine from within.
func loopback(hostport string) bool {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// state says what there is to show.
func (a *pageActions) state(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, map[string]any{
		"document": Workbook, "sheet": Sheet, "anchor": sampleAnchor, "deployment": sampleDeployment, "agent": a.agent.running(),
	})
}

// load sends the file, or 304 while it is still the one that the page has.
func (a *pageActions) load(w http.ResponseWriter, r *http.Request) {
	content, err := a.files.Load(Workbook)
	if err != nil {
		answerFault(w, err)
		return
	}
	tag := tagOf(content)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	_, _ = w.Write(content)
}

// save replaces the file, if it is still the one that If-Match names, or what is sent already. It answers the new tag, null when the file
// is another now, or why it is held: these are part of normal work, and a status of 400 or above is an error in the browser's console.
func (a *pageActions) save(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDocument))
	if err != nil {
		http.Error(w, "The file is too large, or did not arrive whole.", http.StatusRequestEntityTooLarge)
		return
	}
	base, ok := parseTag(r.Header.Get("If-Match"))
	if !ok {
		http.Error(w, "If-Match must be the ETag of the file that was read.", http.StatusPreconditionRequired)
		return
	}
	err = a.files.Save(r.Context(), Workbook, base, content)
	if xlsx.Stale(err) {
		if now, loadErr := a.files.Load(Workbook); loadErr == nil && tagOf(now) == tagOf(content) {
			err = nil // sent again after its answer was lost
		}
	}
	var fault *placements.Fault
	switch {
	case err == nil:
		answerJSON(w, map[string]any{"tag": tagOf(content)})
	case xlsx.Stale(err):
		answerJSON(w, map[string]any{"tag": nil})
	case errors.As(err, &fault) && fault.Class == placements.Transient:
		answerJSON(w, map[string]any{"held": fault.Message})
	default:
		answerFault(w, err)
	}
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func parseTag(tag string) (sum [sha256.Size]byte, ok bool) {
	b, err := hex.DecodeString(strings.Trim(tag, `"`))
	return sum, err == nil && copy(sum[:], b) == len(sum) && len(b) == len(sum)
}

// changeSource changes some rows of the database, and names them.
func (a *pageActions) changeSource(w http.ResponseWriter, r *http.Request) {
	changed, err := a.source.change(r.Context())
	if err != nil {
		http.Error(w, "The database could not be changed: "+err.Error(), http.StatusInternalServerError)
		return
	}
	answerJSON(w, map[string]any{"states": changed})
}

// setAgent stops or starts the agent.
func (a *pageActions) setAgent(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Running *bool `json:"running"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&in); err != nil || in.Running == nil {
		http.Error(w, `Send {"running": true} or {"running": false}.`, http.StatusBadRequest)
		return
	}
	var err error
	if *in.Running {
		a.agent.start(r.Context())
	} else {
		err = a.agent.halt()
	}
	if err != nil {
		http.Error(w, "The agent did not end well: "+err.Error(), http.StatusInternalServerError)
		return
	}
	answerJSON(w, map[string]any{"running": a.agent.running()})
}

func answerJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// answerFault answers with what is wrong with the file.
func answerFault(w http.ResponseWriter, err error) {
	var fault *placements.Fault
	if errors.As(err, &fault) {
		http.Error(w, fault.Message, http.StatusUnprocessableEntity)
		return
	}
	http.Error(w, "The file could not be read or written.", http.StatusInternalServerError)
}

// localAgent is the demo's agent, which its user stops and starts.
type localAgent struct {
	engine *refresh.Engine

	mu    sync.Mutex
	stop  context.CancelFunc // nil: stopped
	ended chan error
}

// start starts the agent unless it runs.
func (a *localAgent) start(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return
	}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	a.ended = ended
	go func() { ended <- a.engine.Run(ctx) }()
}

// halt stops the agent, if it runs, and waits until it has ended what it does.
func (a *localAgent) halt() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		return nil
	}
	a.stop()
	a.stop = nil
	return <-a.ended
}

func (a *localAgent) running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stop != nil
}
