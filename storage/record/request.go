package record

import "time"

// IdempotencyKey names a request together with its repetitions.
type IdempotencyKey struct {
	Who     string // the caller, whichever token was sent
	Request string // method and path
	Key     string // the header
}

// Once is a request's hold on its Idempotency-Key. What the request creates is noted with the key in the step that creates it, so that a
// repetition finds it although the answer was lost. The zero value holds no key.
type Once struct {
	Record string // where it is stored
	Token  string // of the hold, which another request has once this one took too long
	Made   int64  // id of what an earlier request under the key has created; 0: nothing
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
