package record

import "time"

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
	Tenant      string   `json:"tenant"`
	Deployments []int64  `json:"deployments"` // null: every one of the tenant
	Roles       []int64  `json:"roles"`
	Actions     []string `json:"actions"`
	TokenID     string   `json:"tokenId"` // the key's jti, or an id of the session: what a revocation names
	Device      string   `json:"device"`  // whose key it was; empty: no device's
	Approver    string   `json:"approver"`
}

// SignIn is a person who was sent to a provider of identities and has not come back yet.
type SignIn struct {
	Nonce    string `json:"nonce"`    // which the provider's answer repeats
	Verifier string `json:"verifier"` // of PKCE (RFC 7636)
	Browser  string `json:"browser"`  // a secret that only the person's browser knows
	Callback string `json:"callback"` // where the provider sends the person
	Next     string `json:"next"`     // the path that the person wants to see
}
