package storage

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// renewScript prolongs a lock that still is ours.
//
//	KEYS   lock
//	ARGV   token, ttl ms
//	result 1, or 0 when it is lost
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// takeScript takes one lock.
//
//	KEYS   lock
//	ARGV   token, ttl ms
//	result 1, or 0 when it is taken
var takeScript = redis.NewScript(takeLocks + `return takeLocks(1, ARGV[1], ARGV[2])`)

// documentLease is where a lease's context holds its lock.
type documentLease struct{}

// LockDocument makes the caller the only writer to a spreadsheet until it calls release, waiting at most as long as a write does: then
// ErrBusy. The lock is renewed meanwhile; lease is cancelled, with the cause ErrLockLost, as soon as that may have failed, and the caller
// must write nothing from then on.
func (s *Store) LockDocument(ctx context.Context, tenant, document string) (lease context.Context, release func(), err error) {
	h := hold(s.tenant(tenant).documentLock(document))
	err = s.untilLocked(ctx, func() (bool, error) {
		n, err := takeScript.Run(ctx, s.rdb, h.keys, h.token, s.lockTTL.Milliseconds()).Int()
		if err != nil {
			s.unlockUnsure(ctx, h)
		}
		return n == 1, unavailable(err)
	})
	if err != nil {
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
