package record

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"time"
)

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

	// Runs is what the ids of the runs of earlier requests under the key are made from, and Run the id of one of them; empty: there is none.
	Runs, Run string
}

// Seed is what the ids of runs under the key are made from.
func (o Once) Seed() string { return cmp.Or(o.Runs, o.Token) }

// RunID returns the id of the run of that name under the key, the same in each of its requests. Without a key it is a new one each time.
func (o Once) RunID(name string) string {
	if o.Record == "" {
		return rand.Text()
	}
	sum := sha256.Sum256([]byte(o.Seed() + " " + name))
	return base32.StdEncoding.EncodeToString(sum[:])[:len(rand.Text())]
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
