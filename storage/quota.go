package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"mooring/storage/redis"
)

// Quotas shares the request quotas of accounts with other services out among everything that uses this storage. It is what package host
// calls a Limiter.
type Quotas struct{ store *Store }

// Quotas returns the quotas kept here.
func (s *Store) Quotas() Quotas { return Quotas{s} }

// Take takes n requests out of the account's perMinute, and returns 0; or takes none and returns how long to wait until it could. A
// minute's requests may be made at once; more than that at once count as that.
func (q Quotas) Take(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	key := quotaKey(hex.EncodeToString(sum[:16]))
	wait, _, err := redis.TakeTokens(ctx, q.store.rdb, key, cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}
