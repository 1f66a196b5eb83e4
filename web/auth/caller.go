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
	Shown       string  // by what the caller knows their account, where its email does not count; no right comes from it

	TokenID string // what a revocation names, see record.TokenOf
	Expires time.Time

	// Of a token of a device that was paired, and the second of a key that a person has made; empty for others. A revocation of either ends the
	// token too.
	Device   string // its id
	Approver string // id of the token with which the device was approved, or the key made

	// Grounds are what the caller's rights rest on, each of which is to be trusted still: the key that signed the token, see
	// Keyring.Vouches, or the entry of another issuer; of a device or made key those of its approver too. Empty: sessions and devices from before that
	// was recorded, and people for whom a provider vouches.
	Grounds []string

	CSRF string // of a session: what its writes carry beside its cookie; empty for a token
}

// InDeployment reports whether the token covers deployment d.
func (c *Caller) InDeployment(d int64) bool {
	return c.Deployments == nil || slices.Contains(c.Deployments, d)
}

// IsAdmin reports whether the token carries All.
func (c *Caller) IsAdmin() bool { return c.Covers(record.ActionAll) }

// ManagesAccount reports whether the token carries All for every deployment: what belongs to the whole account is changed by no less.
func (c *Caller) ManagesAccount() bool { return c.IsAdmin() && c.Deployments == nil }

// Personal reports whether the token is a person's own, not one that was made for some purpose only: that of a device, or one that is
// bounded. Only a personal one decides on the person's devices and makes keys.
func (c *Caller) Personal() bool { return c.Device == "" && c.Bound == nil }

// SeesDevice reports whether the token may see a device of its user and sign it out. One that is not personal sees no other than its own.
func (c *Caller) SeesDevice(id string) bool { return c.Personal() || c.Device == id }

// SeesKey reports whether the token may see a key that was made and end it: those of its person and, where it manages the account, everybody's.
// One that is not personal sees no other than itself.
func (c *Caller) SeesKey(k *record.Key) bool {
	if !c.Personal() {
		return c.TokenID == k.ID
	}
	return c.ManagesAccount() || c.Identity() == k.Owner
}

// Made reports whether the token is a key that a person has made, or a session with one.
func (c *Caller) Made() bool { return c.Bound != nil && c.Device == "" && c.Approver != "" }

// Holder names whose sessions and sign-ins are counted together: the person's, except that each device and each bounded key is a holder of
// its own, so that it uses up nothing of its person's.
func (c *Caller) Holder() string {
	switch {
	case c.Personal():
		return c.Identity()
	case c.Device != "":
		return fmt.Sprintf("%s device %q", c.Identity(), c.Device)
	default:
		return fmt.Sprintf("%s token %q", c.Identity(), c.TokenID)
	}
}

// Grant is what a device, or a key that a person makes, may do: the actions are its own, in every one of the deployments. Bound says what it may
// do at most by the roles of who approves it and with what they created; the actions are always within it.
type Grant struct {
	Deployments    []int64
	Actions, Bound []string
}

// Bounds is the bound of the tokens; never nil.
func (g Grant) Bounds() []string {
	all := append([]string{}, g.Actions...)
	for _, a := range g.Bound {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// Grants returns what is wrong with granting that; nil when the caller has all of it. A bound grants nothing and is not asked
// about: who may grant has a personal token, which has none.
func (c *Caller) Grants(g Grant) error {
	for _, d := range g.Deployments {
		if !c.InDeployment(d) {
			return fmt.Errorf("deployment %d", d)
		}
	}
	for _, a := range g.Actions {
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
