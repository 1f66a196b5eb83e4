package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"mooring/storage/keys"
	"mooring/storage/redis"
)

// largeFrom is the size of a transaction, in bytes, from which it is sent in pieces: a smaller one takes no server long.
const largeFrom = 128 << 10

// RunLarge is run, without the replies of reads, for a transaction that may take long: small ones of others are not to wait for it, and the
// locks that it needs are renewed meanwhile.
func (e *DB) RunLarge(ctx context.Context, t *Transaction, locks ...Locks) error {
	if t.Err != nil {
		return t.Err
	}
	if t.Size() < largeFrom {
		_, err := Transactions.Run(ctx, e.Redis, &t.Txn)
		return err
	}
	r := e.Renewer(locks...)
	return Transactions.RunStaged(ctx, e.Redis, &t.Txn, keys.Stage(t.FirstKey(), rand.Text()), r.Renew)
}

// CommitLarge is commit for a transaction that may be large.
func (e *DB) CommitLarge(ctx context.Context, h Locks, tx *Transaction) error {
	if tx.Err != nil {
		return tx.Err
	}
	h.Guard(tx)
	err := e.RunLarge(ctx, tx, h)
	if IsUnmet(err) {
		return redis.ErrLockLost
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	h.Released()
	return nil
}

// lockRenewer renews locks while a transaction is sent.
type lockRenewer struct {
	db      *DB
	locks   []Locks
	renewed time.Time
}

// Renewer returns what renews locks that were just taken.
func (e *DB) Renewer(locks ...Locks) *lockRenewer {
	return &lockRenewer{db: e, locks: locks, renewed: time.Now()}
}

// renewedTogether is how many locks one command renews.
const renewedTogether = 500

// Renew renews the locks, at most three times per lifetime. Whether all of them are still held is a condition of the transaction.
func (r *lockRenewer) Renew(ctx context.Context) error {
	if time.Since(r.renewed) < r.db.LockTTL/3 {
		return nil
	}
	r.renewed = time.Now()
	for _, h := range r.locks {
		for some := range slices.Chunk(h.Keys, renewedTogether) {
			if err := RenewScript.Run(ctx, r.db.Redis, some, h.Token, r.db.LockTTL.Milliseconds()).Err(); err != nil {
				return redis.Unavailable(err)
			}
		}
	}
	return nil
}
