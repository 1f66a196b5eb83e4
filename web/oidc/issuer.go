package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"mooring/storage/record"
)

// IssuerConfig says whose tokens count beside the service's own, and what their bearers may do.
type IssuerConfig struct {
	URL         string   `yaml:"url"` // of its keys, a JWKS (RFC 7517 §5)
	Issuer      string   `yaml:"issuer"`
	Audience    string   `yaml:"audience"`
	Tenant      string   `yaml:"tenant"`
	Deployments []int64  `yaml:"deployments"` // nil: every one of the tenant
	Actions     []string `yaml:"actions"`
	UIDClaim    string   `yaml:"uidClaim"` // the claim that is the user's number; empty: a number is allocated

	Subject      string `yaml:"subject" json:",omitempty"`      // the claim that tells people apart: sub, also if empty, or oid
	EmailTrusted bool   `yaml:"emailTrusted" json:",omitempty"` // its emails count without a claim that they are verified
}

// Check returns every fault of a configuration, each on a line of its own.
func (c IssuerConfig) Check() error {
	var faults []error
	if !secureAddress(c.URL) {
		faults = append(faults, errors.New("url: expected an https address such as https://login.example.com/keys"))
	}
	for _, required := range []struct{ key, value, what string }{
		{"issuer", c.Issuer, "the iss of its tokens"},
		{"audience", c.Audience, "the aud that names this service"},
		{"tenant", c.Tenant, "the tenant that its tokens are for"},
	} {
		if required.value == "" {
			faults = append(faults, fmt.Errorf("%s: expected %s", required.key, required.what))
		}
	}
	if len(c.Actions) == 0 {
		faults = append(faults, errors.New("actions: expected what its tokens may do at most, such as [ReportEdit]"))
	}
	for _, action := range c.Actions {
		if !record.IsAction(action) {
			faults = append(faults, fmt.Errorf("actions: there is no action %q", action))
		}
	}
	return errors.Join(append(faults, subjectFaults(c.Subject)...)...)
}

// Issuer verifies the tokens of another issuer by the keys that it publishes. It is safe for concurrent use.
type Issuer struct {
	config IssuerConfig
	keys   *keySet
}

// NewIssuer returns the issuer of a configuration that Check found nothing wrong with.
func NewIssuer(c IssuerConfig, log *slog.Logger) *Issuer {
	return &Issuer{config: c, keys: newKeySet(c.URL, log.With("issuer", c.Issuer))}
}

// Config returns what the issuer was made from.
func (i *Issuer) Config() IssuerConfig { return i.config }

// Name returns the iss of the issuer's tokens.
func (i *Issuer) Name() string { return i.config.Issuer }

// Ground names what the rights of the issuer's tokens rest on: its entry in the configuration. One that was changed is another ground.
func (i *Issuer) Ground() string {
	entry, _ := json.Marshal(i.config) // texts and numbers, which cannot fail
	sum := sha256.Sum256(entry)
	return fmt.Sprintf("issuer %s %x", i.config.Issuer, sum[:8])
}

// Fetch asks for the issuer's keys. Its error says why there are none that can be used.
func (i *Issuer) Fetch(ctx context.Context) error { return i.keys.fetch(ctx, time.Now()) }

// Bearer is who a token of an issuer speaks for.
type Bearer struct {
	Identity
	Deployments []int64 // nil: every one of the tenant
	TokenID     string
	Expires     time.Time
}

// maxTokenID bounds the id of a token, in bytes.
const maxTokenID = 255

// Verify returns who a token speaks for. The error is a *Refusal where a good token lacks what this service needs, and ErrNoKeys where it
// cannot be judged.
func (i *Issuer) Verify(ctx context.Context, token string, now time.Time) (*Bearer, error) {
	by := &signatures{keySet: i.keys, now: now}
	verifier := oidc.NewVerifier(i.config.Issuer, by, &oidc.Config{
		ClientID: i.config.Audience, SupportedSigningAlgs: algorithms(), Now: func() time.Time { return now },
	})
	verified, err := verifier.Verify(ctx, token)
	if by.noKeys {
		return nil, ErrNoKeys
	}
	if err != nil {
		return nil, err
	}
	said := claims{}
	if err := verified.Claims(&said); err != nil {
		return nil, err
	}
	return i.config.bearer(verified, said, token)
}

