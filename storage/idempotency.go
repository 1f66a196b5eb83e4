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

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

const (
	idempotencyKept     = 24 * time.Hour  // decisions.md §1
	idempotencyInFlight = 2 * time.Minute // longer than a request may take; frees the key of a process that died

	// What is kept of one caller's answers: the latest, up to both bounds.
	MaxKeptAnswers = 1000
	MaxKeptBytes   = 16 << 20
)

// IdempotencyKey names a request together with its repetitions.
type IdempotencyKey struct {
	Who     string // the caller, whichever token was sent
	Request string // method and path
	Key     string // the header
}

// digest names the record of k.
func (k IdempotencyKey) digest() string { return digestOf(k.Who, k.Request, k.Key) }

// digestOf is a hash of texts that no other texts share.
func digestOf(texts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(sum[:])
}

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
	s                  *Store
	keys               tenantKeys
	who, digest, token string
}

// beginScript claims an idempotency key, once.
//
//	KEYS   the record
//	ARGV   token, digest of the body, ms until a claim that is never finished is free again
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

// BeginIdempotent claims an Idempotency-Key of a tenant. The first request gets an Attempt, a repetition the Response of the first.
// Errors: the *placements.Error CodeKeyInFlight, ErrOtherBody.
func (s *Store) BeginIdempotent(ctx context.Context, tenant string, key IdempotencyKey, body []byte) (*Attempt, *Response, error) {
	what := sha256.Sum256(body)
	a := &Attempt{s: s, keys: s.tenant(tenant), who: digestOf(key.Who), digest: key.digest(), token: rand.Text()}
	out, err := beginScript.Run(ctx, s.rdb, []string{a.keys.idempotency(a.digest)},
		a.token, hex.EncodeToString(what[:]), idempotencyInFlight.Milliseconds()).StringSlice()
	if err != nil {
		return nil, nil, redis.Unavailable(err)
	}
	switch out[0] {
	case "first":
		return a, nil, nil
	case "body":
		return nil, nil, ErrOtherBody
	case "running":
		return nil, nil, placements.Errorf(placements.CodeKeyInFlight,
			"The first request with this Idempotency-Key is still being answered: send it again in a moment.")
	}
	r := new(Response)
	if err := json.Unmarshal([]byte(out[1]), r); err != nil {
		return nil, nil, fmt.Errorf("idempotency record: %w", err)
	}
	return nil, r, nil
}

// endScript ends an attempt that still has its claim: with a response it is kept, and the caller's oldest ones go when they are too many or
// too large; without one the key is free again.
//
//	KEYS   the record, what is kept for the caller
//	ARGV   token, response, ms to keep it, digest of the record, prefix of records, answers to keep, bytes to keep
//	result 1, or 0 when the claim ran out
var endScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'response', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZADD', KEYS[2], now, #ARGV[2] .. ':' .. ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local kept, bytes = redis.call('ZREVRANGE', KEYS[2], 0, -1), 0
for i, one in ipairs(kept) do
  local size, digest = string.match(one, '^(%d+):(.*)$')
  bytes = bytes + tonumber(size)
  if i > tonumber(ARGV[6]) or bytes > tonumber(ARGV[7]) then
    redis.call('ZREM', KEYS[2], one)
    redis.call('DEL', ARGV[5] .. digest)
  end
end
return 1`)

// Finish keeps the response for those who repeat the request within 24 hours. Of one caller the latest MaxKeptAnswers are kept, as far as
// they have no more than MaxKeptBytes together.
func (a *Attempt) Finish(ctx context.Context, r Response) error {
	text, err := record.Encode(r)
	if err != nil {
		return err
	}
	return a.end(ctx, text)
}

// Abandon frees the key: the request failed in a way that a repetition may not.
func (a *Attempt) Abandon(ctx context.Context) error { return a.end(ctx, "") }

func (a *Attempt) end(ctx context.Context, response string) error {
	return redis.Unavailable(endScript.Run(ctx, a.s.rdb, []string{a.keys.idempotency(a.digest), a.keys.keptAnswers(a.who)},
		a.token, response, idempotencyKept.Milliseconds(), a.digest, a.keys.idempotency(""), MaxKeptAnswers, MaxKeptBytes).Err())
}
