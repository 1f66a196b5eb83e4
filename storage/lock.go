package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// takeLocks is the part that every locking script begins with: all n locks at KEYS[1..n] are taken, or none is.
const takeLocks = `
local function takeLocks(n, token, ttl)
  for i = 1, n do
    if not redis.call('SET', KEYS[i], token, 'NX', 'PX', ttl) then
      for taken = 1, i - 1 do redis.call('DEL', KEYS[taken]) end
      return 0
    end
  end
  return 1
end
`

// held is a set of locks that this process took. The token is the fence: a commit under locks that ran out changes nothing.
type held struct {
	keys  []string
	token string
	freed *bool // a commit has released them
}

// hold names locks to take, under a new token.
func hold(keys ...string) held { return held{keys: keys, token: rand.Text(), freed: new(bool)} }

// untilLocked calls try until it says that the locks were taken, with jittered pauses, for at most s.lockWait: then ErrBusy.
func (s *Store) untilLocked(ctx context.Context, try func() (bool, error)) error {
	deadline := s.now().Add(s.lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		ok, err := try()
		if ok || err != nil {
			return err
		}
		if s.now().After(deadline) {
			return ErrBusy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + mrand.N(pause)):
		}
	}
}

// lockLoadScript takes locks and reads hashes in one step.
//
//	KEYS   the n locks, then the hashes to read
//	ARGV   token, ttl ms, n
//	result {1, fields and values of each hash…}, or {0} when a lock is taken
var lockLoadScript = redis.NewScript(takeLocks + `
local n = tonumber(ARGV[3])
if takeLocks(n, ARGV[1], ARGV[2]) == 0 then return {0} end
local out = {1}
for i = n + 1, #KEYS do out[#out + 1] = redis.call('HGETALL', KEYS[i]) end
return out`)

// lockLoad takes the locks and reads the hashes.
func (s *Store) lockLoad(ctx context.Context, locks, hashes []string) (h held, loaded []map[string]string, err error) {
	h = hold(locks...)
	keys := append(append(make([]string, 0, len(locks)+len(hashes)), locks...), hashes...)
	err = s.untilLocked(ctx, func() (bool, error) {
		out, err := lockLoadScript.Run(ctx, s.hot, keys, h.token, s.lockTTL.Milliseconds(), len(locks)).Slice()
		if err != nil {
			s.unlockUnsure(ctx, h)
			return false, redis.Unavailable(err)
		}
		for _, flat := range out[1:] {
			loaded = append(loaded, redis.Pairs(flat))
		}
		return out[0] == int64(1), nil
	})
	if err != nil {
		return held{}, nil, err
	}
	return h, loaded, s.step("locked")
}

// changes collects what one commit applies, and the first value that had no JSON.
type changes struct {
	keys []any // one a change
	args []any // of each change: command, argument count, arguments
	err  error
}

// add adds a Redis command, publishCommand or echoCommand.
func (c *changes) add(command, key string, args ...any) {
	c.keys = append(c.keys, key)
	c.args = append(append(c.args, command, len(args)), args...)
}

// enlist adds members to a sorted set that serves as an index: all its scores are 0.
func (c *changes) enlist(key string, members ...string) {
	args := make([]any, 0, 4)
	for _, m := range members {
		args = append(args, 0, m)
	}
	c.add("ZADD", key, args...)
}

// delist takes members out of a sorted set.
func (c *changes) delist(key string, members ...string) {
	args := make([]any, len(members))
	for i, m := range members {
		args[i] = m
	}
	c.add("ZREM", key, args...)
}

// unpacked is how many arguments a change may have: Lua unpacks no more than some thousands.
const unpacked = 1000

// none reports whether nothing was added.
func (c *changes) none() bool { return len(c.keys) == 0 }

// set puts v's JSON into a field of the hash at key.
func (c *changes) set(key, field string, v any) {
	text, err := record.Encode(v)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", field, err)
	}
	c.add("HSET", key, field, text)
}

// applyChanges is the part of the scripts that apply changes: their keys are KEYS[first] and after, their args ARGV[a] and after.
var applyChanges = lua("publish") + echoScript + `
local function applyChanges(first, a)
  for k = first, #KEYS do
    local command, last = ARGV[a], a + 1 + tonumber(ARGV[a + 1])
    if command == '` + publishCommand + `' then
      publish(KEYS[k], unpack(ARGV, a + 2, last))
    elseif command == '` + echoCommand + `' then
      echo(KEYS[k], ARGV[a + 2], ARGV[a + 3])
    else
      redis.call(command, KEYS[k], unpack(ARGV, a + 2, last))
    end
    a = last + 1
  end
end
`

// commitScript applies changes if every lock still holds, and releases the locks.
//
//	KEYS   the n locks, then one key a change
//	ARGV   token, n, then the args of the changes
//	result 1, or 0 when a lock was lost and nothing was changed
var commitScript = redis.NewScript(applyChanges + `
local n = tonumber(ARGV[2])
for i = 1, n do
  if redis.call('GET', KEYS[i]) ~= ARGV[1] then return 0 end
end
applyChanges(n + 1, 3)
for i = 1, n do redis.call('DEL', KEYS[i]) end
return 1`)

// commit applies c under h and releases h. ErrLockLost: nothing was changed.
func (s *Store) commit(ctx context.Context, h held, c changes) error {
	if c.err != nil {
		return c.err
	}
	if err := s.step("decided"); err != nil {
		return err
	}
	cmd := redis.EndKeys(append(redis.Command(h.keys...), c.keys...))
	applied, err := redis.RunScript(ctx, s.hot, commitScript, append(append(cmd, h.token, len(h.keys)), c.args...))
	if err != nil {
		return fmt.Errorf("commit: %w", redis.Unavailable(err))
	}
	if applied != int64(1) {
		return ErrLockLost
	}
	*h.freed = true
	return s.step("committed")
}

// unlockScript releases those of some locks that are ours.
//
//	KEYS   locks
//	ARGV   token
//	result 1
var unlockScript = redis.NewScript(`
for _, lock in ipairs(KEYS) do
  if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end
end
return 1`)

// unlock gives h back without a change, unless a commit has done so. A lock that cannot be given back runs out by itself.
func (s *Store) unlock(ctx context.Context, h held) {
	if err := s.release(ctx, h); err != nil {
		s.log.WarnContext(ctx, "lock not released", "error", err)
	}
}

// unlockUnsure gives back what a script may have locked although its answer was lost: the caller went away, or the connection broke. Others
// would wait for locks that are not held.
func (s *Store) unlockUnsure(ctx context.Context, h held) {
	if err := s.release(ctx, h); err != nil {
		s.log.DebugContext(ctx, "lock perhaps not released", "error", err)
	}
}

func (s *Store) release(ctx context.Context, h held) error {
	if len(h.keys) == 0 || *h.freed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return unlockScript.Run(ctx, s.hot, h.keys, h.token).Err()
}
