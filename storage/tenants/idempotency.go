package tenants

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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

// digestOf is a hash of texts that no other texts share.
func digestOf(texts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(sum[:])
}

// ErrOtherBody says that the Idempotency-Key was used with another body (422).
var ErrOtherBody = errors.New("the Idempotency-Key was used for a request with another body: use a new key")

// IdempotentRequest is the first request under an Idempotency-Key, or one that takes its place. It must be finished or abandoned.
type IdempotentRequest struct {
	rdb                redis.UniversalClient
	keys               tenantKeys
	who, digest, token string
	made               int64
	runs, run          string // see record.Once
}

// Once is the request's hold on its key, with what an earlier request under the key has created.
func (r *IdempotentRequest) Once() record.Once {
	return record.Once{Record: r.keys.idempotency(r.digest), Token: r.token, Made: r.made, Runs: r.runs, Run: r.run}
}

// NoteMade adds to the transaction of a creation that the request with that hold has made the record with that id. Without the hold the
// transaction changes nothing: another request may have created it.
func NoteMade(tx *redis.Txn, o record.Once, id int64) {
	tx.If(o.Token, "HGET", o.Record, "token")
	tx.Then("HSET", o.Record, "made", id)
	tx.Then("PEXPIRE", o.Record, idempotencyKept.Milliseconds())
}

// beginScript takes an Idempotency-Key: the first request does, and one that repeats a creation whose answer was not kept.
//
//	KEYS   the record
//	ARGV   token, digest of the body, ms until a key whose request never finishes is free again
//	result {'first'}, {'body'} for another body, {'running'}, {'made', id}, {'runs', seed, id of one}, or {'done', response}
var beginScript = redis.NewScript(`
local body = redis.call('HGET', KEYS[1], 'body')
if not body then
  redis.call('HSET', KEYS[1], 'body', ARGV[2], 'token', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'first'}
end
if body ~= ARGV[2] then return {'body'} end
local response = redis.call('HGET', KEYS[1], 'response')
if response then return {'done', response} end
local made, runs = redis.call('HGET', KEYS[1], 'made'), redis.call('HMGET', KEYS[1], 'runs', 'run')
if not made and not runs[1] then return {'running'} end
redis.call('HSET', KEYS[1], 'token', ARGV[1])
return made and {'made', made} or {'runs', runs[1], runs[2]}`)

// BeginIdempotent takes an Idempotency-Key of a tenant. The first request gets an IdempotentRequest, a repetition the Response of the
// first; where that was lost after a creation, the repetition gets an IdempotentRequest that says what was made. Errors: the *placements.Error CodeKeyInFlight, ErrOtherBody.
func (r *Records) BeginIdempotent(
	ctx context.Context, tenant string, key record.IdempotencyKey, body []byte,
) (*IdempotentRequest, *record.Response, error) {
	what := sha256.Sum256(body)
	first := &IdempotentRequest{
		rdb: r.rdb, keys: r.keys(tenant),
		who: digestOf(key.Who), digest: digestOf(key.Who, key.Request, key.Key), token: rand.Text(),
	}
	out, err := beginScript.Run(ctx, r.rdb, []string{first.keys.idempotency(first.digest)},
		first.token, hex.EncodeToString(what[:]), idempotencyInFlight.Milliseconds()).StringSlice()
	if err != nil {
		return nil, nil, redis.Unavailable(err)
	}
	switch out[0] {
	case "first":
		return first, nil, nil
	case "made":
		first.made, err = strconv.ParseInt(out[1], 10, 64)
		return first, nil, err
	case "runs":
		first.runs, first.run = out[1], out[2]
		return first, nil, nil
	case "body":
		return nil, nil, ErrOtherBody
	case "running":
		return nil, nil, placements.Errorf(placements.CodeKeyInFlight,
			"The first request with this Idempotency-Key is still being answered: send it again in a moment.")
	}
	answer := new(record.Response)
	if err := json.Unmarshal([]byte(out[1]), answer); err != nil {
		return nil, nil, fmt.Errorf("idempotency record: %w", err)
	}
	return nil, answer, nil
}

// luaFiles are the scripts of 15 lines and more.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// endScript ends a request that still holds its key: with a response it is kept, and the caller's oldest ones go when they are too many or
// too large; without one the key is free again.
var endScript = redis.NewScript(redis.NowLua + redis.JoinLua(luaFiles, "keep_answer"))

// Finish keeps the response for those who repeat the request within 24 hours. Of one caller the latest MaxKeptAnswers are kept, as far as
// they have no more than MaxKeptBytes together.
func (r *IdempotentRequest) Finish(ctx context.Context, answer record.Response) error {
	text, err := record.Encode(answer)
	if err != nil {
		return err
	}
	return r.end(ctx, text)
}

// Abandon frees the key: the request failed in a way that a repetition may not. The key under which something was created stays taken.
func (r *IdempotentRequest) Abandon(ctx context.Context) error { return r.end(ctx, "") }

func (r *IdempotentRequest) end(ctx context.Context, response string) error {
	return redis.Unavailable(endScript.Run(ctx, r.rdb, []string{r.keys.idempotency(r.digest), r.keys.keptAnswers(r.who)},
		r.token, response, idempotencyKept.Milliseconds(), r.digest, r.keys.idempotency(""), MaxKeptAnswers, MaxKeptBytes).Err())
}
