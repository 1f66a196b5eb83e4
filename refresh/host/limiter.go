package host

import (
	"context"
	"time"
)

// Limiter shares an account's quota of requests out among all that use the account.
type Limiter interface {
	// TakeQuota takes n requests out of the account's PerMinute and returns 0, or takes none and returns how long to wait until it
	// could. More than PerMinute at once count as PerMinute. It must be safe for concurrent use.
	TakeQuota(ctx context.Context, account string, perMinute, n int) (wait time.Duration, err error)
}
