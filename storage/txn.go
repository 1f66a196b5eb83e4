package storage

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
	"mooring/storage/standing"
	"mooring/storage/tenants"
)

// txn is what a write does in one step, and the first of its values that had no JSON.
type txn struct {
	redis.Txn
	err error
}

// transactions runs what is written to records.
var transactions = redis.NewTxnScript(redis.NowLua + queue.Lua("publish", "lists", "unlist", "stop", "stop_runs", "wake") +
	lua("echo", "instead", "overlapping", "functions") + standing.Lua() + standing.Functions() + journal.Lua() + changes.Lua())

// run runs t and returns what its reads replied. Errors: redis.Unmet for a condition that does not hold.
func (e *engine) run(ctx context.Context, t *txn) ([]any, error) {
	if t.err != nil {
		return nil, t.err
	}
	if e.tracer == nil {
		return transactions.Run(ctx, e.hot, &t.Txn)
	}
	end := e.tracer.Transaction(ctx)
	replies, err := transactions.Run(ctx, e.hot, &t.Txn)
	if unmet(err) {
		end(nil) // its writer decides again
	} else {
		end(err)
	}
	return replies, err
}

// write is run for what was decided without a lock. errOvertaken: something that it was decided on has changed, and nothing was written.
func (e *engine) write(ctx context.Context, t *txn) ([]any, error) {
	replies, err := e.run(ctx, t)
	if unmet(err) {
		return nil, errOvertaken
	}
	return replies, err
}

// unmet reports whether err says that a condition does not hold, so that nothing was changed.
func unmet(err error) bool {
	_, ok := errors.AsType[redis.Unmet](err)
	return ok
}

// enlist adds members to a sorted set that serves as an index: all its scores are 0.
func (t *txn) enlist(key string, members ...string) {
	args := make([]any, 0, 4)
	for _, m := range members {
		args = append(args, 0, m)
	}
	t.Then("ZADD", key, args...)
}

// delist takes members out of a sorted set.
func (t *txn) delist(key string, members ...string) {
	args := make([]any, len(members))
	for i, m := range members {
		args[i] = m
	}
	t.Then("ZREM", key, args...)
}

// stand adds that p is listed anew as r's, after its record and the last run on it.
func (t *txn) stand(k deploymentKeys, r *Report, p *Placed) {
	standing.Stand(&t.Txn, k.DeploymentKeys, r.ID, p.position().slot, &p.Placement, r.CurrentChecksum)
}

// publish adds an event about a placement of a report.
func (t *txn) publish(k deploymentKeys, kind record.EventType, report int64, p *placements.Placement) {
	t.Then("publish", k.Events(), string(kind), report, record.PlacementEvent(p))
}

// publishSchedule adds an event about a schedule.
func (t *txn) publishSchedule(k deploymentKeys, kind record.EventType, c *record.Schedule) {
	t.Then("publish", k.Events(), string(kind), c.Target.ReportID, record.ScheduleEvent(c))
}

// once notes what a request under an Idempotency-Key creates, on condition that the request still holds the key.
func (t *txn) once(o record.Once, id int64) {
	if o.Record != "" {
		tenants.NoteMade(&t.Txn, o, id)
	}
}

// note adds an entry to the audit of a deployment.
func (t *txn) note(k deploymentKeys, e journal.Entry) {
	t.fails(journal.Note(&t.Txn, k.Audit(), e))
}

// unpacked is how many arguments a change may have: Lua unpacks no more than some thousands.
const unpacked = 1000

// set puts v's JSON into a field of the hash at key.
func (t *txn) set(key, field string, v any) {
	t.Then("HSET", key, field, t.encode(field, v))
}

// encode returns the JSON of what goes into a field.
func (t *txn) encode(field string, v any) string {
	text, err := record.Encode(v)
	if err != nil {
		t.fails(fmt.Errorf("%s: %w", field, err))
	}
	return text
}

// fails makes an error that of the transaction, unless it has one or err is nil.
func (t *txn) fails(err error) {
	if t.err == nil {
		t.err = err
	}
}

// basis is what a try of a write is decided on.
type basis int

const (
	onMemory basis = iota // what this process last saw
	onRead                // what was read for it
	onLock                // what was read under a lock
)

// readTries is how often a write is decided on what was read for it.
const readTries = 3

// errOvertaken: what a write was decided on has changed; nothing was written.
var errOvertaken = errors.New("overtaken by another writer")

// optimistic calls try until it is not overtaken: on memory, where a refusal may be wrong and is decided again, some times on what is
// read, at last under a lock.
func optimistic(try func(basis) error) error {
	if err := try(onMemory); err == nil || errors.Is(err, ErrUnavailable) {
		return err
	}
	for range readTries {
		if err := try(onRead); !errors.Is(err, errOvertaken) {
			return err
		}
	}
	err := try(onLock)
	if errors.Is(err, errOvertaken) {
		return ErrLockLost
	}
	return err
}

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// lua joins files of the folder lua, behind the predicates of package lifecycle that they ask.
func lua(names ...string) string { return lifecycle.Lua(redis.JoinLua(luaFiles, names...)) }

// held is a set of locks that this process took. The token is the fence: a commit under locks that ran out changes nothing.
type held struct {
	keys  []string
	token string
	freed *bool // a commit has released them
}

// hold names locks to take, under a new token.
func hold(keys ...string) held { return held{keys: keys, token: rand.Text(), freed: new(bool)} }

// pause is how long the writer of that token waits for locks before another try, around d: no two have the same one, so that they do not meet
// again. It follows from the random part of the token alone: a simulated process takes the same pauses whatever its number is.
func pause(token string, d time.Duration) time.Duration {
	sum := fnv.New64a()
	random, _, _ := strings.Cut(token, keys.LockOwner)
	fmt.Fprint(sum, random, d)
	return d/2 + time.Duration(sum.Sum64()%uint64(d))
}

// none reports whether h is no lock.
func (h held) none() bool { return len(h.keys) == 0 }

// released notes that a transaction has released the locks.
func (h held) released() {
	if h.freed != nil {
		*h.freed = true
	}
}

// untilLocked calls try until it says that the locks were taken, with pauses of its own for each token, for at most e.lockWait: then ErrBusy.
func (e *engine) untilLocked(ctx context.Context, token string, try func() (bool, error)) error {
	deadline := e.now().Add(e.lockWait)
	for d := time.Millisecond; ; d = min(2*d, 32*time.Millisecond) {
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
		case <-time.After(pause(token, d)):
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
func (e *engine) lockLoad(ctx context.Context, locks, hashes []string) (held, []map[string]string, error) {
	h := hold(locks...)
	loaded, err := e.lockLoadAs(ctx, h, hashes)
	if err != nil {
		return held{}, nil, err
	}
	return h, loaded, nil
}

// lockLoadAs is lockLoad for locks that were named.
func (e *engine) lockLoadAs(ctx context.Context, h held, hashes []string) (loaded []map[string]string, err error) {
	err = e.untilLocked(ctx, h.token, func() (bool, error) {
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
	return loaded, err
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
	// Also when the caller is gone; the client bounds the wait.
	return unlockScript.Run(context.WithoutCancel(ctx), e.hot, h.keys, h.token).Err()
}
