package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// addSessionScript is add_session.lua.
var addSessionScript = redis.NewScript(redis.NowLua + redis.JoinLua(luaFiles, "add_session"))

// maxSessions is how many sessions of a holder are kept: the next one ends the oldest.
const maxSessions = 50

// AddSession stores a session under the value of its cookie until it expires, or until the same holder has begun maxSessions others.
func (r *Records) AddSession(ctx context.Context, cookie, holder string, s *record.Session) error {
	text, err := record.Encode(s)
	if err != nil {
		return err
	}
	lasts := max(s.Expires.Sub(r.now()), time.Millisecond).Milliseconds()
	keys := []string{sessionKeys{}.session(cookie), sessionKeys{}.ofHolder(digestOf(s.Tenant, holder))}
	return redis.Unavailable(addSessionScript.Run(ctx, r.rdb, keys, text, lasts, maxSessions).Err())
}

// Session returns the session of a cookie; false: there is none, or no longer.
func (r *Records) Session(ctx context.Context, cookie string) (*record.Session, bool, error) {
	s := new(record.Session)
	found, err := r.readStored(ctx, sessionKeys{}.session(cookie), s, new(record.Stored))
	return s, found, err
}

// EndSession forgets the session of a cookie.
func (r *Records) EndSession(ctx context.Context, cookie string) error {
	return redis.Unavailable(r.rdb.Del(ctx, sessionKeys{}.session(cookie)).Err())
}

// CountSignIn counts a sign-in of a holder, or from an address whose users are sent to a provider, against rate, and returns 0; or how long
// to wait.
func (r *Records) CountSignIn(ctx context.Context, who string, rate record.Rate) (time.Duration, error) {
	cost := 1e6 / rate.PerSecond
	wait, _, err := redis.TakeTokens(ctx, r.rdb, sessionKeys{}.rate(who), cost, cost*float64(rate.Burst))
	return wait, err
}

// AddSignIn remembers until then who was sent to a provider with a state.
func (r *Records) AddSignIn(ctx context.Context, state string, s *record.SignIn, until time.Time) error {
	return r.addUntil(ctx, sessionKeys{}.signIn(state), s, until)
}

// TakeSignIn returns who was sent with a state, and forgets it; false: there is none, or no longer.
func (r *Records) TakeSignIn(ctx context.Context, state string) (*record.SignIn, bool, error) {
	key := sessionKeys{}.signIn(state)
	text, err := r.rdb.GetDel(ctx, key).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, redis.Unavailable(err)
	}
	s := new(record.SignIn)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, false, fmt.Errorf("%s: %w", key, err)
	}
	return s, true, nil
}

// addUntil stores v as JSON at key until then.
func (r *Records) addUntil(ctx context.Context, key string, v any, until time.Time) error {
	text, err := record.Encode(v)
	if err != nil {
		return err
	}
	return redis.Unavailable(r.rdb.Set(ctx, key, text, max(until.Sub(r.now()), time.Millisecond)).Err())
}

// userScript numbers the persons of a tenant.
var userScript = redis.NewScript(`
local users, person = KEYS[1], ARGV[1]
local number = redis.call('HGET', users, person)
if not number then
  number = redis.call('HINCRBY', users, 'last', 1)
  redis.call('HSET', users, person, number)
end
return tonumber(number)`)

// UserOf returns the uid of the person whom an issuer calls subject; a new one if they have none yet.
func (r *Records) UserOf(ctx context.Context, tenant, issuer, subject string) (int64, error) {
	number, err := userScript.Run(ctx, r.rdb, []string{r.keys(tenant).users()}, digestOf(issuer, subject)).Int64()
	return record.FirstUser + number, redis.Unavailable(err)
}
