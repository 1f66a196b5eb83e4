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

// largeFrom is the size of a transaction, in bytes, from which it is sent in pieces: less takes no server long.
const largeFrom = 128 << 10

// runLarge is run, without the replies of reads, for a transaction that may take long: small ones of others are not to wait for it, and the
// locks that it needs are kept meanwhile.
func (e *engine) runLarge(ctx context.Context, t *txn, locks ...held) error {
	if t.err != nil {
		return t.err
	}
	if t.Size() < largeFrom {
		_, err := transactions.Run(ctx, e.rdb, &t.Txn)
		return err
	}
	k := keeper{engine: e, locks: locks, kept: time.Now()}
	return transactions.RunStaged(ctx, e.rdb, &t.Txn, keys.Stage(t.FirstKey(), rand.Text()), k.keep)
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

// keeper keeps locks while a transaction is sent.
type keeper struct {
	*engine
	locks []held
	kept  time.Time
}

// keptTogether is how many locks one command prolongs.
const keptTogether = 500

// keep prolongs the locks, at most three times per lifetime. Whether all of them still hold, the transaction asks.
func (k *keeper) keep(ctx context.Context) error {
	if time.Since(k.kept) < k.lockTTL/3 {
		return nil
	}
	k.kept = time.Now()
	for _, h := range k.locks {
		for some := range slices.Chunk(h.keys, keptTogether) {
			if err := renewScript.Run(ctx, k.rdb, some, h.token, k.lockTTL.Milliseconds()).Err(); err != nil {
				return redis.Unavailable(err)
			}
		}
	}
	return nil
}
