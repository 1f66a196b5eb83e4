package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"mooring/storage/redis"
)

// held is a set of locks that this process took. The token is the fence: a commit under locks that ran out changes nothing.
type held struct {
	keys  []string
	token string
	freed *bool // a commit has released them
}

// hold names locks to take, under a new token.
func hold(keys ...string) held { return held{keys: keys, token: rand.Text(), freed: new(bool)} }

// none reports whether h is no lock.
func (h held) none() bool { return len(h.keys) == 0 }

// released notes that a transaction has released the locks.
func (h held) released() {
	if h.freed != nil {
		*h.freed = true
	}
}

// untilLocked calls try until it says that the locks were taken, with jittered pauses, for at most e.lockWait: then ErrBusy.
func (e *engine) untilLocked(ctx context.Context, try func() (bool, error)) error {
	deadline := e.now().Add(e.lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		ok, err := try()
		if ok || err != nil {
			return err
		}
		if e.now().After(deadline) {
			return ErrBusy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + mrand.N(pause)):
		}
	}
}

// take makes tx take the locks; it has no other conditions.
func (h held) take(tx *txn, ttl time.Duration) {
	for _, lock := range h.keys {
		tx.If("", "GET", lock)
		tx.Then("SET", lock, h.token, "PX", ttl.Milliseconds())
	}
}

// guard makes tx need the locks, and release them.
func (h held) guard(tx *txn) {
	for _, lock := range h.keys {
		tx.If(h.token, "GET", lock)
		tx.Then("DEL", lock)
	}
}

// lockLoad takes the locks and reads the hashes, in one step.
func (e *engine) lockLoad(ctx context.Context, locks, hashes []string) (h held, loaded []map[string]string, err error) {
	h = hold(locks...)
	err = e.untilLocked(ctx, func() (bool, error) {
		var tx txn
		for _, key := range hashes {
			tx.Read("HGETALL", key)
		}
		replies, taken, err := e.tryLock(ctx, h, &tx)
		for _, flat := range replies {
			loaded = append(loaded, redis.Pairs(flat))
		}
		return taken, err
	})
	if err != nil {
		return held{}, nil, err
	}
	return h, loaded, nil
}

// tryLock takes h, unless others hold one of its locks, and runs tx with that.
func (e *engine) tryLock(ctx context.Context, h held, tx *txn) (replies []any, taken bool, err error) {
	h.take(tx, e.lockTTL)
	replies, err = e.run(ctx, tx)
	if unmet(err) {
		return nil, false, nil
	}
	if err != nil {
		e.unlockUnsure(ctx, h)
		return nil, false, err
	}
	return replies, true, nil
}

// commit runs tx under h and releases h. ErrLockLost: nothing was changed.
func (e *engine) commit(ctx context.Context, h held, tx *txn) error {
	if tx.err != nil {
		return tx.err
	}
	h.guard(tx)
	_, err := e.run(ctx, tx)
	if unmet(err) {
		return ErrLockLost
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	h.released()
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

// unlock releases h without a change, unless a commit has done so. A lock that cannot be released expires by itself.
func (e *engine) unlock(ctx context.Context, h held) {
	if err := e.release(ctx, h); err != nil {
		e.log.WarnContext(ctx, "lock not released", "error", err)
	}
}

// unlockUnsure releases what a script may have locked although its answer was lost: the caller went away, or the connection broke. Others
// would wait for locks that are not held.
func (e *engine) unlockUnsure(ctx context.Context, h held) {
	if err := e.release(ctx, h); err != nil {
		e.log.DebugContext(ctx, "lock perhaps not released", "error", err)
	}
}

func (e *engine) release(ctx context.Context, h held) error {
	if len(h.keys) == 0 || *h.freed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return unlockScript.Run(ctx, e.hot, h.keys, h.token).Err()
}
