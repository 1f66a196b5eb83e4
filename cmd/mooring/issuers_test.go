package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"mooring/storage/storagetest"
	"mooring/web/oidc/oidcfake"
)

const (
	acmesDirectory = "11111111-2222-4333-8444-555555555555"
	otherDirectory = "99999999-8888-4777-8666-555555555555"
)

// issuersSite is the built program, which two issuers of identities know.
type issuersSite struct {
	t               *testing.T
	base            string
	directory, mail *oidcfake.Issuer
}

func newIssuersSite(t *testing.T) *issuersSite {
	t.Helper()
	address := storagetest.FreeAddr(t)
	s := &issuersSite{t: t, base: "http://" + address}
	issuers := oidcfake.Start(t, s.base+"/console/signed-in", "/{tid}/v2.0", "/mail")
	s.directory, s.mail = issuers[0], issuers[1]
	s.mail.Signs = true
	config := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, config, strings.NewReplacer("$BASE", s.base, "$DIRECTORY", s.directory.URL, "$MAIL", s.mail.URL, "$SECRET", s.mail.ClientSecret,
		"$LISTEN", address).Replace(`
listen: $LISTEN
publicURL: $BASE
redis: embedded
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants: {acme: {deployments: {1: {}}}}
oidc:
  issuers:
    - name: Acme's directory
      issuer: $DIRECTORY
      clientId: mooring
      clientSecret: $SECRET
      tenants: {`+acmesDirectory+`: acme}
      subject: oid
      from: roles
      actions: {Reports.Edit: [ReportEdit]}
    - name: Mail
      issuer: $MAIL
      clientId: mooring
      clientSecret: $SECRET
      tenants: {acme.com: acme}
      from: email
      actions: {"*@acme.com": [ReportRead], boss@acme.com: [All]}
      everyone: [WorkbookRead]
`))
	server := start(t, "serve", "--config", config, "--agent=false")
	server.waitFor("msg=serving")
	client := apiClient{base: s.base}
	for ready := 0; ready < 2; {
		var answer struct{ Issuers []any }
		if err := client.do(t.Context(), "GET", "/api/v1/session", nil, &answer); err != nil {
			t.Fatal(err)
		}
		ready = len(answer.Issuers)
	}
	return s
}

