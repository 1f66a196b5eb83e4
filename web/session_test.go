package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
)

// sessionRig is a server with the cookies of browsers, by their names.
type sessionRig struct {
	*pairingRig
	csrf    string
	cookies map[string]string
}

func newSessionRig(t *testing.T, a *api) *sessionRig {
	return &sessionRig{pairingRig: newPairingRig(t, a), cookies: map[string]string{}}
}

func eachSession(t *testing.T, test func(t *testing.T, r *sessionRig)) {
	t.Helper()
	each(t, func(t *testing.T, a *api) { test(t, newSessionRig(t, a)) })
}

// browse sends a request as a page of ours does: with the cookies, the CSRF and what a browser says of the page, unless header says else.
func (r *sessionRig) browse(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	h := map[string]string{"Sec-Fetch-Site": "same-origin", auth.CSRFHeader: r.csrf}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	var sent []string
	for name, value := range r.cookies {
		sent = append(sent, name+"="+value)
	}
	if _, chosen := h["Cookie"]; !chosen && len(sent) > 0 {
		h["Cookie"] = strings.Join(sent, "; ")
	}
	maps.DeleteFunc(h, func(_, value string) bool { return value == "" })
	w := r.send(step{method: method, path: path, as: "nobody", body: body, header: h})
	for _, c := range w.Result().Cookies() {
		r.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(r.cookies, c.Name)
		}
	}
	return w
}

// signsIn signs the browser in with one of the rig's tokens.
func (r *sessionRig) signsIn(as string) *httptest.ResponseRecorder {
	r.t.Helper()
	w := r.browse("POST", "/api/v1/session", `{"token":"`+r.tokens[as]+`"}`)
	if w.Code != http.StatusOK {
		r.t.Fatalf("sign in: %d %s", w.Code, w.Body)
	}
	r.csrf = r.me().CSRF
	return w
}

// me is what the service says of who is signed in.
type me struct {
	Tenant, CSRF string
	User         struct {
		ID          int64
		Email, Name string
	}
	Deployments    []any
	Actions, Bound []string
}

// me is what the browser is told of who is signed in.
func (r *sessionRig) me() (who me) {
	r.t.Helper()
	w := r.browse("GET", "/api/v1/me", "")
	if err := json.Unmarshal(w.Body.Bytes(), &who); err != nil || w.Code != http.StatusOK {
		r.t.Fatalf("me: %d %s", w.Code, w.Body)
	}
	return who
}

// wants sends a request of the browser and wants a status.
func (r *sessionRig) wants(fact string, status int, method, path, body string, header ...string) {
	r.t.Helper()
	if w := r.browse(method, path, body, header...); w.Code != status {
		r.t.Errorf("%s: %d, want %d: %s", fact, w.Code, status, w.Body)
	}
}

const aReport = `{"name":"R","sqlQuery":"SELECT 1"}`

const reportsPath = "/api/v1/deployments/1/reports"

func TestASessionStandsForItsKey(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.wants("nobody is signed in", 401, "GET", "/api/v1/me", "")
		w := r.signsIn("editor")
		set := w.Header().Get("Set-Cookie")
		for _, want := range []string{"mooring=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=3"} {
			if !strings.Contains(set, want) || strings.Contains(set, "Secure") {
				t.Errorf("the cookie lacks %s, or asks for https: %s", want, set)
			}
		}
		if strings.Contains(set+w.Body.String(), r.tokens["editor"]) {
			t.Error("the key goes back to the browser")
		}
		if who := r.me(); who.User.ID != 1 || who.User.Email != "ed@acme.example" || who.CSRF == "" || len(who.Deployments) != 2 {
			t.Errorf("%+v", who)
		}
		r.wants("it writes", 200, "POST", reportsPath, aReport)
		r.wants("as far as the key may", 403, "PUT", "/api/v1/tenant/settings", `{}`)
		if signed := r.send(step{method: "GET", path: "/api/v1/me", as: "editor"}); strings.Contains(signed.Body.String(), "csrf") {
			t.Errorf("a token has no csrf: %s", signed.Body)
		}
		r.wants("a header goes before the cookie", 401, "GET", "/api/v1/me", "", "Authorization", "Bearer wrong")
		r.wants("a token has no session to end", 404, "DELETE", "/api/v1/session", "", "Authorization", "Bearer "+r.tokens["editor"])
		old := r.cookies["mooring"]
		r.wants("it signs out", 200, "DELETE", "/api/v1/session", "")
		if len(r.cookies) != 0 {
			t.Errorf("the browser still has %v", r.cookies)
		}
		r.wants("the cookie is good no longer", 401, "GET", "/api/v1/me", "", "Cookie", "mooring="+old)
		r.wants("a made-up one never was", 401, "GET", "/api/v1/me", "", "Cookie", "mooring=x")
	})
}

