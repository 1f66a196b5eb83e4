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
func (s *Store) LockDocument(ctx context.Context, tenant, document string) (lease context.Context, release func(), err error) {
	h := hold(s.tenant(tenant).documentLock(document))
	h.token += tokenOwner + holder()
	if err := s.takeDocument(ctx, h); err != nil {
		return nil, nil, err
	}
	lease, cancel := context.WithCancelCause(context.WithValue(ctx, documentLease{}, h))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.renew(lease, h, cancel)
	}()
	return lease, func() {
		cancel(context.Canceled)
		<-done
		s.unlock(ctx, h)
	}, nil
}

// takeDocument takes h, with jittered pauses between its tries.
func (s *Store) takeDocument(ctx context.Context, h held) error {
	for pause := time.Millisecond; ; pause = min(2*pause, longestPoll) {
		if _, taken, err := s.tryLock(ctx, h, new(txn)); taken || err != nil {
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
func (s *Store) DocumentWriter(ctx context.Context, tenant, document string) (string, error) {
	token, err := s.rdb.Get(ctx, s.tenant(tenant).documentLock(document)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	_, name, _ := strings.Cut(token, tokenOwner)
	return name, redis.Unavailable(err)
}

// renew prolongs h three times per lifetime until lease ends, and cancels lease when h may have run out.
func (s *Store) renew(lease context.Context, h held, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(s.lockTTL / 3)
	defer ticker.Stop()
	renewed := s.now()
	for {
		select {
		case <-lease.Done():
			return
		case <-ticker.C:
		}
		asked := s.now()
		n, err := renewScript.Run(lease, s.rdb, h.keys, h.token, s.lockTTL.Milliseconds()).Int()
		switch {
		case err == nil && n == 1:
			renewed = asked
		case err == nil, s.now().Sub(renewed) > 2*s.lockTTL/3:
			cancel(ErrLockLost)
			return
		}
	}
}
