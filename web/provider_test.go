package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/storagetest"
	"mooring/web/oidc"
)

// providerRig is a server that people reach at an address, and a real provider of identities that knows it: oidc-provider, run by node.
type providerRig struct {
	*api
	t      *testing.T
	base   string // the server's address
	issuer string
}

// startProvider runs the provider until the test ends, and returns its issuer.
func startProvider(t *testing.T, callback string) string {
	t.Helper()
	const module = "node_modules/oidc-provider"
	if _, err := os.Stat(module); err != nil {
		if os.Getenv("MOORING_TEST_REQUIRE") != "" {
			t.Fatalf("needs %s: run npm ci in web", module)
		}
		t.Skipf("needs %s", module)
	}
	cmd := exec.CommandContext(t.Context(), "node", "oidc/testdata/provider.mjs", callback)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context has ended it
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// newProviderRig starts both. The provider knows the server's callback at publicURL; change changes what the server knows of the provider.
func newProviderRig(t *testing.T, store *storage.Store, change ...func(*oidc.Config)) *providerRig {
	t.Helper()
	r := &providerRig{t: t}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.sut.ServeHTTP(w, q) }))
	t.Cleanup(front.Close)
	r.base = front.URL
	r.issuer = startProvider(t, r.base+callbackPath)
	cfg := oidc.Config{
		Issuer: r.issuer, ClientID: "mooring", ClientSecret: "a secret of the client", TenantClaim: "tenant",
		Actions: map[string][]string{"finance": {"ReportEdit", "WorkbookEdit"}, "staff": {"ReportRead"}},
		Roles:   map[string][]int64{"finance": {7}},
	}
	for _, f := range change {
		f(&cfg)
	}
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	provider := oidc.New(cfg)
	provider.Run(t.Context(), slog.New(slog.DiscardHandler))
	r.api = newAPI(t, store, func(c *Config) { c.PublicURL, c.Provider = r.base, provider })
	return r
}

// visitor is a person's browser.
type visitor struct {
	t   *testing.T
	rig *providerRig
	jar http.CookieJar
}

func (r *providerRig) visitor() *visitor {
	jar, _ := cookiejar.New(nil) // without options nothing can be wrong with them
	return &visitor{t: r.t, rig: r, jar: jar}
}

// visit sends a request and follows no redirect but those within the provider.
func (v *visitor) visit(method, address string, form url.Values, header ...string) (*http.Response, string) {
	v.t.Helper()
	client := &http.Client{Jar: v.jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), v.rig.issuer) {
			return nil
		}
		return http.ErrUseLastResponse
	}}
	req, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp, string(text)
}

// begins asks our server for the way to the provider, and returns its address there.
func (v *visitor) begins(next string) *url.URL {
	v.t.Helper()
	address := v.rig.base + signInPath
	if next != "" {
		address += "?next=" + url.QueryEscape(next)
	}
	client := &http.Client{Jar: v.jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		v.t.Fatalf("%d: %v", resp.StatusCode, err)
	}
	return to
}

var providerForm = regexp.MustCompile(`<form[^>]*action="([^"]*)"`)

// identifies lets the person sign in at the provider and consent, and returns the address of ours to which the provider sends them back.
func (v *visitor) identifies(at *url.URL, name string) string {
	v.t.Helper()
	resp, page := v.visit("GET", at.String(), nil)
	for resp.StatusCode == http.StatusOK {
		action := providerForm.FindStringSubmatch(page)
		if action == nil {
			v.t.Fatalf("no form: %s", page)
		}
		prompt := "login"
		if strings.Contains(page, `value="consent"`) {
			prompt = "consent"
		}
		to, err := resp.Request.URL.Parse(action[1])
		if err != nil {
			v.t.Fatal(err)
		}
		resp, page = v.visit("POST", to.String(), url.Values{"prompt": {prompt}, "login": {name}, "password": {"any"}})
	}
	back := resp.Header.Get("Location")
	if !strings.HasPrefix(back, v.rig.base+callbackPath+"?") {
		v.t.Fatalf("%d %s: %s", resp.StatusCode, back, page)
	}
	return back
}

// returns follows the way back and returns the page to which it leads.
func (v *visitor) returns(back string, header ...string) string {
	v.t.Helper()
	resp, text := v.visit("GET", back, nil, header...)
	if resp.StatusCode != http.StatusSeeOther {
		v.t.Errorf("the way back: %d %s", resp.StatusCode, text)
	}
	return resp.Header.Get("Location")
}

// signsIn goes all the way.
func (v *visitor) signsIn(name string) (page string) {
	v.t.Helper()
	return v.returns(v.identifies(v.begins(""), name))
}

