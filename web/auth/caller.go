package auth

import (
	"fmt"
	"slices"
	"time"

	"mooring/storage/record"
)

// Caller is who sent a request, as its token says (decisions.md §3).
type Caller struct {
	record.Actor
	Tenant      string
	Issuer      string
	Subject     string
	Deployments []int64 // nil: every deployment of the tenant

	TokenID string // jti or, of another issuer, TokenOf: what a revocation names
	Expires time.Time

	// Of a token of a device that was paired; empty for others. A revocation of either ends the token too.
	Device   string // its id
	Approver string // jti of the token with which the device was approved

	// Grounds are what the caller's rights rest on, each of which is to be trusted still: the key that signed the token, see
	// Keyring.Vouches, or the entry of another issuer; of a device those of its approver too. Empty: sessions and devices from before that
	// was recorded, and people for whom a provider vouches.
	Grounds []string

	CSRF string // of a session: what its writes carry beside its cookie; empty for a token
}

// InDeployment reports whether the token covers deployment d.
func (c *Caller) InDeployment(d int64) bool {
	return c.Deployments == nil || slices.Contains(c.Deployments, d)
}

// IsAdmin reports whether the token carries All.
func (c *Caller) IsAdmin() bool { return slices.Contains(c.Actions, record.ActionAll) }

// Grants returns what is wrong with granting a device these deployments and actions; nil when the caller has all of them.
func (c *Caller) Grants(deployments []int64, actions []string) error {
	for _, d := range deployments {
		if !c.InDeployment(d) {
			return fmt.Errorf("deployment %d", d)
		}
	}
	for _, a := range actions {
		if !c.Covers(a) {
			return fmt.Errorf("the action %.80s", a)
		}
	}
	return nil
}

// Identity names the caller, whichever of their tokens they use; a token with neither sub nor uid is a caller of its own.
func (c *Caller) Identity() string {
	if c.Subject == "" && c.ID == 0 {
		return fmt.Sprintf("%q token %q", c.Issuer, c.TokenID)
	}
	return fmt.Sprintf("%q %q %d", c.Issuer, c.Subject, c.ID)
}
