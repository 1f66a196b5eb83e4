package oidc

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

// publisher is an issuer that publishes whatever keys a test says.
type publisher struct {
	*httptest.Server
	t     *testing.T
	mu    sync.Mutex
	keys  []jose.JSONWebKey
	text  string // instead of the keys
	away  bool
	asked atomic.Int32
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{t: t}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case p.away:
			w.WriteHeader(http.StatusBadGateway)
		case p.text != "":
			fmt.Fprint(w, p.text)
		default:
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: p.keys})
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// set changes what the publisher answers.
func (p *publisher) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// newSigner makes a key and publishes its public half.
func (p *publisher) newSigner(id, algorithm string) signer {
	p.t.Helper()
	private := newPrivate(p.t, algorithm)
	p.set(func() {
		p.keys = append(p.keys, jose.JSONWebKey{Key: private.Public(), KeyID: id, Algorithm: algorithm, Use: "sig"})
	})
	return signer{p.t, private, id, algorithm}
}

func newPrivate(t *testing.T, algorithm string) (private crypto.Signer) {
	t.Helper()
	var err error
	switch algorithm {
	case "RS256":
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ES256":
		private = newKey(t)
	case "EdDSA":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return private
}

// signer signs tokens.
type signer struct {
	t             *testing.T
	key           any
	id, algorithm string
}

func (s signer) sign(payload string) string {
	s.t.Helper()
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(s.algorithm), Key: s.key},
		new(jose.SignerOptions).WithHeader("kid", s.id))
	if err != nil {
		s.t.Fatal(err)
	}
	signed, err := made.Sign([]byte(payload))
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

const testIssuer = "https://login.example.com"

// payload is that of a good token with changes; a nil takes a claim away.
func payload(now time.Time, changes map[string]any) string {
	all := map[string]any{
		"iss": testIssuer, "aud": []string{"other", "mooring"}, "sub": "ana", "jti": "t-1", "exp": now.Add(time.Hour).Unix(),
		"email": "ana@example.com", "email_verified": true, "name": "Ana", "employee": 41,
	}
	for name, v := range changes {
		all[name] = v
		if v == nil {
			delete(all, name)
		}
	}
	text, _ := json.Marshal(all)
	return string(text)
}

func (p *publisher) config() IssuerConfig {
	return IssuerConfig{
		URL: p.URL, Issuer: testIssuer, Audience: "mooring", Tenant: "acme", Deployments: []int64{1, 2},
		Actions: []string{"ReportEdit", "WorkbookRead"}, UIDClaim: "employee",
	}
}

func (p *publisher) issuer() *Issuer { return NewIssuer(p.config(), slog.New(slog.DiscardHandler)) }

func TestTokensOfAnotherIssuer(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good := p.newSigner("rsa", "RS256")
	for _, s := range []signer{good, p.newSigner("ec", "ES256"), p.newSigner("ed", "EdDSA")} {
		who, err := p.issuer().Verify(t.Context(), s.sign(payload(now, nil)), now)
		if err != nil {
			t.Fatalf("%s: %v", s.algorithm, err)
		}
		want := &Bearer{
			Identity: Identity{
				Issuer: testIssuer, Subject: "ana", Tenant: "acme", UID: 41, Email: "ana@example.com", Name: "Ana",
				Actions: []string{"ReportEdit", "WorkbookRead"},
			},
			Deployments: []int64{1, 2}, TokenID: "t-1", Expires: now.Add(time.Hour).Truncate(time.Second),
		}
		if diff := cmp.Diff(want, who); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.algorithm, diff)
		}
	}
}

