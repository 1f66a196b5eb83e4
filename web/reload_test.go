package web

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/oidc"
)

// ring returns a keyring of HS256 keys, each with a secret of its own.
func ring(t *testing.T, ids ...string) *auth.Keyring {
	t.Helper()
	var keys []auth.TokenKey
	for _, id := range ids {
		keys = append(keys, auth.TokenKey{ID: id, Algorithm: "HS256", Secret: secretOf(id)})
	}
	k, err := auth.NewKeyring("mooring", keys)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// secretOf is the secret of the key with an id.
func secretOf(id string) []byte {
	if id == "main" {
		return secret
	}
	return []byte("the secret of another key: " + id + ", which is long enough")
}

// status is that of a request for who the caller is.
func (r *pairingRig) status(token string) int {
	r.t.Helper()
	return r.asks(token, "GET", "/api/v1/me").Code
}

func TestWhatAKeyThatWasRemovedVouchedFor(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		device := r.paired("editor", edits)
		r.signsIn("editor")
		r.server.Reload(Rules{Keys: ring(t, "second", "main")})
		renewed := r.renew(device.RefreshToken)
		if renewed.status != http.StatusOK || r.status(renewed.AccessToken) != http.StatusOK || r.status(r.tokens["editor"]) != http.StatusOK {
			t.Fatal("a key that was added ended what the first vouched for")
		}
		r.wants("the session goes on", http.StatusOK, "GET", "/api/v1/me", "")
		fresh, _, err := ring(t, "second").Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 1}}, r.server.now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.server.Reload(Rules{Keys: ring(t, "second")})
		for fact, token := range map[string]string{
			"its token": r.tokens["editor"], "a device's token that it signed": device.AccessToken,
			"a device's token that another key signed": renewed.AccessToken,
		} {
			if status := r.status(token); status != http.StatusUnauthorized {
				t.Errorf("%s: %d", fact, status)
			}
		}
		if again := r.renew(device.RefreshToken); again.Error != "invalid_grant" {
			t.Errorf("its refresh token: %+v", again)
		}
		if status := r.status(fresh); status != http.StatusOK {
			t.Errorf("a token of the other key: %d", status)
		}
		r.wants("its session", http.StatusUnauthorized, "GET", "/api/v1/me", "")
	})
}

// A secret that leaked and was replaced under the id of its key is a key that was removed.
func TestWhatAKeyVouchedForThatHasAnotherSecretNow(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		device := r.paired("editor", edits)
		r.signsIn("editor")
		r.server.Reload(Rules{Keys: ring(t, "second", "main")})
		renewed := r.renew(device.RefreshToken)
		if renewed.status != http.StatusOK || r.status(renewed.AccessToken) != http.StatusOK {
			t.Fatal("a key that was added ended what the first vouched for")
		}
		keys, err := auth.NewKeyring("mooring", []auth.TokenKey{
			{ID: "second", Algorithm: "HS256", Secret: secretOf("second")}, {ID: "main", Algorithm: "HS256", Secret: secretOf("replaced")},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.server.Reload(Rules{Keys: keys})
		if status := r.status(renewed.AccessToken); status != http.StatusUnauthorized {
			t.Errorf("a device that was approved with a token of the secret before: %d", status)
		}
		if again := r.renew(renewed.RefreshToken); again.Error != "invalid_grant" {
			t.Errorf("it goes on renewing tokens that are refused: %+v", again)
		}
		r.wants("a session of the secret before", http.StatusUnauthorized, "GET", "/api/v1/me", "")
	})
}

func TestAStreamEndsWithTheKeyOfItsToken(t *testing.T) {
	t.Parallel()
	withEngine(t, func(t *testing.T, a *api) {
		l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5, Actions: []string{"ReportRead"}}})
		s := a.stream(t, "leaver", "")
		if line := <-s.lines; line != ": connected" {
			t.Fatalf("the stream begins with %q", line)
		}
		a.server.Reload(Rules{Keys: ring(t, "second")})
		l.pass(5 * time.Second)
		s.ended()
	})
}

