package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"mooring/storage/keys"
	"mooring/storage/redis"
)

// LockAll takes the locks of h, if it has any.
func (e *DB) LockAll(ctx context.Context, h Locks) error {
	if h.None() {
		return nil
	}
	return e.UntilLocked(ctx, h.Token, func() (bool, error) {
		_, taken, err := e.tryLock(ctx, h, new(Transaction))
		return taken, err
	})
}

// ErrBusy is of a lock that another writer held for as long as we were willing to wait; nothing was changed.
var ErrBusy = errors.New("locked by another writer")

// Locks is a set of locks that this process took. The token is the fence: a commit under locks that ran out changes nothing.
type Locks struct {
	Keys  []string
	Token string
	freed *bool // a commit has released them
}

// NewLocks names locks to take, under a new token.
func NewLocks(keys ...string) Locks { return Locks{Keys: keys, Token: rand.Text(), freed: new(bool)} }

// LocksOf names locks that are taken under a token.
func LocksOf(token string, keys ...string) Locks {
	return Locks{Keys: keys, Token: token, freed: new(bool)}
}

// Part is some of the locks of h.
func (h Locks) Part(keys []string) Locks { return Locks{keys, h.Token, h.freed} }

// Pause is how long the writer of that token waits for locks before another try, around d: no two have the same one, so that they do not meet
// again. It follows from the random part of the token alone: a simulated process takes the same pauses whatever its number is.
func Pause(token string, d time.Duration) time.Duration {
	sum := fnv.New64a()
	random, _, _ := strings.Cut(token, keys.LockOwner)
	fmt.Fprint(sum, random, d)
	return d/2 + time.Duration(sum.Sum64()%uint64(d))
}

// None reports whether h is no lock.
func (h Locks) None() bool { return len(h.Keys) == 0 }

// Released notes that a transaction has released the locks.
func (h Locks) Released() {
	if h.freed != nil {
		*h.freed = true
	}
}

// UntilLocked calls try until it says that the locks were taken, with pauses of its own for each token, for at most e.LockWait: then ErrBusy.
func (e *DB) UntilLocked(ctx context.Context, token string, try func() (bool, error)) error {
	deadline := e.Now().Add(e.LockWait)
	for d := time.Millisecond; ; d = min(2*d, 32*time.Millisecond) {
		ok, err := try()
		if ok || err != nil {
			return err
		}
		if e.Now().After(deadline) {
			return ErrBusy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(Pause(token, d)):
		}
	}
}

// take makes tx take the locks; it has no other conditions.
func (h Locks) take(tx *Transaction, ttl time.Duration) {
	for _, lock := range h.Keys {
		tx.If("", "GET", lock)
		tx.Then("SET", lock, h.Token, "PX", ttl.Milliseconds())
	}
}

// Guard makes tx need the locks, and release them.
func (h Locks) Guard(tx *Transaction) {
	for _, lock := range h.Keys {
		tx.If(h.Token, "GET", lock)
		tx.Then("DEL", lock)
	}
}

// LockLoad takes the locks and reads the hashes, in one step.
func (e *DB) LockLoad(ctx context.Context, locks, hashes []string) (Locks, []map[string]string, error) {
	h := NewLocks(locks...)
	loaded, err := e.LockLoadAs(ctx, h, hashes)
	if err != nil {
		return Locks{}, nil, err
	}
	return h, loaded, nil
}

// LockLoadFields takes the lock and reads a hash whole, and those fields of another that it has, in one step.
func (e *DB) LockLoadFields(ctx context.Context, lock, whole, part string, fields []any) (h Locks, all, some map[string]string, err error) {
	h = NewLocks(lock)
	err = e.UntilLocked(ctx, h.Token, func() (bool, error) {
		var tx Transaction
		tx.Read("HGETALL", whole)
		for batch := range slices.Chunk(fields, MaxUnpacked) {
			tx.Read("HMGET", part, batch...)
		}
		replies, taken, err := e.tryLock(ctx, h, &tx)
		if taken {
			all, some = redis.Pairs(replies[0]), named(fields, replies[1:])
		}
		return taken, err
	})
	if err != nil {
		return Locks{}, nil, nil, err
	}
	return h, all, some, nil
}

// named is what HMGET has answered about fields, batch by batch.
func named(fields, replies []any) map[string]string {
	some := make(map[string]string, len(fields))
	for _, reply := range replies {
		values, _ := reply.([]any)
		for i, value := range values {
			if text, ok := value.(string); ok {
				some[fields[i].(string)] = text
			}
		}
		fields = fields[len(values):]
	}
	return some
}

// LockLoadAs is lockLoad for locks that were named.
func (e *DB) LockLoadAs(ctx context.Context, h Locks, hashes []string) (loaded []map[string]string, err error) {
	err = e.UntilLocked(ctx, h.Token, func() (bool, error) {
		var tx Transaction
		for _, key := range hashes {
			tx.Read("HGETALL", key)
		}
		replies, taken, err := e.tryLock(ctx, h, &tx)
		for _, flat := range replies {
			loaded = append(loaded, redis.Pairs(flat))
		}
		return taken, err
	})
	return loaded, err
}

// tryLock takes h, unless others hold one of its locks, and runs tx with that.
func (e *DB) tryLock(ctx context.Context, h Locks, tx *Transaction) (replies []any, taken bool, err error) {
	h.take(tx, e.LockTTL)
	replies, err = e.Run(ctx, tx)
	if IsUnmet(err) {
		return nil, false, nil
	}
	if err != nil {
		e.UnlockUnsure(ctx, h)
		return nil, false, err
	}
	return replies, true, nil
}

// Commit runs tx under h and releases h. redis.ErrLockLost: nothing was changed.
func (e *DB) Commit(ctx context.Context, h Locks, tx *Transaction) error {
	if tx.Err != nil {
		return tx.Err
	}
	h.Guard(tx)
	_, err := e.Run(ctx, tx)
	if IsUnmet(err) {
		return redis.ErrLockLost
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	h.Released()
	return nil
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

// Unlock releases h without a change, unless a commit has done so. A lock that cannot be released expires by itself.
func (e *DB) Unlock(ctx context.Context, h Locks) {
	if err := e.release(ctx, h); err != nil {
		e.Log.WarnContext(ctx, "lock not released", "error", err)
	}
}

// UnlockUnsure releases what a script may have locked although its answer was lost: the caller went away, or the connection broke. Others
// would wait for locks that are not held.
func (e *DB) UnlockUnsure(ctx context.Context, h Locks) {
	if err := e.release(ctx, h); err != nil {
		e.Log.DebugContext(ctx, "lock perhaps not released", "error", err)
	}
}

func (e *DB) release(ctx context.Context, h Locks) error {
	if len(h.Keys) == 0 || *h.freed {
		return nil
	}
	// Also when the caller is gone; the client bounds the wait.
	return unlockScript.Run(context.WithoutCancel(ctx), e.Hot, h.Keys, h.Token).Err()
}

// RenewScript prolongs those of some locks that still are ours.
//
//	KEYS   locks
//	ARGV   token, ttl ms
//	result 1, or 0 when one of them is not ours
var RenewScript = redis.NewScript(`
local all = 1
for _, lock in ipairs(KEYS) do
  if redis.call('GET', lock) ~= ARGV[1] or redis.call('PEXPIRE', lock, ARGV[2]) == 0 then all = 0 end
end
return all`)
