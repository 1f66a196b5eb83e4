package storage

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

// runLarge is run, without the replies of reads, for a transaction that may take long: small ones of others are not to wait for it, and the
// locks that it needs are renewed meanwhile.
func (e *engine) runLarge(ctx context.Context, t *txn, locks ...held) error {
	if t.err != nil {
		return t.err
	}
	if t.Size() < largeFrom {
		_, err := transactions.Run(ctx, e.rdb, &t.Txn)
		return err
	}
	r := lockRenewer{engine: e, locks: locks, renewed: time.Now()}
	return transactions.RunStaged(ctx, e.rdb, &t.Txn, keys.Stage(t.FirstKey(), rand.Text()), r.renew)
}

// commitLarge is commit for a transaction that may be large.
func (e *engine) commitLarge(ctx context.Context, h held, tx *txn) error {
	if tx.err != nil {
		return tx.err
	}
	h.guard(tx)
	err := e.runLarge(ctx, tx, h)
	if unmet(err) {
		return ErrLockLost
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	h.released()
	return nil
}

// lockRenewer renews locks while a transaction is sent.
type lockRenewer struct {
	*engine
	locks   []held
	renewed time.Time
}

// renewedTogether is how many locks one command renews.
const renewedTogether = 500

// renew renews the locks, at most three times per lifetime. Whether all of them are still held is a condition of the transaction.
func (r *lockRenewer) renew(ctx context.Context) error {
	if time.Since(r.renewed) < r.lockTTL/3 {
		return nil
	}
	r.renewed = time.Now()
	for _, h := range r.locks {
		for some := range slices.Chunk(h.keys, renewedTogether) {
			if err := renewScript.Run(ctx, r.rdb, some, h.token, r.lockTTL.Milliseconds()).Err(); err != nil {
				return redis.Unavailable(err)
			}
		}
	}
	return nil
}
