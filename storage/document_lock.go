package storage

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"strings"
	"time"

	"mooring/storage/redis"
)

// renewScript prolongs a lock that still is ours.
//
//	KEYS   lock
//	ARGV   token, ttl ms
//	result 1, or 0 when it is lost
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// documentLease is where a lease's context holds its lock.
type documentLease struct{}

// longestPoll is the longest pause between two looks at a document's lock.
const longestPoll = 100 * time.Millisecond

// LockDocument makes the caller the only writer to a spreadsheet until it calls release, waiting for others as long as ctx lasts: then
// ctx's error. The lock is renewed meanwhile; lease is cancelled, with the cause ErrLockLost, as soon as that may have failed, and the
// caller must write nothing from then on.
func (q *Queue) LockDocument(ctx context.Context, tenant, document string) (lease context.Context, release func(), err error) {
	h := hold(q.tenant(tenant).documentLock(document))
	h.token += tokenOwner + holder()
	if err := q.takeDocument(ctx, h); err != nil {
		return nil, nil, err
	}
	lease, cancel := context.WithCancelCause(context.WithValue(ctx, documentLease{}, h))
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.renew(lease, h, cancel)
	}()
	return lease, func() {
		cancel(context.Canceled)
		<-done
		q.unlock(ctx, h)
	}, nil
}

// takeDocument takes h, with jittered pauses between its tries.
func (q *Queue) takeDocument(ctx context.Context, h held) error {
	for pause := time.Millisecond; ; pause = min(2*pause, longestPoll) {
		if _, taken, err := q.tryLock(ctx, h, new(txn)); taken || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + mrand.N(pause)):
		}
	}
}

// tokenOwner is what stands in the token of a document's lock before the name of its owner.
const tokenOwner = " "

// holder names this process to those who wait for a lock of it.
func holder() string {
	name, err := os.Hostname()
	if err != nil {
		name = "?"
	}
	return fmt.Sprintf("%s, process %d", name, os.Getpid())
}

// DocumentWriter names the process that holds the lock of a spreadsheet: its host and process id. It is empty when none does.
func (q *Queue) DocumentWriter(ctx context.Context, tenant, document string) (string, error) {
	token, err := q.rdb.Get(ctx, q.tenant(tenant).documentLock(document)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	_, name, _ := strings.Cut(token, tokenOwner)
	return name, redis.Unavailable(err)
}

// renew prolongs h three times per lifetime until lease ends, and cancels lease when h may have run out.
func (q *Queue) renew(lease context.Context, h held, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(q.lockTTL / 3)
	defer ticker.Stop()
	renewed := q.now()
	for {
		select {
		case <-lease.Done():
			return
		case <-ticker.C:
		}
		asked := q.now()
		n, err := renewScript.Run(lease, q.rdb, h.keys, h.token, q.lockTTL.Milliseconds()).Int()
		switch {
		case err == nil && n == 1:
			renewed = asked
		case err == nil, q.now().Sub(renewed) > 2*q.lockTTL/3:
			cancel(ErrLockLost)
			return
		}
	}
}
