package auth

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mooring/storage/record"
)

// TokenKey is one signing key as configured. Its algorithm is pinned: a token that names the key and another algorithm is refused.
type TokenKey struct {
	ID         string // the token's kid
	Algorithm  string // HS256, EdDSA or RS256
	Secret     []byte // HS256: at least 32 bytes
	PrivateKey []byte // EdDSA, RS256: PEM; may be empty where tokens are only verified
	PublicKey  []byte // EdDSA, RS256: PEM; may be empty when PrivateKey is there
}

// The bounds of key material: RFC 7518 §3.2 and §3.3.
const (
	minSecretBytes = 32
	minRSABits     = 2048
)

// Keyring signs tokens with its first key and verifies them with any of its keys. It is safe for concurrent use.
type Keyring struct {
	issuer string
	first  string
	keys   map[string]material
	known  map[string]bool // the grounds of tokens that the keys sign
	allows []jwt.ParserOption
}

// material is a key ready for use; sign is nil where tokens can only be verified.
type material struct {
	method jwt.SigningMethod
	sign   any
	verify any
	ground string // of the tokens that it signs, see Caller
}

// claims is the payload of a token (decisions.md §3).
type claims struct {
	jwt.RegisteredClaims
	Tenant      string   `json:"tenant"`
	UserID      int64    `json:"uid,omitempty"`
	Email       string   `json:"email,omitempty"`
	Name        string   `json:"name,omitempty"`
	Deployments []int64  `json:"deployments,omitempty"`
	Roles       []int64  `json:"roles,omitempty"`
	Actions     []string `json:"actions,omitempty"`
	Bound       []string `json:"bound,omitzero"` // an empty one is a bound too
	Device      string   `json:"device,omitempty"`
	Approver    string   `json:"approver,omitempty"`
	Grounds     []string `json:"grounds,omitempty"`
}

// ErrUnsigned is returned by Sign when the first key can only verify.
var ErrUnsigned = errors.New("the first signing key has no private part on this machine")

// NewKeyring reads the configured keys. An error names the key and what is wrong with it.
func NewKeyring(issuer string, keys []TokenKey) (*Keyring, error) {
	if len(keys) == 0 {
		return nil, errors.New("no signing key is configured")
	}
	k := &Keyring{issuer: issuer, first: keys[0].ID, keys: map[string]material{}, known: map[string]bool{}}
	var algorithms []string
	for _, key := range keys {
		if _, twice := k.keys[key.ID]; twice || key.ID == "" {
			return nil, fmt.Errorf("signing key %q: ids must be set and different", key.ID)
		}
		m, err := key.material()
		if err != nil {
			return nil, fmt.Errorf("signing key %q: %w", key.ID, err)
		}
		if m.ground, err = m.groundOf(key.ID); err != nil {
			return nil, fmt.Errorf("signing key %q: %w", key.ID, err)
		}
		k.keys[key.ID], k.known[m.ground] = m, true
		algorithms = append(algorithms, key.Algorithm)
	}
	k.allows = []jwt.ParserOption{jwt.WithValidMethods(algorithms), jwt.WithExpirationRequired(), jwt.WithIssuer(issuer)}
	return k, nil
}

func (key TokenKey) material() (material, error) {
	switch key.Algorithm {
	case "HS256":
		if len(key.Secret) < minSecretBytes {
			return material{}, fmt.Errorf("the secret has %d bytes, HS256 needs at least %d", len(key.Secret), minSecretBytes)
		}
		return material{method: jwt.SigningMethodHS256, sign: key.Secret, verify: key.Secret}, nil
	case "EdDSA":
		return key.edDSA()
	case "RS256":
		return key.rsa()
	}
	return material{}, fmt.Errorf("algorithm %q is none of HS256, EdDSA, RS256", key.Algorithm)
}

func (key TokenKey) edDSA() (material, error) {
	m := material{method: jwt.SigningMethodEdDSA}
	if len(key.PrivateKey) > 0 {
		private, err := jwt.ParseEdPrivateKeyFromPEM(key.PrivateKey)
		if err != nil {
			return m, fmt.Errorf("private key: %w", err)
		}
		m.sign, m.verify = private, publicPart(private)
	}
	if len(key.PublicKey) > 0 {
		public, err := jwt.ParseEdPublicKeyFromPEM(key.PublicKey)
		if err != nil {
			return m, fmt.Errorf("public key: %w", err)
		}
		m.verify = public
	}
	return m, m.complete()
}