// What a page of another origin, or of a neighbour, may try with the browser of a person who is signed in.
func TestOtherPagesDoNotActWithASession(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.signsIn("editor")
		for _, tt := range []struct {
			fact   string
			header []string
		}{
			{"another site", []string{"Sec-Fetch-Site", "cross-site"}},
			{"another host of the site", []string{"Sec-Fetch-Site", "same-site"}},
			{"another site, and a lie in Origin", []string{"Sec-Fetch-Site", "cross-site", "Origin", "http://localhost"}},
			{"another origin, in an old browser", []string{"Sec-Fetch-Site", "", "Origin", "http://evil.example"}},
			{"another port", []string{"Sec-Fetch-Site", "", "Origin", "http://localhost:81"}},
			{"a sandbox", []string{"Sec-Fetch-Site", "", "Origin", "null"}},
			{"a scheme of a program", []string{"Sec-Fetch-Site", "", "Origin", "file://localhost"}},
		} {
			r.wants(tt.fact+" reads nothing", 403, "GET", "/api/v1/me", "", tt.header...)
			r.wants(tt.fact+" writes nothing", 403, "POST", reportsPath, aReport, tt.header...)
			r.wants(tt.fact+" signs nobody in", 403, "POST", "/api/v1/session", `{"token":"`+r.tokens["viewer"]+`"}`, tt.header...)
			r.wants(tt.fact+" signs nobody out", 403, "DELETE", "/api/v1/session", "", tt.header...)
		}
		r.wants("a form signs nobody in", 415, "POST", "/api/v1/session", "token=x", "Content-Type", "text/plain")
		r.wants("our own page in an old browser does", 200, "POST", reportsPath, aReport, "Sec-Fetch-Site", "", "Origin", "http://localhost")
		for fact, csrf := range map[string]string{"no": "", "a wrong": "x", "a shortened": r.csrf[:5], "the cookie as the": r.cookies["mooring"]} {
			r.wants(fact+" CSRF writes nothing", 403, "POST", reportsPath, aReport, auth.CSRFHeader, csrf)
			r.wants(fact+" CSRF updates nothing", 403, "PUT", "/api/v1/tenant/settings", `{}`, auth.CSRFHeader, csrf)
			r.wants(fact+" CSRF signs nobody out", 403, "DELETE", "/api/v1/session", "", auth.CSRFHeader, csrf)
			r.wants(fact+" CSRF reads", 200, "GET", "/api/v1/me", "", auth.CSRFHeader, csrf)
		}
		another := newSessionRig(t, r.api)
		another.signsIn("editor")
		r.wants("nor does the CSRF of another session", 403, "POST", reportsPath, aReport, auth.CSRFHeader, another.csrf)
		foreign := `{"token":"` + r.tokens["foreign"] + `"}`
		r.wants("a key is refused at another tenant's host name", 403, "POST", "/api/v1/session", foreign, "Host", "acme.example.com")
	})
}

func TestASessionEndsWithItsKey(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		token, id, err := r.keys.Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 1, Actions: []string{"All"}}}, r.server.now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.tokens["key"] = token
		r.signsIn("key")
		if err := r.store.Tenants().Revoke(t.Context(), "acme", id, r.server.now().Add(time.Hour), record.Actor{}); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Second)
		r.wants("the key was revoked", 401, "GET", "/api/v1/me", "")
		r.wants("and begins no session", 401, "POST", "/api/v1/session", `{"token":"`+token+`"}`)
		r.signsIn("editor")
		r.pass(time.Hour)
		r.wants("the key has expired", 401, "GET", "/api/v1/me", "")
		r.wants("and begins none", 401, "POST", "/api/v1/session", `{"token":"`+r.tokens["editor"]+`"}`)
	})
}

// A cookie that was in the browser before the person signed in is worth nothing after.
func TestSigningInTakesANewCookie(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.cookies["mooring"] = "fixed"
		r.signsIn("editor")
		first := r.cookies["mooring"]
		if first == "fixed" || len(first) < 40 {
			t.Errorf("the cookie is %q", first)
		}
		r.signsIn("viewer")
		r.wants("the first session has ended", 401, "GET", "/api/v1/me", "", "Cookie", "mooring="+first)
		r.wants("nor is there a fixed one", 401, "GET", "/api/v1/me", "", "Cookie", "mooring=fixed")
		if who := r.me(); who.User.ID != 3 {
			t.Errorf("signed in as %+v", who.User)
		}
	})
}

