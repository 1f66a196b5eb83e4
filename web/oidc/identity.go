package oidc

import (
	"encoding/json"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
)

// groupsClaim is the claim, and the scope, of a person's groups.
const groupsClaim = "groups"

// maxUID is the highest number that JSON carries without loss.
const maxUID = 1 << 53

// Identity is a person for whom the provider vouches.
type Identity struct {
	Issuer, Subject string
	Tenant          string
	UID             int64 // 0: the configuration names no claim of it
	Email, Name     string
	Actions         []string
	Roles           []int64
}

// Refusal says why a person is not signed in. Its text is for the log.
type Refusal struct {
	Reason string
	Denied bool // by the person, or by the provider before it issued anything
}

func (r *Refusal) Error() string { return r.Reason }

// claims are the members of an ID token.
type claims map[string]json.RawMessage

// text returns a claim that is a text; empty for others.
func (c claims) text(name string) (s string) {
	_ = json.Unmarshal(c[name], &s) // what is no text is as good as none
	return s
}

// texts returns a claim that is a list of texts, or one text.
func (c claims) texts(name string) (list []string) {
	if one := c.text(name); one != "" {
		return []string{one}
	}
	if json.Unmarshal(c[name], &list) != nil {
		return nil
	}
	return list
}

// uid returns a claim that is a user's number; 0 for others.
func (c claims) uid(name string) (n int64) {
	if json.Unmarshal(c[name], &n) != nil || n < 1 || n > maxUID {
		return 0
	}
	return n
}

// email returns the person's email if the provider says that it has seen it to be theirs, or is trusted to have; else none: whoever may write
// their own email there would be taken for others. Some providers write truth as a text or a number.
func (c claims) email(trusted bool) string {
	for _, name := range []string{"email_verified", "xms_edov"} {
		trusted = trusted || slices.Contains([]string{"true", `"true"`, "1", `"1"`}, string(c[name]))
	}
	if !trusted {
		return ""
	}
	return c.text("email")
}

// identity reads the claims of a token that was verified.
func (c Config) identity(token *oidc.IDToken, said claims) (*Identity, error) {
	who := &Identity{
		Issuer: token.Issuer, Subject: token.Subject, Tenant: said.text(c.TenantClaim), Name: said.text("name"), UID: said.uid(c.UIDClaim),
	}
	who.Email = said.email(c.EmailTrusted)
	who.Actions, who.Roles = c.grants(said.texts(groupsClaim))
	switch {
	case who.Subject == "" || who.Tenant == "":
		return nil, &Refusal{Reason: "the ID token has no sub or no text as " + c.TenantClaim}
	case c.UIDClaim != "" && who.UID == 0:
		return nil, &Refusal{Reason: "the ID token has no whole number from 1 on as " + c.UIDClaim}
	case len(who.Actions)+len(who.Roles) == 0:
		return nil, &Refusal{Reason: "no group of the person may do anything"}
	}
	return who, nil
}