func (key TokenKey) rsa() (material, error) {
	m := material{method: jwt.SigningMethodRS256}
	if len(key.PrivateKey) > 0 {
		private, err := jwt.ParseRSAPrivateKeyFromPEM(key.PrivateKey)
		if err != nil {
			return m, fmt.Errorf("private key: %w", err)
		}
		m.sign, m.verify = private, &private.PublicKey
	}
	if len(key.PublicKey) > 0 {
		public, err := jwt.ParseRSAPublicKeyFromPEM(key.PublicKey)
		if err != nil {
			return m, fmt.Errorf("public key: %w", err)
		}
		m.verify = public
	}
	if public, ok := m.verify.(*rsa.PublicKey); ok && public.N.BitLen() < minRSABits {
		return m, fmt.Errorf("the key has %d bits, RS256 needs at least %d", public.N.BitLen(), minRSABits)
	}
	return m, m.complete()
}

func (m material) complete() error {
	if m.verify == nil {
		return errors.New("neither a private nor a public key is given")
	}
	return nil
}

// groundOf names a key by its id and a few bits of a digest: another key in its place is another ground, and a secret cannot be found out by
// the bits.
func (m material) groundOf(id string) (string, error) {
	verifies, symmetric := m.verify.([]byte)
	if !symmetric {
		var err error
		if verifies, err = x509.MarshalPKIXPublicKey(m.verify); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(verifies)
	return fmt.Sprintf("%s %x", id, sum[:4]), nil
}

// Sign makes a token for c that lives for ttl from now on, with a new id that a revocation can name. c's Issuer, TokenID and Expires are
// not read.
func (k *Keyring) Sign(c Caller, now time.Time, ttl time.Duration) (token, id string, err error) {
	id = rand.Text()
	token, err = k.sign(claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    k.issuer,
			Subject:   c.Subject,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(ttl)),
			ID:        id,
		},
		Tenant: c.Tenant, UserID: c.ID, Email: c.Email, Name: c.Name,
		Deployments: c.Deployments, Roles: c.Roles, Actions: c.Actions, Bound: c.Bound,
		Device: c.Device, Approver: c.Approver, Grounds: c.Grounds,
	})
	return token, id, err
}

// sign makes a token of claims with the first key.
func (k *Keyring) sign(cl jwt.Claims) (string, error) {
	m := k.keys[k.first]
	if m.sign == nil {
		return "", ErrUnsigned
	}
	t := jwt.NewWithClaims(m.method, cl)
	t.Header["kid"] = k.first
	return t.SignedString(m.sign)
}

// Verify checks a token's signature, issuer and times and returns who it speaks for. It does not know revocations.
func (k *Keyring) Verify(token string, now time.Time) (*Caller, error) {
	var cl claims
	id, err := k.parse(token, &cl, now)
	if err != nil {
		return nil, err
	}
	if cl.Tenant == "" || cl.ID == "" {
		return nil, errors.New("the token has no tenant or no jti")
	}
	return &Caller{
		Actor:  record.Actor{ID: cl.UserID, Email: cl.Email, Name: cl.Name, Roles: cl.Roles, Actions: cl.Actions, Bound: cl.Bound},
		Tenant: cl.Tenant, Issuer: cl.Issuer, Subject: cl.Subject, Deployments: cl.Deployments,
		TokenID: cl.ID, Expires: cl.ExpiresAt.Time, Device: cl.Device, Approver: cl.Approver,
		Grounds: append([]string{k.keys[id].ground}, cl.Grounds...),
	}, nil
}

// Vouches reports whether a ground is that of one of the ring's keys.
func (k *Keyring) Vouches(ground string) bool { return k.known[ground] }

// parse reads the claims of a token, checks its signature, issuer and times, and returns the id of its key.
func (k *Keyring) parse(token string, into jwt.Claims, now time.Time) (id string, err error) {
	parser := jwt.NewParser(append(slices.Clip(k.allows), jwt.WithTimeFunc(func() time.Time { return now }))...)
	t, err := parser.ParseWithClaims(token, into, k.keyFor)
	if err != nil {
		return "", err
	}
	id, _ = t.Header["kid"].(string)
	return id, nil
}

// IssuerOf returns the issuer that a token names, which proves nothing: the signature is not looked at. It returns "" for what is no token.
func IssuerOf(token string) string {
	var cl jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &cl); err != nil {
		return ""
	}
	return cl.Issuer
}

// keyFor picks the key that a token names and refuses any algorithm but that key's own.
func (k *Keyring) keyFor(t *jwt.Token) (any, error) {
	id, _ := t.Header["kid"].(string)
	m, known := k.keys[id]
	if !known {
		return nil, fmt.Errorf("unknown kid %q", id)
	}
	if t.Method.Alg() != m.method.Alg() {
		return nil, fmt.Errorf("kid %q does not sign with %s", id, t.Method.Alg())
	}
	return m.verify, nil
}

// publicPart is the public half of a private key; every private key of the standard library has one.
func publicPart(private crypto.PrivateKey) crypto.PublicKey {
	return private.(interface{ Public() crypto.PublicKey }).Public()
}
