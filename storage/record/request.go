package record

import "time"

// IdempotencyKey names a request together with its repetitions.
type IdempotencyKey struct {
	Who     string // the caller, whichever token was sent
	Request string // method and path
	Key     string // the header
}

// Response is what a request was answered, kept to be sent again.
type Response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   []byte            `json:"body"`
}

// Revocation is a revoked token.
type Revocation struct {
	TokenID string    `json:"-"`            // of the token, see TokenOf, or the id of a device
	Until   time.Time `json:"-"`            // when it is forgotten: the token has expired then
	At      string    `json:"at"`           // RFC 3339, UTC, with milliseconds; empty where it is not known
	By      *User     `json:"by,omitempty"` // nil: on the command line
}
