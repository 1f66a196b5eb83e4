package record

import (
	"slices"
	"time"
)

// PairingState is how far the pairing of a device has come.
type PairingState string

// The states of a pairing.
const (
	PairingPending  PairingState = "pending"
	PairingApproved PairingState = "approved"
	PairingDenied   PairingState = "denied"
)

// Pairing is the request of a device to be signed in, until a person has decided and the device has heard of it (RFC 8628).
type Pairing struct {
	UserCode   string       `json:"userCode"`
	ClientName string       `json:"clientName"` // as the device calls itself
	Address    string       `json:"address"`    // of the device, as the server saw it
	Tenant     string       `json:"tenant"`     // whose host name the device asked; empty: no tenant's
	Requested  time.Time    `json:"requested"`
	Expires    time.Time    `json:"expires"`
	State      PairingState `json:"state"`
	Interval   int          `json:"interval"`        // seconds between two polls of the device, at least
	NextPoll   time.Time    `json:"nextPoll"`        // a poll before that is too early
	Grant      *Device      `json:"grant,omitempty"` // what was approved

	Stored // of the pairing as it was read
}

// Device is a device that is signed in: what it was granted, and its refresh tokens. Each refresh token has a generation, from 1 on.
type Device struct {
	ID         string    `json:"id"`
	ClientName string    `json:"clientName"`
	Address    string    `json:"address"`
	Approved   time.Time `json:"approved"`
	Used       time.Time `json:"used"` // when it last got tokens
	Expires    time.Time `json:"expires"`
	Generation int64     `json:"generation"` // of the refresh token that is good
	Renewed    time.Time `json:"renewed"`    // when that replaced the one before

	// On whose behalf the device acts.
	UserID      int64    `json:"uid"`
	Subject     string   `json:"subject"`
	Email       string   `json:"email"`
	Name        string   `json:"name"`
	Tenant      string   `json:"tenant"`
	Deployments []int64  `json:"deployments"` // at least one
	Roles       []int64  `json:"roles"`
	Actions     []string `json:"actions"`
	Bound       []string `json:"bound,omitzero"` // see Actor; nil: of a device that was approved before there were bounds
	Approver    string   `json:"approver"`       // the id of the token with which it was approved
	Grounds     []string `json:"grounds"`        // of the token with which it was approved, see auth.Caller
	From        string   `json:"from"`           // address of the person who approved it
	Owner       string   `json:"owner"`          // who approved it, as auth.Caller.Identity says

	Stored // of the device as it was read
}

// ApprovedBy is who approved the device, as the audit names them.
func (d *Device) ApprovedBy() Actor {
	return Actor{ID: d.UserID, Email: d.Email, Name: d.Name, Via: Via{Token: JTI(d.Approver), Address: d.From}}
}

// Stored is the text of a record as it was read, which a write of the record replaces; no text of a new one.
type Stored struct {
	Key  string `json:"-"`
	Text string `json:"-"`
}

// Covers reports whether the actor's own actions, as far as the token's bound lets them, include an action or imply it.
func (w Actor) Covers(action string) bool { return cover(w.Actions, action) && w.Bounds(action) }

// Bounds reports whether an action is within the token's bound.
func (w Actor) Bounds(action string) bool { return w.Bound == nil || cover(w.Bound, action) }

// cover reports whether actions include an action, or imply it.
func cover(actions []string, action string) bool {
	if slices.Contains(actions, action) || slices.Contains(actions, ActionAll) {
		return true
	}
	if action == ActionAll {
		return false
	}
	return implied(reportActions, actions, action) || implied(workbookActions, actions, action)
}

// implied reports whether the actions reach the level that one of the table grants.
func implied(table map[string]Level, actions []string, action string) bool {
	level, known := table[action]
	return known && highest(table, actions) >= level
}

// Session is a person who is signed in in a browser, by a key or by a provider of identities.
type Session struct {
	CSRF    string    `json:"csrf"`    // what the session's writes carry beside its cookie
	Expires time.Time `json:"expires"` // with the key

	// For whom it acts, as the key or the provider said.
	UserID      int64    `json:"uid"`
	Issuer      string   `json:"issuer"`
	Subject     string   `json:"subject"`
	Email       string   `json:"email"`
	Name        string   `json:"name"`
	Shown       string   `json:"shown,omitempty"` // see auth.Caller
	Tenant      string   `json:"tenant"`
	Deployments []int64  `json:"deployments"` // null: every one of the tenant
	Roles       []int64  `json:"roles"`
	Actions     []string `json:"actions"`
	Bound       []string `json:"bound,omitzero"` // see Actor
	TokenID     string   `json:"tokenId"`        // the key's id, or one of the session: what a revocation names
	Device      string   `json:"device"`         // whose key it was; empty: no device's
	Approver    string   `json:"approver"`
	Grounds     []string `json:"grounds"` // of the key, see auth.Caller
}

// SignIn is a person who was sent to a provider of identities and has not come back yet.
type SignIn struct {
	Issuer   string `json:"issuer,omitempty"` // to which the person was sent; empty: from before there could be several
	Nonce    string `json:"nonce"`            // which the provider's answer repeats
	Verifier string `json:"verifier"`         // of PKCE (RFC 7636)
	Browser  string `json:"browser"`          // a secret that only the person's browser knows
	Callback string `json:"callback"`         // where the provider sends the person
	Next     string `json:"next"`             // the path that the person wants to see
}