// cookies is the header that the browser sends to our server.
func (v *visitor) cookies() string {
	v.t.Helper()
	ours, err := url.Parse(v.rig.base)
	if err != nil {
		v.t.Fatal(err)
	}
	var list []string
	for _, c := range v.jar.Cookies(ours) {
		list = append(list, c.Name+"="+c.Value)
	}
	return strings.Join(list, "; ")
}

// me is who the browser is signed in as; status 401: nobody.
func (v *visitor) me() (who me, status int) {
	v.t.Helper()
	resp, text := v.visit("GET", v.rig.base+"/api/v1/me", nil, "Sec-Fetch-Site", "same-origin")
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal([]byte(text), &who); err != nil {
			v.t.Fatalf("%v: %s", err, text)
		}
	}
	return who, resp.StatusCode
}

func TestSigningInByAProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		r := newProviderRig(t, s)
		r.tokens["nobody"] = ""
		r.run(t, []step{{name: "the methods", method: "GET", path: "/api/v1/session", as: "nobody", status: 200, holds: `{"methods":["key","oidc"]}`}})
		ana := r.visitor()
		way := ana.begins("/console/device?user_code=BCDF-GHJK")
		q := way.Query()
		if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("nonce") == "" || q.Get("state") == "" || q.Get("scope") != "openid profile email groups" {
			t.Errorf("the way to the provider: %s", way)
		}
		if page := ana.returns(ana.identifies(way, "ana")); page != "/console/device?user_code=BCDF-GHJK" {
			t.Errorf("leads to %s", page)
		}
		who, status := ana.me()
		if status != 200 || who.Tenant != "acme" || who.User.Name != "Ana" || who.User.Email != "ana@example.com" || who.User.ID <= 1<<40 ||
			strings.Join(who.Actions, " ") != "ReportEdit ReportRead WorkbookEdit" || who.CSRF == "" {
			t.Errorf("%d %+v", status, who)
		}
		again := r.visitor()
		again.signsIn("ana")
		una := r.visitor()
		una.signsIn("una")
		sameUser, _ := again.me()
		other, _ := una.me()
		if sameUser.User.ID != who.User.ID || other.User.ID == who.User.ID || other.User.ID <= 1<<40 || other.User.Email != "" {
			t.Errorf("ana %d, again %d, una %+v, whose email is not verified", who.User.ID, sameUser.User.ID, other.User)
		}
	})
}

func TestWhomTheProviderDoesNotLetIn(t *testing.T) {
	r := newProviderRig(t, storagetest.Open(t, storagetest.Redis(t)))
	nick := r.visitor()
	if page := nick.signsIn("nick"); page != "/console/?signin=no_group" {
		t.Errorf("a person of no group: %s", page)
	}
	olga := r.visitor()
	back := olga.identifies(olga.begins(""), "olga")
	if page := olga.returns(back, "Host", "acme.example.com", "Cookie", olga.cookies()); page != "/console/?signin=refused" {
		t.Errorf("a person of another tenant than the host's: %s", page)
	}
	for _, v := range []*visitor{nick, olga} {
		if _, status := v.me(); status != 401 {
			t.Errorf("signed in nevertheless: %d", status)
		}
	}
	ana := r.visitor()
	denied := ana.begins("").Query()
	if page := ana.returns(r.base + callbackPath + "?error=access_denied&state=" + denied.Get("state")); page != "/console/?signin=denied" {
		t.Errorf("a denial: %s", page)
	}
}

func TestAttacksOnTheWayBack(t *testing.T) {
	r := newProviderRig(t, storagetest.Open(t, storagetest.Redis(t)))
	const expired = "/console/?signin=expired"
	ana, eve := r.visitor(), r.visitor()
	back := ana.identifies(ana.begins(""), "ana")
	if page := eve.returns(back); page != expired {
		t.Errorf("another browser with ana's state and code: %s", page)
	}
	if page := ana.returns(back); page != expired {
		t.Errorf("the state was used up: %s", page)
	}
	back = ana.identifies(ana.begins(""), "ana")
	if page := ana.returns(back); page != consolePath {
		t.Fatalf("sign in: %s", page)
	}
	if page := ana.returns(back); page != expired {
		t.Errorf("the way back once more: %s", page)
	}
	// Eve's own code under a state of ana's browser: she would act in eve's account.
	victim := r.visitor()
	state := victim.begins("").Query().Get("state")
	code := mustQuery(t, eve.identifies(eve.begins(""), "una")).Get("code")
	if page := victim.returns(r.base + callbackPath + "?" + url.Values{"state": {state}, "code": {code}}.Encode()); page != "/console/?signin=refused" {
		t.Errorf("a code of another sign-in: %s", page)
	}
	if page := victim.returns(r.base + callbackPath + "?state=&code=x"); page != expired {
		t.Errorf("no state: %s", page)
	}
	if _, status := victim.me(); status != 401 {
		t.Errorf("the victim is signed in: %d", status)
	}
	for _, next := range []string{
		"https://evil.example/console/", "//evil.example/console/", `/\evil.example`, "/console/../api/v1/me", "/consoles", "javascript:alert(1)", "/console/%0d%0aX: y",
	} {
		v := r.visitor()
		if page := v.returns(v.identifies(v.begins(next), "ana")); page != consolePath && !strings.HasPrefix(page, "/console/%0d%0a") {
			t.Errorf("next=%s leads to %s", next, page)
		}
	}
}

