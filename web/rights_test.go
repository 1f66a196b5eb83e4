package web

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"mooring/refresh"
	"mooring/storage/record/recordtest"
	"mooring/storage/storagetest"
	"mooring/web/auth"
	"mooring/web/webtest"
)

// rightsRig is a server with the people of the table, and as many worlds of its assets as it takes.
type rightsRig struct {
	*api
	routes map[string]webtest.Route
	worlds int
	paired *pairingRig
	in     webtest.Account
}

func newRightsRig(t *testing.T) *rightsRig {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := webtest.Routes(text)
	if err != nil {
		t.Fatal(err)
	}
	s := storagetest.Open(t, storagetest.Redis(t)) // faster than the embedded one
	a := newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)})
		c.Tenants["acme"] = Tenant{Deployments: []int64{recordtest.Deployment, recordtest.Elsewhere}}
	})
	r := &rightsRig{api: a, routes: routes}
	for _, p := range slices.Concat(recordtest.People(), recordtest.Makers()) {
		if !p.Device {
			a.tokens[p.Name] = a.token(t, auth.Caller{Tenant: "acme", Actor: p.Actor(), Deployments: p.Deployments})
		}
	}
	r.paired = newPairingRig(t, a)
	for _, p := range recordtest.People() {
		if p.Device {
			a.tokens[p.Name], _ = r.pair(t, p.Actions)
		}
	}
	_, r.in.Device = r.pair(t, nil)
	r.newKey(t)
	return r
}

// newKey makes the key that is ended next.
func (r *rightsRig) newKey(t *testing.T) {
	t.Helper()
	var err error
	if r.in.Key, err = webtest.NewKey(r.sendAs); err != nil {
		t.Fatal(err)
	}
}

// sendAs is a webtest.Send.
func (r *rightsRig) sendAs(as string, q webtest.Request) (int, string) {
	w := r.ask(as, q)
	return w.status, w.text
}

// pair approves a device of the owner for these actions, and returns its token and its id.
func (r *rightsRig) pair(t *testing.T, actions []string) (token, id string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"deployments": []int64{recordtest.Deployment}, "actions": append([]string{}, actions...)})
	if err != nil {
		t.Fatal(err)
	}
	token = r.paired.paired(recordtest.Owner+" at work", string(body)).AccessToken
	caller, err := r.keys.Verify(token, r.server.now())
	if err != nil {
		t.Fatal(err)
	}
	return token, caller.Device
}

// world makes the table's assets anew.
func (r *rightsRig) world(t *testing.T) *webtest.World {
	t.Helper()
	r.worlds++
	w, err := webtest.Make(r.worlds, "SELECT 1 AS n", r.in, r.sendAs)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// reply is an answer to a request of the table.
type reply struct {
	status     int
	code, text string
}

// ask sends a request as one of the users.
func (r *rightsRig) ask(as string, q webtest.Request) reply {
	request := httptest.NewRequest(q.Method, q.Path, strings.NewReader(q.Body))
	request.Host = "localhost"
	if q.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := r.tokens[as]; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	r.sut.ServeHTTP(w, request)
	var body struct{ Code string }
	_ = json.Unmarshal(w.Body.Bytes(), &body) // it may be no JSON
	return reply{w.Code, body.Code, w.Body.String()}
}

// Every operation has a line in the table, and no line is of something else.
func TestEveryOperationHasItsRight(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := webtest.Routes(text)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, r := range recordtest.Rights() {
		named[r.Operation] = true
		if _, known := routes[r.Operation]; !known {
			t.Errorf("%s is no operation", r.Operation)
		}
	}
	for name, route := range routes {
		if !named[name] {
			t.Errorf("%s %s: the table of recordtest does not say what %s takes", route.Method, route.Path, name)
		}
	}
}

// Whoever asks for whatever of whomever gets what the table says, on assets of their own if it is done.
func TestEverybodyGetsWhatTheTableSays(t *testing.T) {
	t.Parallel()
	r := newRightsRig(t)
	w := r.world(t)
	for _, right := range recordtest.Rights() {
		if right.Takes == recordtest.Nothing {
			continue
		}
		t.Run(strings.TrimSpace(right.Operation+" "+right.How+" "+string(right.On)+" "+right.Whose), func(t *testing.T) {
			for _, p := range recordtest.People() {
				q, err := w.Request(r.routes, right)
				if err != nil {
					t.Fatal(err)
				}
				want := right.Answer(&p)
				if (right.Operation == "getChange" || right.Operation == "restoreChange") && want == recordtest.Done {
					continue // no agent has changed a block here
				}
				got := r.ask(p.Name, q)
				if answer := webtest.AnswerOf(got.status, got.code); answer != want {
					t.Errorf("%s: %s, want %s\n%s\n%d %s", p.Name, answer, want, q, got.status, got.text)
				}
				if got.status >= http.StatusMultipleChoices || !right.Consumes() {
					continue
				}
				switch right.Operation {
				case "endDevice":
					_, r.in.Device = r.pair(t, nil)
				case "endKey":
					r.newKey(t)
				}
				w.Remove()
				w = r.world(t)
			}
			if q, err := w.Request(r.routes, right); err != nil || r.ask("nobody", q).status != http.StatusUnauthorized {
				t.Errorf("without a token: %v", err)
			}
		})
	}
}
