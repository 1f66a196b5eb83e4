package oidcfake

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Issuer is an issuer that knows one client. Its fields are set before it serves.
type Issuer struct {
	URL          string // its address; "{tid}" in it stands for the claim tid of whom it vouches for, as of Entra ID
	ClientID     string
	ClientSecret string
	Callback     string // where alone it sends people
	Signs        bool   // its answers name it (RFC 9207)

	t      *testing.T
	key    *ecdsa.PrivateKey
	mu     sync.Mutex
	person map[string]any
	codes  map[string]grant
}

// grant is what a code is exchanged for.
type grant struct {
	challenge, nonce string
	person           map[string]any
}

// New returns an issuer with a key of its own, at an address.
func New(t *testing.T, address string) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Issuer{URL: address, ClientID: "mooring", ClientSecret: "a secret of the client", t: t, key: key, codes: map[string]grant{}}
}

// Start serves issuers at the paths of one address of this machine until the test ends, and sends people to a callback.
func Start(t *testing.T, callback string, paths ...string) []*Issuer {
	t.Helper()
	var all []*Issuer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, i := range all {
			if i.Serves(r.URL) {
				i.ServeHTTP(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	for _, path := range paths {
		i := New(t, server.URL+path)
		i.Callback = callback
		all = append(all, i)
	}
	return all
}

// Vouch lets the issuer vouch for a person with these claims from now on. Those that it sets itself can be among them.
func (i *Issuer) Vouch(claims map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.person = claims
}

// at returns the issuer's address with something in the place of the tid.
func (i *Issuer) at(tid string) string { return strings.Replace(i.URL, "{tid}", tid, 1) }

// base is where the issuer serves.
func (i *Issuer) base() string { return strings.TrimSuffix(i.at("organizations"), "/") }

// Serves reports whether an address is the issuer's.
func (i *Issuer) Serves(at *url.URL) bool {
	base, err := url.Parse(i.base())
	return err == nil && (at.Host == "" || at.Host == base.Host) && strings.HasPrefix(at.Path, base.Path+"/")
}

func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	base, err := url.Parse(i.base())
	if err != nil {
		i.t.Error(err)
	}
	switch r.Method + " " + strings.TrimPrefix(r.URL.Path, base.Path) {
	case "GET /.well-known/openid-configuration":
		answer(w, http.StatusOK, map[string]any{
			"issuer": i.at("{tenantid}"), "authorization_endpoint": i.base() + "/authorize", "token_endpoint": i.base() + "/token",
			"jwks_uri": i.base() + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"},
			"authorization_response_iss_parameter_supported": i.Signs,
		})
	case "GET /keys":
		point, err := i.key.PublicKey.Bytes()
		if err != nil {
			i.t.Error(err)
		}
		answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
			"kty": "EC", "crv": "P-256", "use": "sig", "kid": "1", "x": encode(point[1 : 1+coordinate]), "y": encode(point[1+coordinate:]),
		}}})
	case "GET /authorize":
		i.authorize(w, r)
	case "POST /token":
		i.exchange(w, r)
	default:
		http.NotFound(w, r)
	}
}

// authorize sends the person back with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != i.ClientID || q.Get("redirect_uri") != i.Callback || q.Get("state") == "" ||
		q.Get("nonce") == "" || q.Get("code_challenge_method") != "S256" || !strings.Contains(q.Get("scope"), "openid") {
		i.t.Errorf("the issuer %s is asked for %s", i.URL, r.URL)
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code] = grant{q.Get("code_challenge"), q.Get("nonce"), i.person}
	i.mu.Unlock()
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	if i.Signs {
		back.Set("iss", i.URL)
	}
	http.Redirect(w, r, i.Callback+"?"+back.Encode(), http.StatusFound)
}

// exchange answers a code, once, with an ID token.
func (i *Issuer) exchange(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	} else {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	}
	i.mu.Lock()
	g, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	i.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != i.ClientID || secret != i.ClientSecret:
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
	case !known, encode(challenge[:]) != g.challenge, r.PostFormValue("redirect_uri") != i.Callback:
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
	default:
		answer(w, http.StatusOK, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 3600, "id_token": i.token(g)})
	}
}

// token signs an ID token.
func (i *Issuer) token(g grant) string {
	now := time.Now()
	tid, _ := g.person["tid"].(string)
	claims := map[string]any{
		"iss": i.at(cmp.Or(tid, "none")), "aud": i.ClientID, "nonce": g.nonce, "iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(claims, g.person)
	body, err := json.Marshal(claims)
	if err != nil {
		i.t.Error(err)
	}
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256","kid":"1"}`)) + "." + encode(body)
	sum := sha256.Sum256([]byte(signed))
	a, b, err := ecdsa.Sign(rand.Reader, i.key, sum[:])
	if err != nil {
		i.t.Error(err)
	}
	signature := make([]byte, 2*coordinate)
	a.FillBytes(signature[:coordinate])
	b.FillBytes(signature[coordinate:])
	return signed + "." + encode(signature)
}

// coordinate is the length of a coordinate of P-256, in bytes.
const coordinate = 32

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