// A Host header that the request made up stands in no address that the provider is given.
func TestTheHostHeaderDoesNotMoveTheWayBack(t *testing.T) {
	r := newProviderRig(t, storagetest.Open(t, "embedded"))
	for _, host := range []string{"evil.example", "acme.example.com"} {
		w := r.send(step{method: "GET", path: "//console/signin", header: map[string]string{"Host": host, "X-Forwarded-Host": "evil.example"}})
		to, err := url.Parse(w.Header().Get("Location"))
		if err != nil || to.Query().Get("redirect_uri") != r.base+callbackPath || !strings.HasPrefix(to.String(), r.issuer) {
			t.Errorf("Host %s: %d %s", host, w.Code, to)
		}
	}
}

// What was approved with a session that has no key ends with it.
func TestDevicesOfASignInEndWithIt(t *testing.T) {
	r := newProviderRig(t, storagetest.Open(t, storagetest.Redis(t)))
	ana := r.visitor()
	ana.signsIn("ana")
	who, _ := ana.me()
	page := newSessionRig(t, r.api)
	_, page.cookies["mooring"], _ = strings.Cut(ana.cookies(), "mooring=")
	page.csrf = who.CSRF
	codes := page.codes()
	page.wants("approve", 200, "POST", "/api/v1/device/"+codes.UserCode+"/approve", edits)
	tokens := page.poll(codes.DeviceCode)
	if w := page.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != 200 {
		t.Errorf("the device: %d %s", w.Code, w.Body)
	}
	page.wants("sign out", 200, "DELETE", "/api/v1/session", "")
	page.pass(5 * time.Second)
	if w := page.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != 401 {
		t.Errorf("the device after the sign-out: %d", w.Code)
	}
}

func TestAClaimOfTheUID(t *testing.T) {
	r := newProviderRig(t, storagetest.Open(t, "embedded"), func(c *oidc.Config) { c.UIDClaim = "employee" })
	ana := r.visitor()
	ana.signsIn("ana")
	if who, _ := ana.me(); who.User.ID != 41 {
		t.Errorf("%+v", who.User)
	}
	una := r.visitor()
	if page := una.signsIn("una"); page != "/console/?signin=refused" {
		t.Errorf("a person without the claim: %s", page)
	}
}

// An issuer that does not answer at the start is found when it does; keys work meanwhile.
func TestAnIssuerThatAnswersLate(t *testing.T) {
	t.Parallel()
	late := http.NewServeMux()
	issuer := httptest.NewServer(late)
	defer issuer.Close()
	provider := oidc.New(oidc.Config{Issuer: issuer.URL, ClientID: "mooring", TenantClaim: "tenant"})
	a := onEmbedded(t, func(c *Config) { c.Provider = provider })
	a.tokens["nobody"] = ""
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	asked, up := make(chan struct{}, 100), make(chan struct{})
	late.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		select {
		case <-up:
			_, _ = io.WriteString(w, `{"issuer":"`+issuer.URL+`","authorization_endpoint":"`+issuer.URL+`/a","token_endpoint":"`+issuer.URL+`/t","jwks_uri":"`+issuer.URL+`/k"}`)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	ended := make(chan struct{})
	running.Go(func() {
		provider.Run(ctx, slog.New(slog.DiscardHandler))
		close(ended)
	})
	<-asked
	a.run(t, []step{
		{name: "keys only", method: "GET", path: "/api/v1/session", as: "nobody", status: 200, holds: `{"methods":["key"]}`},
		{name: "a key signs in", method: "POST", path: "/api/v1/session", as: "nobody", body: `{"token":"` + a.tokens["editor"] + `"}`, status: 200},
		{name: "nobody is sent away", method: "GET", path: "//console/signin", as: "nobody", status: 303},
	})
	close(up)
	<-ended
	a.run(t, []step{
		{name: "both", method: "GET", path: "/api/v1/session", as: "nobody", status: 200, holds: `{"methods":["key","oidc"]}`},
		{name: "people are sent", method: "GET", path: "//console/signin", as: "nobody", status: 302},
	})
}

func mustQuery(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
