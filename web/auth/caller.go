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

	TokenID string // jti, what a revocation names
	Expires time.Time
}

// InDeployment reports whether the token covers deployment d.
func (c *Caller) InDeployment(d int64) bool {
	return c.Deployments == nil || slices.Contains(c.Deployments, d)
}

// IsAdmin reports whether the token carries All.
func (c *Caller) IsAdmin() bool { return slices.Contains(c.Actions, record.ActionAll) }

// Identity names the caller, whichever of their tokens they use; a token with neither sub nor uid is a caller of its own.
func (c *Caller) Identity() string {
	if c.Subject == "" && c.ID == 0 {
		return fmt.Sprintf("%q token %q", c.Issuer, c.TokenID)
	}
	return fmt.Sprintf("%q %q %d", c.Issuer, c.Subject, c.ID)
}
