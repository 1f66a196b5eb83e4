package auth

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"mooring/storage/record"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var secret = []byte("an HS256 secret of at least 32 bytes")

// pemKeys are the two halves of a fresh key.
func pemKeys(t *testing.T, private, public any) (privatePEM, publicPEM []byte) {
	t.Helper()
	p, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	q, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: p}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: q})
}

func edKey(t *testing.T) (privatePEM, publicPEM []byte) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pemKeys(t, private, public)
}

func rsaKey(t *testing.T, bits int) (privatePEM, publicPEM []byte) {
	private, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return pemKeys(t, private, &private.PublicKey)
}

func keyring(t *testing.T, keys ...TokenKey) *Keyring {
	t.Helper()
	k, err := NewKeyring("mooring", keys)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestEveryAlgorithmSignsAndVerifies(t *testing.T) {
	edPrivate, edPublic := edKey(t)
	rsaPrivate, rsaPublic := rsaKey(t, 2048)
	caller := Caller{
		Actor:  record.Actor{ID: 7, Email: "ann@example.com", Name: "Ann", Roles: []int64{3}, Actions: []string{"ReportRead", "Fly"}},
		Tenant: "acme", Subject: "ann", Deployments: []int64{1, 2},
	}
	for name, tt := range map[string]struct{ sign, verify TokenKey }{
		"HS256": {TokenKey{ID: "k", Algorithm: "HS256", Secret: secret}, TokenKey{ID: "k", Algorithm: "HS256", Secret: secret}},
		"EdDSA": {TokenKey{ID: "k", Algorithm: "EdDSA", PrivateKey: edPrivate}, TokenKey{ID: "k", Algorithm: "EdDSA", PublicKey: edPublic}},
		"RS256": {TokenKey{ID: "k", Algorithm: "RS256", PrivateKey: rsaPrivate}, TokenKey{ID: "k", Algorithm: "RS256", PublicKey: rsaPublic}},
	} {
		t.Run(name, func(t *testing.T) {
			token, id, err := keyring(t, tt.sign).Sign(caller, time.Now(), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []*Keyring{keyring(t, tt.sign), keyring(t, tt.verify), keyring(t, TokenKey{ID: "new", Algorithm: "HS256", Secret: secret}, tt.verify)} {
				got, err := k.Verify(token, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				want := caller
				want.Issuer, want.TokenID, want.Grounds = "mooring", id, []string{keyring(t, tt.sign).keys["k"].ground}
				if diff := cmp.Diff(want, *got, cmpopts.IgnoreFields(Caller{}, "Expires")); diff != "" {
					t.Errorf("caller (-want +got):\n%s", diff)
				}
				if left := time.Until(got.Expires); left <= 59*time.Minute || left > time.Hour {
					t.Errorf("expires in %v, want an hour", left)
				}
			}
		})
	}
}

func TestAVerifyingKeyCannotSign(t *testing.T) {
	_, public := edKey(t)
	if _, _, err := keyring(t, TokenKey{ID: "k", Algorithm: "EdDSA", PublicKey: public}).Sign(Caller{Tenant: "acme"}, time.Now(), time.Hour); err == nil {
		t.Error("signed without a private key")
	}
}

func TestBrokenKeysAreRefusedByName(t *testing.T) {
	smallRSA, _ := rsaKey(t, 1024)
	for name, tt := range map[string]struct {
		keys []TokenKey
		want string
	}{
		"no key":                {nil, "no signing key"},
		"no id":                 {[]TokenKey{{Algorithm: "HS256", Secret: secret}}, "ids must be set"},
		"the same id twice":     {[]TokenKey{{ID: "a", Algorithm: "HS256", Secret: secret}, {ID: "a", Algorithm: "HS256", Secret: secret}}, `"a"`},
		"a short secret":        {[]TokenKey{{ID: "a", Algorithm: "HS256", Secret: []byte("short")}}, "5 bytes"},
		"algorithm none":        {[]TokenKey{{ID: "a", Algorithm: "none"}}, `"none"`},
		"another algorithm":     {[]TokenKey{{ID: "a", Algorithm: "HS512", Secret: secret}}, `"HS512"`},
		"EdDSA without a key":   {[]TokenKey{{ID: "a", Algorithm: "EdDSA"}}, "neither"},
		"RS256 without a key":   {[]TokenKey{{ID: "a", Algorithm: "RS256", Secret: secret}}, "neither"},
		"PEM that is none":      {[]TokenKey{{ID: "a", Algorithm: "EdDSA", PrivateKey: []byte("x")}}, "private key"},
		"public PEM is none":    {[]TokenKey{{ID: "a", Algorithm: "RS256", PublicKey: []byte("x")}}, "public key"},
		"an RSA key too short":  {[]TokenKey{{ID: "a", Algorithm: "RS256", PrivateKey: smallRSA}}, "1024 bits"},
		"an RSA key for EdDSA":  {[]TokenKey{{ID: "a", Algorithm: "EdDSA", PrivateKey: smallRSA}}, "private key"},
		"an EdDSA public is no": {[]TokenKey{{ID: "a", Algorithm: "EdDSA", PublicKey: []byte("x")}}, "public key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewKeyring("mooring", tt.keys)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// forge signs claims as no honest issuer would.
func forge(t *testing.T, method jwt.SigningMethod, key any, header, claims map[string]any) string {
	t.Helper()
	all := jwt.MapClaims{"iss": "mooring", "tenant": "acme", "jti": "j", "uid": 7, "exp": time.Now().Add(time.Hour).Unix()}
	for name, v := range claims {
		all[name] = v
		if v == nil {
			delete(all, name)
		}
	}
	token := jwt.NewWithClaims(method, all)
	token.Header["kid"] = "main"
	for name, v := range header {
		token.Header[name] = v
	}
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestForgedTokensAreRefused(t *testing.T) {
	_, edPublic := edKey(t)
	k := keyring(t,
		TokenKey{ID: "main", Algorithm: "HS256", Secret: secret},
		TokenKey{ID: "ed", Algorithm: "EdDSA", PublicKey: edPublic},
	)
	past := time.Now().Add(-time.Second).Unix()
	for name, token := range map[string]string{
		"nothing":                         "",
		"three dots":                      "a.b.c",
		"algorithm none":                  forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, nil),
		"another secret":                  forge(t, jwt.SigningMethodHS256, []byte("a wrong secret of at least 32 bytes"), nil, nil),
		"a longer hash than pinned":       forge(t, jwt.SigningMethodHS512, secret, nil, nil),
		"the public key used as a secret": forge(t, jwt.SigningMethodHS256, edPublic, map[string]any{"kid": "ed"}, nil),
		"another key's id":                forge(t, jwt.SigningMethodHS256, secret, map[string]any{"kid": "ed"}, nil),
		"an unknown key":                  forge(t, jwt.SigningMethodHS256, secret, map[string]any{"kid": "old"}, nil),
		"no kid":                          forge(t, jwt.SigningMethodHS256, secret, map[string]any{"kid": nil}, nil),
		"expired":                         forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"exp": past}),
		"without expiry":                  forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"exp": nil}),
		"not valid yet":                   forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}),
		"another issuer":                  forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"iss": "else"}),
		"without issuer":                  forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"iss": nil}),
		"without tenant":                  forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"tenant": nil}),
		"without an id to revoke":         forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"jti": nil}),
		"a uid that is no integer":        forge(t, jwt.SigningMethodHS256, secret, nil, map[string]any{"uid": "7"}),
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := k.Verify(token, time.Now()); err == nil {
				t.Errorf("accepted as %+v", c)
			}
		})
	}
	if _, err := k.Verify(forge(t, jwt.SigningMethodHS256, secret, nil, nil), time.Now()); err != nil {
		t.Errorf("the same token without a flaw is refused: %v", err)
	}
}

// A device's token rests on the key that signed it and on what its approver's rested on.
func TestTheGroundsOfAToken(t *testing.T) {
	k := keyring(t, TokenKey{ID: "new", Algorithm: "HS256", Secret: secret})
	token, _, err := k.Sign(Caller{Tenant: "acme", Device: "d", Approver: "a", Grounds: []string{"old"}}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Verify(token, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new c114c9df", "old"}, c.Grounds); diff != "" {
		t.Errorf("grounds (-want +got):\n%s", diff)
	}
	if !k.Vouches(c.Grounds[0]) || k.Vouches("old") || k.Vouches("new") || k.Vouches("") {
		t.Error("the ring does not know its keys")
	}
	if got := IssuerOf(token); got != "mooring" {
		t.Errorf("issuer %q", got)
	}
	for _, text := range []string{"", "a.b.c", "..", token[:20]} {
		if got := IssuerOf(text); got != "" {
			t.Errorf("%q names the issuer %q", text, got)
		}
	}
}
