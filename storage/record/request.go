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
	TokenID string    // jti
	Until   time.Time // when it is forgotten: the token has expired then
}