// signsIn lets a person sign in by an issuer in a browser of their own, and returns the page to which that leads and who they are there.
func (s *issuersSite) signsIn(by *oidcfake.Issuer, claims map[string]any) (page, email, actions string) {
	s.t.Helper()
	by.Vouch(claims)
	jar, _ := cookiejar.New(nil) // without options nothing can be wrong with them
	client := &http.Client{Jar: jar}
	get := func(address string) *http.Response {
		answer, err := client.Get(address)
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	page = strings.TrimPrefix(get(s.base+"/console/signin?"+url.Values{"issuer": {by.URL}}.Encode()).Request.URL.String(), s.base)
	var who struct {
		User    struct{ Email string }
		Actions []string
	}
	if err := json.NewDecoder(get(s.base + "/api/v1/me").Body).Decode(&who); err != nil {
		s.t.Fatal(err)
	}
	return page, who.User.Email, strings.Join(who.Actions, " ")
}

func TestServeSignsPeopleInBySeveralIssuers(t *testing.T) {
	t.Parallel()
	s := newIssuersSite(t)
	for fact, tt := range map[string]struct {
		by     *oidcfake.Issuer
		claims map[string]any
		want   string
	}{
		"an app role": {
			s.directory,
			map[string]any{"tid": acmesDirectory, "sub": "1", "oid": "a", "preferred_username": "ana@acme.com", "roles": []string{"Reports.Edit"}},
			"/console/ ana@acme.com ReportEdit",
		},
		"none":                        {s.directory, map[string]any{"tid": acmesDirectory, "sub": "1", "oid": "b"}, "/console/?signin=no_group  "},
		"another directory":           {s.directory, map[string]any{"tid": otherDirectory, "sub": "1", "oid": "c", "roles": "Reports.Edit"}, "/console/?signin=tenant  "},
		"an email":                    {s.mail, map[string]any{"hd": "acme.com", "sub": "2", "email": "Boss@acme.com", "email_verified": true}, "/console/ Boss@acme.com All ReportRead WorkbookRead"},
		"an email that is not theirs": {s.mail, map[string]any{"hd": "acme.com", "sub": "3", "email": "boss@acme.com", "email_verified": false}, "/console/  WorkbookRead"},
		"another domain":              {s.mail, map[string]any{"hd": "evil.example", "sub": "4", "email": "boss@acme.com", "email_verified": true}, "/console/?signin=domain  "},
		"in another issuer's name":    {s.mail, map[string]any{"iss": s.directory.URL, "hd": "acme.com", "sub": "2"}, "/console/?signin=refused  "},
	} {
		page, email, actions := s.signsIn(tt.by, tt.claims)
		if got := page + " " + email + " " + actions; got != tt.want {
			t.Errorf("%s: %q, want %q", fact, got, tt.want)
		}
	}
}

// A person chooses between two issuers, and is told on the page why the first does not let them in.
func TestConsoleOffersSeveralIssuers(t *testing.T) {
	t.Parallel()
	s := newIssuersSite(t)
	p := newPage(t)
	p.size(1280, 800)
	p.allow("status of 401") // of who is not signed in yet
	p.eval(`location.assign("` + s.base + `/console/#/1/reports")`)
	p.shows("Sign in with Mail")
	p.shows("One signs in here with ")
	p.looksRight("sign-in")
	s.directory.Vouch(map[string]any{
		"tid": acmesDirectory, "sub": "1", "oid": "a", "groups": []string{"secret-group"}, "roles": []string{"Reports.Secret"},
	})
	p.click("Sign in with Acme's directory")
	p.shows("You are in no group, and have no app role, that this account lets in")
	if said := p.text("main"); strings.Contains(said, "Secret") || strings.Contains(said, "Reports.Edit") {
		t.Errorf("the page says whom it lets in: %s", said)
	}
	p.looksRight("refused")
	p.size(1280, 800)
	s.mail.Vouch(map[string]any{"hd": "acme.com", "sub": "2", "email": "boss@acme.com", "email_verified": true, "name": "Bea Boss"})
	p.click("Sign in with Mail")
	p.click("Signed in as Bea Boss")
	p.click("Sign out")
	p.shows("Sign in with Mail")
	p.eval(`location.assign("` + s.base + `/console/device?user_code=BCDF-GHJK")`)
	p.shows("Sign in with Acme's directory")
	p.looksRight("device")
	p.click("Sign in with Mail")
	p.shows("As the device shows it. Continue")
	if got := evalAs[string](p, "location.search"); got != "?user_code=BCDF-GHJK" {
		t.Errorf("after signing in the page has %q", got)
	}
}

// Each refusal says what decided, and what to do.
func TestConsoleSaysWhyASignInIsRefused(t *testing.T) {
	t.Parallel()
	s := newIssuersSite(t)
	p := newPage(t)
	p.allow("status of 401") // of who is not signed in
	for code, says := range map[string][]string{
		"no_group":         {"in the claims groups and roles", "Ask who runs this service to let in one of yours."},
		"groups_overage":   {"The token lists no groups (more than 200): use app roles.", "ask who runs this service to go by app roles"},
		"domain":           {"in the claims hd and email", "Sign out at your provider and sign in with your work account"},
		"email_unverified": {"email_verified, of Entra ID xms_edov", "Ask who runs your provider to verify it."},
		"tenant":           {"Entra ID in tid", "Sign out at your provider and sign in with your work account"},
	} {
		p.eval(fmt.Sprintf(`location.assign(%q)`, s.base+"/console/?signin="+code))
		for _, words := range says {
			p.shows(words)
		}
		p.looksRight(code)
	}
}
