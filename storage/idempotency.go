package storage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	idempotencyKept     = 24 * time.Hour  // decisions.md §1
	idempotencyInFlight = 2 * time.Minute // longer than a request may take; frees the key of a process that died
)

// ErrOtherBody: the Idempotency-Key was used with another body (422).
var ErrOtherBody = errors.New("the Idempotency-Key was used for a request with another body: use a new key")

// Response is what a request was answered, kept to be given again.
type Response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   []byte            `json:"body"`
}

// Attempt is the first request under an Idempotency-Key. It must be finished or abandoned.
type Attempt struct {
	s          *Store
	key, token string
}

// beginScript claims an idempotency key, once.
//
//	KEYS   the record
//	ARGV   token, digest of the body, ms until a claim that nobody finishes is free again
//	result {'first'}, {'body'} for another body, {'running'}, or {'done', response}
var beginScript = redis.NewScript(`
local body = redis.call('HGET', KEYS[1], 'body')
if not body then
  redis.call('HSET', KEYS[1], 'body', ARGV[2], 'token', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'first'}
end
if body ~= ARGV[2] then return {'body'} end
local response = redis.call('HGET', KEYS[1], 'response')
if not response then return {'running'} end
return {'done', response}`)

// BeginIdempotent claims an Idempotency-Key of a tenant. scope is whatever sets requests apart that may use the same key: who asks, and which
// method and path. The first request gets an Attempt, a repetition the Response of the first. Errors: the *Conflict
// idempotency_in_flight, ErrOtherBody.
func (s *Store) BeginIdempotent(ctx context.Context, tenant, scope, key string, body []byte) (*Attempt, *Response, error) {
	who := sha256.Sum256(fmt.Appendf(nil, "%d:%s:%s", len(scope), scope, key))
	what := sha256.Sum256(body)
	a := &Attempt{s: s, key: s.tenant(tenant).idempotency(hex.EncodeToString(who[:])), token: rand.Text()}
	out, err := beginScript.Run(ctx, s.rdb, []string{a.key}, a.token, hex.EncodeToString(what[:]), idempotencyInFlight.Milliseconds()).StringSlice()
	if err != nil {
		return nil, nil, unavailable(err)
	}
	switch out[0] {
	case "first":
		return a, nil, nil
	case "body":
		return nil, nil, ErrOtherBody
	case "running":
		return nil, nil, &Conflict{
			Code: CodeInFlight, Retryable: true,
			Message: "The first request with this Idempotency-Key is still being answered: send it again in a moment.",
		}
	}
	r := new(Response)
	if err := json.Unmarshal([]byte(out[1]), r); err != nil {
		return nil, nil, fmt.Errorf("idempotency record: %w", err)
	}
	return nil, r, nil
}

// endScript ends an attempt that still has its claim: with a response it is kept, without one the key is free again.
//
//	KEYS   the record
//	ARGV   token, response, ms to keep it
//	result 1, or 0 when the claim ran out
var endScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'response', ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])`)

// Finish keeps the response for whoever repeats the request within 24 hours.
func (a *Attempt) Finish(ctx context.Context, r Response) error {
	text, err := encode(r)
	if err != nil {
		return err
	}
	return a.end(ctx, text)
}

// Abandon frees the key: the request failed in a way that a repetition may not.
func (a *Attempt) Abandon(ctx context.Context) error { return a.end(ctx, "") }

func (a *Attempt) end(ctx context.Context, response string) error {
	return unavailable(endScript.Run(ctx, a.s.rdb, []string{a.key}, a.token, response, idempotencyKept.Milliseconds()).Err())
}
