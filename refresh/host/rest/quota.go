package rest

import (
	"context"
	"sync"
	"time"

	"mooring/refresh/host"
)

// Buckets is a Limiter within one process: a bucket an account, which holds a minute's requests and refills steadily.
type Buckets struct {
	Now func() time.Time // nil: time.Now

	mu   sync.Mutex
	full map[string]time.Time // when the account's bucket is full again
}

// TakeQuota is Limiter's. It never fails.
func (b *Buckets) TakeQuota(_ context.Context, account string, perMinute, n int) (time.Duration, error) {
	now := time.Now()
	if b.Now != nil {
		now = b.Now()
	}
	cost := time.Minute / time.Duration(perMinute) * time.Duration(min(n, perMinute))
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.full[account]
	if full.Before(now) {
		full = now
	}
	full = full.Add(cost)
	if wait := full.Sub(now) - time.Minute; wait > 0 {
		return wait, nil
	}
	if b.full == nil {
		b.full = map[string]time.Time{}
	}
	b.full[account] = full
	return 0, nil
}

// TakeQuota takes n requests out of every quota. When one is used up the error is a Quota fault that says how long to wait,
// so that the run shows that it waits instead of blocking a worker.
func TakeQuota(ctx context.Context, l host.Limiter, f Faults, quotas []host.Quota, n int) error {
	for _, q := range quotas {
		if q.PerMinute == 0 {
			continue
		}
		wait, err := l.TakeQuota(ctx, q.Account, q.PerMinute, n)
		if err != nil {
			return f.Fault(ctx, "", err)
		}
		if wait > 0 {
			return f.Quota(wait, nil)
		}
	}
	return nil
}
