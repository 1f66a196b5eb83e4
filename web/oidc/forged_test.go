package oidc

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"mooring/storage/record"
)

// forger is a provider that issues whatever ID token a test says, signed by its own key or another.
type forger struct {
	*httptest.Server
	key     *ecdsa.PrivateKey
	idToken string // what the next code is exchanged for
	status  int    // of the answer to a code; 0: 200
}

func newForger(t *testing.T) *forger {
	t.Helper()
	f := &forger{key: newKey(t)}
	keys := &oidctest.Server{Algorithms: []string{oidc.ES256}, PublicKeys: []oidctest.PublicKey{{PublicKey: f.key.Public(), KeyID: "k", Algorithm: oidc.ES256}}}
	mux := http.NewServeMux()
	mux.Handle("/", keys)
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if f.status != 0 {
			w.WriteHeader(f.status)
			_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": f.idToken})
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	keys.SetIssuer(f.URL)
	return f
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// claimsOf are those of a good ID token with changes; a nil takes a claim away.
func (f *forger) claimsOf(changes map[string]any) string {
	all := map[string]any{
		"iss": f.URL, "aud": "mooring", "sub": "ana", "nonce": "the nonce", "tenant": "acme", "groups": []string{"finance"},
		"exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "employee": 41, "email": "ana@example.com", "email_verified": true,
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

func TestForgedIDTokens(t *testing.T) {
	f := newForger(t)
	p := New(Config{
		Issuer: f.URL, ClientID: "mooring", TenantClaim: "tenant", UIDClaim: "employee", Actions: map[string][]string{"finance": {"ReportEdit"}},
	})
	p.Run(t.Context(), slog.New(slog.DiscardHandler))
	exchange := func(key crypto.PrivateKey, claims string) (*Identity, error) {
		f.idToken = oidctest.SignIDToken(key, "k", oidc.ES256, claims)
		return p.exchange(t.Context(), &record.SignIn{Callback: "http://127.0.0.1/back", Nonce: "the nonce", Verifier: "v"}, "code")
	}
	who, err := exchange(f.key, f.claimsOf(nil))
	if err != nil || who.Tenant != "acme" || who.UID != 41 || who.Email != "ana@example.com" || fmt.Sprint(who.Actions) != "[ReportEdit]" {
		t.Fatalf("a good one: %+v, %v", who, err)
	}
	for fact, changes := range map[string]map[string]any{
		"another sign-in's nonce":      {"nonce": "another"},
		"no nonce":                     {"nonce": nil},
		"another issuer":               {"iss": "https://evil.example"},
		"issued to another client":     {"aud": "another"},
		"expired":                      {"exp": time.Now().Add(-time.Hour).Unix()},
		"no subject":                   {"sub": nil},
		"no tenant":                    {"tenant": nil},
		"a tenant that is no text":     {"tenant": []string{"acme"}},
		"no group that may anything":   {"groups": []string{"guests"}},
		"groups that are no texts":     {"groups": []int{1}},
		"no uid":                       {"employee": nil},
		"a uid that is no number":      {"employee": "41"},
		"a uid with a fraction":        {"employee": 41.5},
		"a uid that names no user":     {"employee": 0},
		"a uid that may be another's":  {"employee": 1 << 40},
		"a uid that JSON cannot carry": {"employee": json.RawMessage("9223372036854775807")},
	} {
		if who, err := exchange(f.key, f.claimsOf(changes)); !isRefusal(err) {
			t.Errorf("%s: %+v, %v", fact, who, err)
		}
	}
	if who, err := exchange(newKey(t), f.claimsOf(nil)); !isRefusal(err) {
		t.Errorf("another key: %+v, %v", who, err)
	}
	who, err = exchange(f.key, f.claimsOf(map[string]any{"email_verified": "false"}))
	if err != nil || who.Email != "" {
		t.Errorf("an email that is not verified: %+v, %v", who, err)
	}
	who, err = exchange(f.key, f.claimsOf(map[string]any{"email_verified": nil}))
	if err != nil || who.Email != "" {
		t.Errorf("an email of which nothing is said: %+v, %v", who, err)
	}
	f.status = http.StatusBadRequest
	if _, err := exchange(f.key, f.claimsOf(nil)); !isRefusal(err) {
		t.Errorf("a code that the provider refuses: %v", err)
	}
	f.status = http.StatusBadGateway
	if _, err := exchange(f.key, f.claimsOf(nil)); err == nil || isRefusal(err) {
		t.Errorf("a provider that fails: %v", err)
	}
}

func isRefusal(err error) bool {
	_, is := errors.AsType[*Refusal](err)
	return is
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := New(Config{Issuer: "http://127.0.0.1:1"})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	p.Run(ctx, slog.New(slog.DiscardHandler))
	if p.Ready() {
		t.Error("ready without an issuer")
	}
}

func TestFaultsOfAConfiguration(t *testing.T) {
	good := Config{Issuer: "https://login.example.com/realm", ClientID: "m", TenantClaim: "t", Roles: map[string][]int64{"g": {1}}}
	for fact, change := range map[string]func(*Config){
		"no issuer":                func(c *Config) { c.Issuer = "" },
		"http":                     func(c *Config) { c.Issuer = "http://login.example.com" },
		"a query":                  func(c *Config) { c.Issuer += "?a" },
		"no client":                func(c *Config) { c.ClientID = "" },
		"no tenant":                func(c *Config) { c.TenantClaim = "" },
		"nothing that anybody may": func(c *Config) { c.Roles = nil },
		"a tenant twice":           func(c *Config) { c.Tenant = "acme" },
		"a claim of tenants twice": func(c *Config) { c.Tenants = map[string]string{"a.example": "acme"} },
		"no claim of the subject":  func(c *Config) { c.Subject = "email" },
		"rights by another claim":  func(c *Config) { c.From = "scope" },
		"rights by no claim":       func(c *Config) { c.From = "none" },
		"an address that is none":  func(c *Config) { c.From = "email" },
		"what everybody may":       func(c *Config) { c.Everyone = []string{"all"} },
		"a hole without tenants":   func(c *Config) { c.Issuer = entra },
		"another hole":             func(c *Config) { c.Issuer = "https://login.microsoftonline.com/{tenantid}/v2.0" },
		"accounts of anybody":      func(c *Config) { c.Issuer = "https://login.microsoftonline.com/common/v2.0" },
		"of any organization":      func(c *Config) { c.Issuer = "https://login.microsoftonline.com/organizations/v2.0" },
		"of persons":               func(c *Config) { c.Issuer = "https://login.microsoftonline.us/consumers" },
		"in another case":          func(c *Config) { c.Issuer = "https://login.microsoftonline.com/Organizations/v2.0" },
		"the directory of persons": func(c *Config) {
			c.Issuer = "https://login.microsoftonline.com/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0"
		},
		"a tenant of persons": func(c *Config) {
			c.Issuer, c.TenantClaim, c.Tenants = entra, "", map[string]string{"9188040d-6c67-4c5b-b112-36a304b66dad": "acme"}
		},
		"everybody at Google": func(c *Config) {
			c.Issuer, c.TenantClaim, c.Tenant, c.Everyone = google, "", "acme", []string{"ReportRead"}
		},
		"tenants that are no directories": func(c *Config) {
			c.Issuer, c.TenantClaim, c.Tenants = entra, "", map[string]string{"acme.com": "acme"}
		},
		"a tenant of nobody": func(c *Config) {
			c.TenantClaim, c.Tenants = "", map[string]string{"": "acme"}
		},
		"tenants in two cases": func(c *Config) {
			c.TenantClaim, c.Tenants = "", map[string]string{"acme.com": "acme", "Acme.com": "other"}
		},
		"an action that is none": func(c *Config) { c.Actions = map[string][]string{"g": {"All", "all"}} },
	} {
		c := good
		if change(&c); c.Check() == nil {
			t.Errorf("%s is taken", fact)
		}
	}
	for _, issuer := range []string{good.Issuer, "http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1"} {
		c := good
		if c.Issuer = issuer; c.Check() != nil {
			t.Errorf("%s: %v", issuer, c.Check())
		}
	}
}