// Over https the cookie is one that neighbours cannot set.
func TestTheCookieOfHTTPS(t *testing.T) {
	a := onEmbedded(t, func(c *Config) { c.PublicURL, c.TrustedProxies = "https://acme.example.com", []string{"192.0.2.1"} })
	for fact, header := range map[string][]string{
		"by publicURL":       {"Host", "acme.example.com"},
		"by a trusted proxy": {"X-Forwarded-Proto", "https"},
	} {
		t.Run(fact, func(t *testing.T) {
			r := newSessionRig(t, a)
			w := r.browse("POST", "/api/v1/session", `{"token":"`+r.tokens["editor"]+`"}`, header...)
			set := w.Header().Get("Set-Cookie")
			if !strings.HasPrefix(set, "__Host-mooring=") || !strings.Contains(set, "; Secure") || strings.Contains(set, "Domain") {
				t.Errorf("%d %q", w.Code, set)
			}
			value := r.cookies["__Host-mooring"]
			r.wants("it is read", 200, "GET", "/api/v1/me", "", header...)
			r.wants("the other is not", 401, "GET", "/api/v1/me", "", append(header, "Cookie", "mooring="+value)...)
		})
	}
	r := newSessionRig(t, a)
	if w := r.browse("POST", "/api/v1/session", `{"token":"`+r.tokens["editor"]+`"}`); !strings.HasPrefix(w.Header().Get("Set-Cookie"), "mooring=") {
		t.Errorf("on loopback: %q", w.Header().Get("Set-Cookie"))
	}
}

func TestASessionApprovesDevices(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.signsIn("editor")
		codes := r.codes()
		path := "/api/v1/device/" + codes.UserCode
		r.wants("the page shows the device", 200, "GET", path, "")
		r.wants("another page approves nothing", 403, "POST", path+"/approve", edits, "Sec-Fetch-Site", "cross-site")
		r.wants("without CSRF none does", 403, "POST", path+"/approve", edits, auth.CSRFHeader, "")
		r.wants("ours does", 200, "POST", path+"/approve", edits)
		tokens := r.poll(codes.DeviceCode)
		if w := r.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusOK {
			t.Errorf("the device: %d %s", w.Code, w.Body)
		}
		r.wants("signing out leaves the devices of a key", 200, "DELETE", "/api/v1/session", "")
		r.pass(5 * time.Second)
		if w := r.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusOK {
			t.Errorf("the device after signing out: %d", w.Code)
		}
		r.tokens["of the device"] = tokens.AccessToken
		r.signsIn("of the device")
		r.wants("a device's session approves none", 403, "GET", "/api/v1/device/"+r.codes().UserCode, "")
	})
}

func TestTheRootLeadsPeopleToTheConsole(t *testing.T) {
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	for accept, want := range map[string]int{"text/html,application/xhtml+xml,*/*;q=0.8": 302, "application/json": 404, "*/*": 404, "": 404} {
		w := a.send(step{method: "GET", path: "//", as: "nobody", header: map[string]string{"Accept": accept}})
		if w.Code != want || want == 302 && w.Header().Get("Location") != "/console/" {
			t.Errorf("Accept %q: %d %s", accept, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestTheConsoleBelowAPrefix(t *testing.T) {
	a := onEmbedded(t, func(c *Config) { c.PublicURL = "https://intranet.example.com/tools/mooring" })
	a.tokens["nobody"] = ""
	for path, want := range map[string]string{"//": "/tools/mooring/console/", "//console/signin": "/tools/mooring/console/?signin=provider_unavailable"} {
		w := a.send(step{method: "GET", path: path, as: "nobody", header: map[string]string{"Accept": "text/html"}})
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}

func TestWithoutAProviderPeopleSignInWithKeys(t *testing.T) {
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	a.run(t, []step{
		{name: "the method", method: "GET", path: "/api/v1/session", as: "nobody", status: 200, holds: `{"methods":["key"]}`},
		{name: "no provider", method: "GET", path: "//console/signin", as: "nobody", status: 303},
		{name: "nothing comes back", method: "GET", path: "//console/signed-in?state=x&code=y", as: "nobody", status: 303},
	})
}

// A person cannot fill the storage with sessions: signing in has a rate.
func TestSigningInHasARate(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		const perMinute = 30
		begun := 0
		for range 200 {
			clear(r.cookies)
			w := r.browse("POST", "/api/v1/session", `{"token":"`+r.tokens["editor"]+`"}`)
			switch {
			case w.Code == http.StatusOK:
				begun++
			case w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"rate_limited"`):
				t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		if begun < perMinute || begun >= 100 {
			t.Errorf("%d of 200 sessions were begun", begun)
		}
		if w := r.browse("POST", "/api/v1/session", `{"token":"`+r.tokens["viewer"]+`"}`); w.Code != http.StatusOK {
			t.Errorf("somebody else: %d %s", w.Code, w.Body)
		}
	})
}