func TestRulesChangeUnderRequests(t *testing.T) {
	a := onEmbedded(t)
	server := httptest.NewServer(a.sut)
	defer server.Close()
	var stop atomic.Bool
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !stop.Load() {
				r, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/v1/deployments/1/reports", nil)
				r.Header.Set("Authorization", "Bearer "+a.tokens["viewer"])
				answer, err := http.DefaultClient.Do(r)
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("%v, %v", answer, err)
					return
				}
				answer.Body.Close()
			}
		})
	}
	for n := range 300 {
		a.server.Reload(Rules{Keys: ring(t, fmt.Sprint("key", n), "main"), RatePerMinute: 1_000_000 + n, Origins: auth.Origins{"https://a.example.com"}})
		a.send(step{method: "GET", path: "/reports", as: "editor"})
	}
	stop.Store(true)
	clients.Wait()
}

func TestRatesAndOriginsChange(t *testing.T) {
	a := onEmbedded(t)
	ask := step{method: "GET", path: "/reports", header: map[string]string{"Origin": "https://a.example.com"}}
	a.server.Reload(Rules{Keys: a.keys, RatePerMinute: 7, Origins: auth.Origins{"https://a.example.com"}})
	h := a.send(ask).Header()
	if h.Get("Access-Control-Allow-Origin") == "" || !strings.Contains(h.Get("RateLimit-Policy"), "q=7;") {
		t.Errorf("the rules are not in force: %v", h)
	}
	a.server.Reload(Rules{Keys: a.keys})
	h = a.send(ask).Header()
	if h.Get("Access-Control-Allow-Origin") != "" || h.Get("RateLimit-Policy") != "" {
		t.Errorf("the rules are still in force: %v", h)
	}
}

const otherIssuer = "https://login.example.com"

