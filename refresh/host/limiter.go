package host

import (
	"context"
	"time"
)

// Quota is how many requests an account may make.
type Quota struct {
	Account   string // as a Limiter knows it
	PerMinute int    // 0: no limit
}

// Limited is what a Driver is whose requests count against quotas.
type Limited interface {
	// Quotas returns those that requests of the host take, each once.
	Quotas() []Quota
}

// Limiter shares an account's quota of requests out among all that use the account.
type Limiter interface {
	// TakeQuota takes n requests out of the account's PerMinute and returns 0, or takes none and returns how long to wait until it
	// could. More than PerMinute at once count as PerMinute. It must be safe for concurrent use.
	TakeQuota(ctx context.Context, account string, perMinute, n int) (wait time.Duration, err error)
}