// bearer reads the claims of a token that was verified, whose text is raw. They choose neither the tenant nor roles, and only narrow what the
// configuration allows.
func (c IssuerConfig) bearer(token *oidc.IDToken, said claims, raw string) (*Bearer, error) {
	who := &Bearer{
		Identity: Identity{
			Issuer: token.Issuer, Subject: said.subject(c.Subject), Tenant: c.Tenant, Name: said.text("name"), UID: said.uid(c.UIDClaim),
			Email: said.email(c.EmailTrusted), Shown: said.shown(),
		},
		TokenID: said.tokenID(raw), Expires: token.Expiry,
	}
	switch {
	case !IsTokenID(who.TokenID):
		return nil, &Refusal{Reason: "what would name it in a revocation, its jti, else its uti, is not 1 to 255 visible ASCII characters"}
	case who.Subject == "":
		return nil, &Refusal{Reason: "it has no sub, or no oid where that is the subject"}
	case c.UIDClaim != "" && who.UID == 0:
		return nil, &Refusal{Reason: "it has no whole number from 1 to 2^40-1 as " + c.UIDClaim}
	}
	var wrong error
	who.Actions, wrong = c.actions(said)
	if wrong == nil {
		who.Deployments, wrong = c.deployments(said)
	}
	return who, wrong
}

// tokenID returns what a revocation of a token names, whose text is raw: its jti, of Entra ID its uti, else a digest of what is signed. It is
// empty where the first of these that the token has cannot be used.
func (c claims) tokenID(raw string) string {
	for _, name := range []string{"jti", "uti"} {
		if _, has := c[name]; has {
			return c.text(name)
		}
	}
	return digest(raw)
}

// digest returns the SHA-256 of what a token signs, its header and its payload, as they stand there. It is empty for a token that writes them in
// another way than the one of RFC 4648 §5: its signature would be as good, and its digest one that no revocation names.
func digest(raw string) string {
	signed := raw[:strings.LastIndexByte(raw, '.')]
	for part := range strings.SplitSeq(signed, ".") {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || base64.RawURLEncoding.EncodeToString(text) != part {
			return ""
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(signed)))
}

// IsTokenID reports whether an id of a token is one of those that are taken: a revocation can name it.
func IsTokenID(id string) bool {
	return id != "" && len(id) <= maxTokenID && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// actions returns what both the configuration and the token allow.
func (c IssuerConfig) actions(said claims) ([]string, error) {
	var own []string
	switch present, err := said.list("actions", &own); {
	case err != nil:
		return nil, err
	case !present:
		return c.Actions, nil
	}
	both := []string{}
	for _, pair := range []struct{ of, within []string }{{own, c.Actions}, {c.Actions, own}} {
		for _, action := range pair.of {
			if (record.Actor{Actions: pair.within}).Covers(action) {
				both = append(both, action)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both), nil
}

// deployments returns those that both the configuration and the token name; nil for every one of the tenant.
func (c IssuerConfig) deployments(said claims) ([]int64, error) {
	own := []int64{}
	switch present, err := said.list("deployments", &own); {
	case err != nil:
		return nil, err
	case !present:
		return c.Deployments, nil
	case c.Deployments == nil:
		return own, nil
	}
	return slices.DeleteFunc(own, func(d int64) bool { return !slices.Contains(c.Deployments, d) }), nil
}

// list reads a claim that narrows the bearer's rights: one that cannot be read must not be as good as none.
func (c claims) list(name string, into any) (present bool, err error) {
	raw, present := c[name]
	if present && (string(raw) == "null" || json.Unmarshal(raw, into) != nil) {
		return true, &Refusal{Reason: "its " + name + " are no list of what is expected there"}
	}
	return present, nil
}