// publisher is another issuer, whose keys a server publishes.
type publisher struct {
	t    *testing.T
	key  ed25519.PrivateKey
	url  string
	away atomic.Bool
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &publisher{t: t, key: key}
	x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if p.away.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"main","use":"sig","x":%q}]}`, x)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// token signs the claims of a good token with changes; a nil takes a claim away.
func (p *publisher) token(changes map[string]any) string {
	p.t.Helper()
	claims := jwt.MapClaims{
		"iss": otherIssuer, "aud": "mooring", "sub": "ana", "jti": "a.jti/1", "exp": time.Now().Add(time.Hour).Unix(),
		"tenant": "other", "actions": []string{"All"}, "email": "ana@example.com", "email_verified": true, "name": "Ana",
	}
	for name, v := range changes {
		claims[name] = v
		if v == nil {
			delete(claims, name)
		}
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	t.Header["kid"] = "main"
	token, err := t.SignedString(p.key)
	if err != nil {
		p.t.Fatal(err)
	}
	return token
}

func (p *publisher) issuer(change ...func(*oidc.IssuerConfig)) *oidc.Issuer {
	c := oidc.IssuerConfig{
		URL: p.url, Issuer: otherIssuer, Audience: "mooring", Tenant: "acme", Deployments: []int64{1}, Actions: []string{"ReportEdit"},
	}
	for _, f := range change {
		f(&c)
	}
	return oidc.NewIssuer(c, slog.New(slog.DiscardHandler))
}

// refusal is the status and the message of the answer to a token.
func (r *pairingRig) refusal(token string) string {
	r.t.Helper()
	w := r.asks(token, "GET", "/api/v1/me")
	var said struct{ Message string }
	_ = json.Unmarshal(w.Body.Bytes(), &said)
	return fmt.Sprint(w.Code, " ", said.Message)
}

func TestTokensOfAnotherIssuer(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		p := newPublisher(t)
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
		good := p.token(nil)
		r.tokens["ana"] = good
		r.run(t, []step{
			{
				name: "its bearer is of the configured tenant and may do what is configured", method: "GET", path: "/api/v1/me", as: "ana", status: 200,
				holds: `{"tenant":"acme","actions":["ReportEdit"],"deployments":[{"id":1}],"user":{"email":"ana@example.com","name":"Ana"}}`,
			},
			{name: "it writes", method: "POST", path: "/reports", as: "ana", body: aReport, status: 200},
			{name: "it does no more than is configured", method: "PUT", path: "/api/v1/tenant/settings", as: "ana", body: `{}`, status: 403},
			{name: "it is not for other deployments", method: "GET", path: "/api/v1/deployments/2/reports", as: "ana", status: 403},
		})
		ours, _, err := otherRing(t, otherIssuer).Sign(auth.Caller{Tenant: "acme"}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for fact, tt := range map[string]struct{ token, message string }{
			"our key for its issuer": {ours, "401 This is no good token of https://login.example.com"},
			"its key for our issuer": {p.token(map[string]any{"iss": "mooring", "tenant": "acme"}), "401 The token is malformed"},
			"an unknown issuer":      {p.token(map[string]any{"iss": "https://evil.example.com"}), "401 The token is malformed"},
			"another audience":       {p.token(map[string]any{"aud": "else"}), "401 This is no good token"},
			"a jti with a space":     {p.token(map[string]any{"jti": "a b"}), "401 This token of https://login.example.com is refused: what would name it"},
		} {
			if got := r.refusal(tt.token); !strings.HasPrefix(got, tt.message) {
				t.Errorf("%s: %s", fact, got)
			}
		}
	})
}

// A token without a jti is revoked by what stands in its place: its uti, or the digest of what it signs.
func TestTokensOfAnotherIssuerWithoutAJTI(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		p := newPublisher(t)
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
		uti := p.token(map[string]any{"jti": nil, "uti": "zKk9mJ2r-T0_aA"})
		none, own, kept := p.token(map[string]any{"jti": nil}), p.token(map[string]any{"jti": nil, "sub": "bo"}), p.token(map[string]any{"jti": nil, "sub": "cy"})
		sum := sha256.Sum256([]byte(none[:strings.LastIndexByte(none, '.')]))
		r.tokens["bo"] = own
		r.run(t, []step{
			{name: "by its uti", method: "POST", path: "/api/v1/revocations", as: "admin", body: `{"jti":"zKk9mJ2r-T0_aA"}`, status: 200},
			{name: "by its digest", method: "POST", path: "/api/v1/revocations", as: "admin", body: fmt.Sprintf(`{"jti":"%x"}`, sum), status: 200},
			{name: "by all of it", method: "POST", path: "/api/v1/revocations", as: "bo", body: `{"token":"` + own + `"}`, status: 200},
		})
		r.pass(5 * time.Second)
		for fact, token := range map[string]string{"by its uti": uti, "by its digest": none, "by all of it": own} {
			if got := r.refusal(token); !strings.HasPrefix(got, "401 This token was revoked") {
				t.Errorf("revoked %s: %s", fact, got)
			}
		}
		if status := r.status(kept); status != http.StatusOK {
			t.Errorf("another one: %d", status)
		}
		respelled := none[:10] + "\\n" + none[10:]
		if w := r.browse("POST", "/api/v1/session", `{"token":"`+respelled+`"}`); w.Code != http.StatusUnauthorized {
			t.Errorf("revoked, in another spelling: %d %s", w.Code, w.Body)
		}
	})
}

// A person whose token has the jti of somebody else's, which another issuer gave it, revokes their own; who may revoke any names a jti alone.
func TestATokenOfAnotherIssuerRevokesNobodyElses(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		p := newPublisher(t)
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
		now := time.Now()
		r.server.now = func() time.Time { return now }
		sign := func(jti string) string { return p.token(map[string]any{"jti": jti, "sub": "eve" + jti}) }
		ours, jti, err := r.keys.Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 5, Actions: []string{"All"}}}, now, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.tokens["boss"], r.tokens["eve"] = ours, sign(jti)
		device := r.paired("boss", edits)
		both := map[string]string{"her own jti": `{"jti":"` + jti + `"}`, "all of her own": `{"token":"` + sign(jti) + `"}`}
		for fact, body := range both {
			if w := r.send(step{method: "POST", path: "/api/v1/revocations", as: "eve", body: body}); w.Code >= 300 && w.Code != http.StatusUnauthorized ||
				strings.Contains(w.Body.String(), otherIssuer+" ") {
				t.Errorf("%s: %d %s", fact, w.Code, w.Body)
			}
		}
		now = now.Add(5 * time.Second)
		for token, want := range map[string]int{
			ours: http.StatusOK, device.AccessToken: http.StatusOK, sign(jti): http.StatusUnauthorized, sign("x"): http.StatusOK,
		} {
			if got := r.status(token); got != want {
				t.Errorf("after eve has revoked her own: %d, want %d", got, want)
			}
		}
		long := strings.Repeat("x", 255)
		if w := r.send(step{method: "POST", path: "/api/v1/revocations", as: "boss", body: `{"jti":"` + long + `"}`}); w.Code >= 300 {
			t.Errorf("a jti of any issuer: %d %s", w.Code, w.Body)
		}
		now = now.Add(5 * time.Second)
		if got := r.status(sign(long)); got != http.StatusUnauthorized {
			t.Errorf("a token revoked by its jti alone: %d", got)
		}
	})
}

// otherRing returns a keyring of our key under another issuer's name.
func otherRing(t *testing.T, issuer string) *auth.Keyring {
	t.Helper()
	k, err := auth.NewKeyring(issuer, []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: secret}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSessionsAndDevicesOfAnotherIssuersTokens(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		p := newPublisher(t)
		with := Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}}
		r.server.Reload(with)
		r.tokens["ana"] = p.token(nil)
		r.signsIn("ana")
		if codes := r.codes(); r.decide("approve", codes.UserCode, "ana", `{"deployments":[1],"actions":["All"]}`) != http.StatusForbidden {
			t.Error("it granted a device more than it has")
		}
		device := r.paired("ana", edits)
		if r.status(device.AccessToken) != http.StatusOK {
			t.Error("the device cannot act")
		}
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer(func(c *oidc.IssuerConfig) { c.Actions = []string{"ReportRead"} })}})
		if status := r.status(device.AccessToken); status != http.StatusUnauthorized {
			t.Errorf("the device of an issuer whose tokens may do less now: %d", status)
		}
		r.wants("the session of an issuer whose tokens may do less now", http.StatusUnauthorized, "GET", "/api/v1/me", "")
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
		if status := r.status(device.AccessToken); status != http.StatusOK {
			t.Errorf("the device of an issuer whose entry is as it was: %d", status)
		}
		r.wants("the session of an issuer whose entry is as it was", http.StatusOK, "GET", "/api/v1/me", "")
		r.server.Reload(Rules{Keys: r.keys})
		if status := r.status(device.AccessToken); status != http.StatusUnauthorized {
			t.Errorf("the device of an issuer that was removed: %d", status)
		}
		if again := r.renew(device.RefreshToken); again.Error != "invalid_grant" {
			t.Errorf("it goes on renewing tokens that are refused: %+v", again)
		}
		r.wants("the session of an issuer that was removed", http.StatusUnauthorized, "GET", "/api/v1/me", "")
		r.server.Reload(with)
		r.run(t, []step{{
			name: "it revokes itself", method: "POST", path: "/api/v1/revocations", as: "ana", body: `{"token":"` + r.tokens["ana"] + `"}`, status: 200,
			holds: `{"jti":"a.jti/1"}`,
		}})
		r.pass(5 * time.Second)
		if got := r.refusal(r.tokens["ana"]); !strings.HasPrefix(got, "401 This token was revoked") {
			t.Errorf("revoked: %s", got)
		}
		if status := r.status(device.AccessToken); status != http.StatusUnauthorized {
			t.Errorf("the device of a token that was revoked: %d", status)
		}
		r.tokens["bo"] = p.token(map[string]any{"sub": "bo", "jti": "7"})
		r.run(t, []step{
			{name: "it is revoked by its jti", method: "POST", path: "/api/v1/revocations", as: "admin", body: `{"jti":"7"}`, status: 200},
			{name: "what cannot be a jti is refused", method: "POST", path: "/api/v1/revocations", as: "admin", body: `{"jti":"a b"}`, status: 400},
		})
		r.pass(5 * time.Second)
		if got := r.refusal(r.tokens["bo"]); !strings.HasPrefix(got, "401 This token was revoked") {
			t.Errorf("revoked by its jti: %s", got)
		}
	})
}

// What was begun with a token of another issuer before ids named issuers ends with the token too, and nothing else does that has its jti.
func TestWhatWasBegunBeforeIdsNamedIssuers(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		p := newPublisher(t)
		r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
		r.tokens["ana"] = p.token(nil)
		before := map[string]string{} // cookies of sessions
		for _, as := range []string{"ana", "editor"} {
			caller, err := r.server.gate.Verify(t.Context(), r.tokens[as], r.server.now())
			if err != nil {
				t.Fatal(err)
			}
			old := *caller
			old.TokenID = "a.jti/1"
			if before[as], err = r.server.gate.Sessions().Begin(t.Context(), &old); err != nil {
				t.Fatal(err)
			}
		}
		device := r.paired("ana", edits)
		caller, err := r.keys.Verify(device.AccessToken, r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		d, found, err := r.store.Tenants().Device(t.Context(), "acme", caller.Device)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		d.Approver = "a.jti/1"
		if saved, err := r.store.Tenants().SaveDevice(t.Context(), d); err != nil || !saved {
			t.Fatal(saved, err)
		}
		device = r.renew(device.RefreshToken)
		asks := func(as string) int {
			return r.browse("GET", "/api/v1/me", "", "Cookie", "mooring="+before[as]).Code
		}
		if ana, device := asks("ana"), r.status(device.AccessToken); ana != http.StatusOK || device != http.StatusOK {
			t.Fatalf("before: the session %d, the device %d", ana, device)
		}
		r.run(t, []step{{
			name: "it revokes itself", method: "POST", path: "/api/v1/revocations", as: "ana", body: `{"token":"` + r.tokens["ana"] + `"}`, status: 200,
		}})
		r.pass(5 * time.Second)
		if ana, own := asks("ana"), asks("editor"); ana != http.StatusUnauthorized || own != http.StatusOK {
			t.Errorf("the session: %d; that of a token of ours with that jti: %d", ana, own)
		}
		if status := r.status(device.AccessToken); status != http.StatusUnauthorized {
			t.Errorf("the device: %d", status)
		}
		if again := r.renew(device.RefreshToken); again.Error != "invalid_grant" {
			t.Errorf("it is renewed: %+v", again)
		}
		r.run(t, []step{{
			name: "the audit names the token as the list does", method: "GET", path: "/api/v1/audit?kind=key", as: "admin", status: 200,
			says: []string{`"asset":{"kind":"key","id":"a.jti/1"`}, lacks: []string{otherIssuer + " "},
		}})
	})
}

func TestAnIssuerThatIsAway(t *testing.T) {
	r := newPairingRig(t, onEmbedded(t))
	p := newPublisher(t)
	p.away.Store(true)
	r.server.Reload(Rules{Keys: r.keys, Issuers: []*oidc.Issuer{p.issuer()}})
	w := r.asks(p.token(nil), "GET", "/api/v1/me")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if status := r.status(r.tokens["viewer"]); status != http.StatusOK {
		t.Errorf("a token of ours: %d", status)
	}
}
