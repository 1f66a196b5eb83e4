package oidc

import (
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Identity is a person for whom an issuer vouches.
type Identity struct {
	Issuer, Subject string
	Tenant          string
	UID             int64  // 0: the configuration names no claim of it
	Email, Name     string // the email only if it is known to be theirs
	Shown           string // by what they know their account, for their own eyes
	Actions         []string
	Roles           []int64
}

// Refusal says why a person is not signed in, or why a token does not count. Its text is for the log, Code for the person.
type Refusal struct {
	Reason string
	Code   ClaimCode // empty: none that a person could do something about
}

func (r *Refusal) Error() string { return r.Reason }

// ClaimCode says which claim a refusal rests on.
type ClaimCode string

// The codes of refusals.
const (
	Denied          ClaimCode = "denied" // by the person, or by the provider before it issued anything
	NoGroup         ClaimCode = "no_group"
	GroupsOverage   ClaimCode = "groups_overage"
	Domain          ClaimCode = "domain"
	EmailUnverified ClaimCode = "email_unverified"
	Tenant          ClaimCode = "tenant"
)

// identity reads the claims of a token that was verified.
func (c Config) identity(token *oidc.IDToken, said claims) (*Identity, error) {
	issuer := c.Issuer // Google has two names for itself
	if c.hasHole() {
		issuer = token.Issuer
	}
	who := &Identity{
		Issuer: issuer, Subject: said.subject(c.Subject), UID: said.uid(c.UIDClaim), Name: said.text("name"), Email: c.email(said), Shown: said.shown(),
	}
	switch {
	case c.hasHole() && token.Issuer != c.of(said.text("tid")):
		return nil, &Refusal{Reason: "the ID token names an issuer that is not that of its tid"}
	case who.Subject == "":
		return nil, &Refusal{Reason: "the ID token has no sub, or no oid where that is the subject"}
	case c.UIDClaim != "" && who.UID == 0:
		return nil, &Refusal{Reason: "the ID token has no whole number from 1 to 2^40-1 as " + c.UIDClaim}
	}
	var refused *Refusal
	if who.Tenant, refused = c.tenantOf(said); refused != nil {
		return nil, refused
	}
	if who.Actions, who.Roles, refused = c.rights(said, who.Email); refused != nil {
		return nil, refused
	}
	return who, nil
}

// email returns the person's email if it is known to be theirs. Google verifies an address when the account is made, and is who has it only
// where the account is of a Workspace or the address its own.
func (c Config) email(said claims) string {
	email := said.email(c.EmailTrusted)
	hosted := said.text("hd") != "" || strings.HasSuffix(strings.ToLower(email), "@gmail.com")
	if c.Issuer == google && !c.EmailTrusted && !hosted {
		return ""
	}
	return email
}

// tenantOf returns the tenant of the person.
func (c Config) tenantOf(said claims) (string, *Refusal) {
	switch {
	case c.Tenant != "":
		return c.Tenant, nil
	case c.TenantClaim != "":
		if name := said.text(c.TenantClaim); name != "" {
			return name, nil
		}
		return "", &Refusal{Reason: "the ID token has no text as " + c.TenantClaim, Code: Tenant}
	}
	name, code := "tid", Tenant
	if said.text(name) == "" {
		name, code = "hd", Domain
	}
	for key, tenant := range c.Tenants {
		if key != "" && strings.EqualFold(key, said.text(name)) { // no claim is no key
			return tenant, nil
		}
	}
	return "", &Refusal{Reason: "tenants has no tenant for the " + name + " of the ID token", Code: code}
}

// rights returns what the person may do.
func (c Config) rights(said claims, email string) (actions []string, roles []int64, refused *Refusal) {
	if c.readsGroups() && said.overage() {
		return nil, nil, &Refusal{Reason: "the token lists no groups (more than 200): use app roles", Code: GroupsOverage}
	}
	actions = slices.Clone(c.Everyone)
	for _, key := range c.held(said, email) {
		actions = append(actions, c.Actions[key]...)
		roles = append(roles, c.Roles[key]...)
	}
	if len(actions)+len(roles) == 0 {
		return nil, nil, c.noRights(email)
	}
	slices.Sort(actions)
	slices.Sort(roles)
	return slices.Compact(actions), slices.Compact(roles), nil
}

// readsGroups reports whether anything goes by the groups of a person.
func (c Config) readsGroups() bool {
	return (c.From == "" || c.From == fromGroups) && len(c.keys()) > 0
}

// held returns the keys of Actions and Roles that are the person's, and others of theirs.
func (c Config) held(said claims, email string) []string {
	switch c.From {
	case fromEmail:
		return slices.DeleteFunc(c.keys(), func(key string) bool { return !admits(key, email) })
	case fromRoles:
		return said.texts(fromRoles)
	case fromNone:
		return nil
	}
	return said.texts(fromGroups)
}

// admits reports whether a key of email addresses is that of one; no address has none.
func admits(key, email string) bool {
	if domain, all := strings.CutPrefix(key, "*"); all {
		at := strings.LastIndexByte(email, '@')
		return at > 0 && strings.EqualFold(email[at:], domain)
	}
	return strings.EqualFold(key, email)
}

// noRights says by which claim the person may do nothing.
func (c Config) noRights(email string) *Refusal {
	switch {
	case c.From == fromEmail && email == "":
		return &Refusal{Reason: "the email of the person counts for nothing: the ID token does not say that it is theirs", Code: EmailUnverified}
	case c.From == fromEmail:
		return &Refusal{Reason: "neither the email of the person nor its domain may do anything", Code: Domain}
	}
	return &Refusal{Reason: "no " + c.noun() + " of the person may do anything", Code: NoGroup}
}