// With the same subject as at the sign-in, a person of Entra ID is the same one by a token.
func TestSubjectOfAnotherIssuersTokens(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	s, c := p.newSigner("rsa", "RS256"), p.config()
	before := NewIssuer(c, slog.New(slog.DiscardHandler)).Ground()
	if entry, _ := json.Marshal(c); strings.Contains(string(entry), "Subject") {
		t.Errorf("an entry of before is another ground: %s", entry)
	}
	c.Subject = "oid"
	issuer := NewIssuer(c, slog.New(slog.DiscardHandler))
	who, err := issuer.Verify(t.Context(), s.sign(payload(now, map[string]any{"oid": "3d9c5a6e"})), now)
	if err != nil || who.Subject != "3d9c5a6e" {
		t.Errorf("by oid: %+v, %v", who, err)
	}
	if who, err := issuer.Verify(t.Context(), s.sign(payload(now, nil)), now); !isRefusal(err) {
		t.Errorf("without the oid: %+v, %v", who, err)
	}
	if c.Subject = "email"; c.Check() == nil {
		t.Error("an email tells people apart")
	}
	if issuer.Ground() == before {
		t.Error("who is who changed, and the rights rest on the same")
	}
}

func TestForgedTokensOfAnotherIssuer(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good := p.newSigner("rsa", "RS256")
	public, err := json.Marshal(p.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	weak := signer{t, good.key, "twice", "RS256"}
	p.keys = append(p.keys, jose.JSONWebKey{Key: p.keys[0].Key, KeyID: "encrypts", Use: "enc"},
		jose.JSONWebKey{Key: p.keys[0].Key, KeyID: "other algorithm", Algorithm: "PS256"},
		jose.JSONWebKey{Key: newPrivate(t, "ES256").Public(), KeyID: "twice"}, jose.JSONWebKey{Key: []byte("a shared secret of 32 bytes long"), KeyID: "oct"})
	fine := payload(now, nil)
	unsigned := func(head string) string {
		return base64URL(head) + "." + base64URL(fine) + "."
	}
	head, body, _ := strings.Cut(good.sign(fine), ".")
	_, signature, _ := strings.Cut(body, ".")
	tests := []struct{ name, token string }{
		{"HS256 with the public key as the secret", signer{t, public, "rsa", "HS256"}.sign(fine)},
		{"HS256 with a secret that is published", signer{t, []byte("a shared secret of 32 bytes long"), "oct", "HS256"}.sign(fine)},
		{"an algorithm that no key has", signer{t, good.key, "rsa", "RS512"}.sign(fine)},
		{"PSS of a key of PKCS #1", signer{t, good.key, "rsa", "PS256"}.sign(fine)},
		{"none", unsigned(`{"alg":"none","kid":"rsa"}`)},
		{"no signature", unsigned(`{"alg":"RS256","kid":"rsa"}`)},
		{"another payload", head + "." + base64URL(payload(now, map[string]any{"sub": "bo"})) + "." + signature},
		{"another's key with a known kid", signer{t, newPrivate(t, "RS256"), "rsa", "RS256"}.sign(fine)},
		{"another kind of key with a known kid", signer{t, newPrivate(t, "ES256"), "rsa", "ES256"}.sign(fine)},
		{"no kid", signer{t, good.key, "", "RS256"}.sign(fine)},
		{"a kid that is a path", signer{t, good.key, "../../rsa", "RS256"}.sign(fine)},
		{"a kid in other case", signer{t, good.key, "RSA", "RS256"}.sign(fine)},
		{"a key for encryption", signer{t, good.key, "encrypts", "RS256"}.sign(fine)},
		{"a key of another algorithm", signer{t, good.key, "other algorithm", "RS256"}.sign(fine)},
		{"a kid of a key of another kind", weak.sign(fine)},
		{"another issuer", good.sign(payload(now, map[string]any{"iss": "https://evil.example.com"}))},
		{"no issuer", good.sign(payload(now, map[string]any{"iss": nil}))},
		{"another audience", good.sign(payload(now, map[string]any{"aud": "other"}))},
		{"no audience", good.sign(payload(now, map[string]any{"aud": nil}))},
		{"expired", good.sign(payload(now, map[string]any{"exp": now.Add(-time.Second).Unix()}))},
		{"no expiry", good.sign(payload(now, map[string]any{"exp": nil}))},
		{"not yet", good.sign(payload(now, map[string]any{"nbf": now.Add(time.Hour).Unix()}))},
		{"no object", good.sign(`"ana"`)},
		{"nothing", ""},
	}
	issuer := p.issuer()
	for _, tt := range tests {
		if who, err := issuer.Verify(t.Context(), tt.token, now); err == nil || errors.Is(err, ErrNoKeys) {
			t.Errorf("%s: %+v, %v", tt.name, who, err)
		}
	}
	if _, err := issuer.Verify(t.Context(), good.sign(fine), now); err != nil {
		t.Errorf("the good token: %v", err)
	}
}

// The payload cannot widen what the configuration allows, and what it leaves out is refused with the reason.
func TestClaimsOfAnotherIssuer(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good := p.newSigner("rsa", "RS256")
	for _, tt := range []struct {
		name    string
		claims  map[string]any
		refused string
		want    func(*Bearer)
	}{
		{name: "another tenant", claims: map[string]any{"tenant": "rivals"}},
		{name: "roles", claims: map[string]any{"roles": []int64{7}}},
		{name: "groups", claims: map[string]any{"groups": []string{"finance"}}},
		{name: "fewer actions", claims: map[string]any{"actions": []string{"ReportRead", "WorkbookEdit"}}, want: func(b *Bearer) {
			b.Actions = []string{"ReportRead", "WorkbookRead"}
		}},
		{name: "all actions", claims: map[string]any{"actions": []string{"All"}}},
		{name: "no actions", claims: map[string]any{"actions": []string{}}, want: func(b *Bearer) { b.Actions = []string{} }},
		{name: "one deployment", claims: map[string]any{"deployments": []int64{2, 3}}, want: func(b *Bearer) { b.Deployments = []int64{2} }},
		{name: "others' deployments", claims: map[string]any{"deployments": []int64{3}}, want: func(b *Bearer) { b.Deployments = []int64{} }},
		{name: "an unverified email", claims: map[string]any{"email_verified": false}, want: func(b *Bearer) { b.Email = "" }},
		{name: "an email of which nothing is said", claims: map[string]any{"email_verified": nil}, want: func(b *Bearer) { b.Email = "" }},
		{name: "an email of which no truth is said", claims: map[string]any{"email_verified": "yes"}, want: func(b *Bearer) { b.Email = "" }},
		{name: "an email verified as a text", claims: map[string]any{"email_verified": "true"}},
		{name: "an email whose domain's owner is verified", claims: map[string]any{"email_verified": nil, "xms_edov": true}},
		{name: "such a one as a number", claims: map[string]any{"email_verified": nil, "xms_edov": 1}},
		{name: "a domain's owner that is not", claims: map[string]any{"email_verified": nil, "xms_edov": false}, want: func(b *Bearer) { b.Email = "" }},
		{name: "actions that are no list", claims: map[string]any{"actions": "All"}, refused: "actions"},
		{name: "actions that are null", claims: map[string]any{"actions": json.RawMessage("null")}, refused: "actions"},
		{name: "deployments that are no numbers", claims: map[string]any{"deployments": []string{"1"}}, refused: "deployments"},
		{name: "a uti beside the jti", claims: map[string]any{"uti": "u-1"}},
		{name: "a uti in its place", claims: map[string]any{"jti": nil, "uti": "QzW1-u_"}, want: func(b *Bearer) { b.TokenID = "QzW1-u_" }},
		{name: "a uti that is no text", claims: map[string]any{"jti": nil, "uti": 7}, refused: "uti"},
		{name: "an empty jti", claims: map[string]any{"jti": ""}, refused: "jti"},
		{name: "a jti that is a number", claims: map[string]any{"jti": 7}, refused: "jti"},
		{name: "a jti with a space", claims: map[string]any{"jti": "a b"}, refused: "jti"},
		{name: "a long jti", claims: map[string]any{"jti": strings.Repeat("a", maxTokenID+1)}, refused: "jti"},
		{name: "no subject", claims: map[string]any{"sub": nil}, refused: "sub"},
		{name: "no number of the user", claims: map[string]any{"employee": nil}, refused: "employee"},
		{name: "a user below 1", claims: map[string]any{"employee": 0}, refused: "employee"},
		{name: "the last user of their own", claims: map[string]any{"employee": 1<<40 - 1}, want: func(b *Bearer) { b.UID = 1<<40 - 1 }},
		{name: "a user whose number may be another's", claims: map[string]any{"employee": 1<<40 + 1}, refused: "employee"},
	} {
		who, err := p.issuer().Verify(t.Context(), good.sign(payload(now, tt.claims)), now)
		if tt.refused != "" {
			if refusal, ok := errors.AsType[*Refusal](err); !ok || !strings.Contains(refusal.Reason, tt.refused) {
				t.Errorf("%s: %+v, %v", tt.name, who, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want, _ := p.issuer().Verify(t.Context(), good.sign(payload(now, nil)), now)
		if tt.want != nil {
			tt.want(want)
		}
		if diff := cmp.Diff(want, who); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A new key is fetched when a token names it, one that was withdrawn is forgotten in minutes, and the last keys stay in use while the
// issuer is away.
func TestRotationOfAnIssuersKeys(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	first, issuer := p.newSigner("1", "RS256"), p.issuer()
	verified := func(s signer) bool {
		_, err := issuer.Verify(t.Context(), s.sign(payload(now, map[string]any{"exp": now.Add(time.Hour).Unix()})), now)
		return err == nil
	}
	if !verified(first) {
		t.Fatal("the first key is refused")
	}
	now = now.Add(fetchPause)
	second := p.newSigner("2", "ES256")
	if !verified(second) || !verified(first) {
		t.Error("a key that was added is not taken, or the first is lost")
	}
	p.set(func() { p.keys = p.keys[1:] })
	now = now.Add(freshFor + time.Second)
	if verified(first) || !verified(second) {
		t.Error("a key that was withdrawn is still trusted, or the second is lost")
	}
	for _, broken := range []func(){
		func() { p.away = true },
		func() { p.away, p.text = false, "no JSON" },
		func() { p.text = `{"keys":[]}` },
		func() { p.text = `{"keys":[],"padding":"` + strings.Repeat("x", maxKeySet) + `"}` },
	} {
		p.set(broken)
		asked := p.asked.Load()
		now = now.Add(24 * time.Hour)
		if !verified(second) || p.asked.Load() != asked+1 {
			t.Error("the last keys were not kept, or the issuer was not asked for newer ones")
		}
	}
}

func TestAnIssuerThatIsAway(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good := p.newSigner("rsa", "RS256")
	p.set(func() { p.away = true })
	issuer := p.issuer()
	if err := issuer.Fetch(t.Context()); err == nil {
		t.Error("fetched keys of an issuer that is away")
	}
	token := good.sign(payload(now, nil))
	if _, err := issuer.Verify(t.Context(), token, now); !errors.Is(err, ErrNoKeys) {
		t.Errorf("got %v, want ErrNoKeys", err)
	}
	p.set(func() { p.away = false })
	if _, err := issuer.Verify(t.Context(), token, now.Add(2*fetchPause)); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	elsewhere := httptest.NewServer(http.RedirectHandler(p.URL, http.StatusFound))
	defer elsewhere.Close()
	c := p.config()
	c.URL = elsewhere.URL
	if err := NewIssuer(c, slog.New(slog.DiscardHandler)).Fetch(t.Context()); err == nil {
		t.Error("a redirect was followed")
	}
}

// Tokens with made-up kids cause one request a minute, however many come at once, and hold up no good ones.
func TestUnknownKids(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good, issuer := p.newSigner("rsa", "RS256"), p.issuer()
	if err := issuer.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	for minute := range 3 {
		now := now.Add(time.Duration(minute+1) * 2 * fetchPause)
		before := p.asked.Load()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				forged := signer{t, good.key, fmt.Sprintf("forged-%d", i), "RS256"}.sign(payload(now, nil))
				if _, err := issuer.Verify(t.Context(), forged, now.Add(time.Duration(i)*time.Second)); err == nil {
					t.Error("a made-up kid is good")
				}
				if _, err := issuer.Verify(t.Context(), good.sign(payload(now, nil)), now); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if asked := p.asked.Load() - before; asked > 1 {
			t.Errorf("minute %d: %d requests for keys", minute, asked)
		}
	}
}

func TestIssuerConfigurations(t *testing.T) {
	good := IssuerConfig{URL: "https://login.example.com/keys?v=2", Issuer: "i", Audience: "a", Tenant: "t", Actions: []string{"ReportRead"}}
	for _, tt := range []struct {
		change func(*IssuerConfig)
		want   string // of the error; empty: none
	}{
		{func(*IssuerConfig) {}, ""},
		{func(c *IssuerConfig) { c.URL = "http://127.0.0.1:1/keys" }, ""},
		{func(c *IssuerConfig) { c.URL = "http://localhost/keys" }, ""},
		{func(c *IssuerConfig) { c.URL = "http://login.example.com/keys" }, "url"},
		{func(c *IssuerConfig) { c.URL = "http://localhost.example.com/keys" }, "url"},
		{func(c *IssuerConfig) { c.URL = "file:///etc/passwd" }, "url"},
		{func(c *IssuerConfig) { c.URL = "https://user:secret@login.example.com/keys" }, "url"},
		{func(c *IssuerConfig) { c.Issuer = "" }, "issuer"},
		{func(c *IssuerConfig) { c.Audience = "" }, "audience"},
		{func(c *IssuerConfig) { c.Tenant = "" }, "tenant"},
		{func(c *IssuerConfig) { c.Actions = nil }, "actions"},
		{func(c *IssuerConfig) { c.Actions = []string{"Everything"} }, "actions"},
	} {
		c := good
		tt.change(&c)
		err := c.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want+": ") {
			t.Errorf("%+v: %v, want %q", c, err, tt.want)
		}
	}
}

func base64URL(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// The emails of an issuer that is trusted to know them need no claim.
func TestATrustedIssuersEmails(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	config := p.issuer().Config()
	config.EmailTrusted = true
	token := p.newSigner("rsa", "RS256").sign(payload(now, map[string]any{"email_verified": nil}))
	who, err := NewIssuer(config, slog.New(slog.DiscardHandler)).Verify(t.Context(), token, now)
	if err != nil || who.Email != "ana@example.com" {
		t.Errorf("%+v, %v", who, err)
	}
}

// A token that names itself by nothing is known by what it signs, which is the same whatever stands in its signature, and may be written in one
// way only: a revocation would miss the others.
func TestTokensWithoutAnID(t *testing.T) {
	p, now := newPublisher(t), time.Now()
	good, issuer := p.newSigner("ec", "ES256"), p.issuer()
	body := payload(now, map[string]any{"jti": nil})
	first, again := good.sign(body), good.sign(body)
	signed := first[:strings.LastIndex(first, ".")]
	want := fmt.Sprintf("%x", sha256.Sum256([]byte(signed)))
	for _, token := range []string{first, again} {
		if who, err := issuer.Verify(t.Context(), token, now); err != nil || who.TokenID != want || !IsTokenID(who.TokenID) {
			t.Errorf("%+v, %v; want %s", who, err, want)
		}
	}
	head, rest, _ := strings.Cut(first, ".")
	for fact, token := range map[string]string{
		"a line break in the payload": head + "." + rest[:5] + "\n" + rest[5:],
		"a line break in the header":  head[:5] + "\r\n" + head[5:] + "." + rest,
		"a space in the header":       head[:5] + " " + head[5:] + "." + rest,
		"padding":                     head + "=." + rest,
		"unused bits of the payload":  respelled(signed) + first[len(signed):],
	} {
		if who, err := issuer.Verify(t.Context(), token, now); err == nil {
			t.Errorf("%s is taken, under the id %s", fact, who.TokenID)
		}
	}
}

// respelled returns a text of base64 with another last character that stands for the same bytes, if there is one.
func respelled(text string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(text) - 1
	part := text[strings.LastIndexByte(text, '.')+1:]
	same, _ := base64.RawURLEncoding.DecodeString(part)
	for _, d := range digits {
		other, err := base64.RawURLEncoding.DecodeString(part[:len(part)-1] + string(d))
		if err == nil && byte(d) != text[last] && string(other) == string(same) {
			return text[:last] + string(d)
		}
	}
	return text + "="
}
