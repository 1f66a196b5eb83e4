package storage

import (
	"context"
	"math"
	"time"

	"mooring/storage/redis"
)

// Rate is how many requests a bearer token may make.
type Rate struct {
	PerSecond float64 // on average; above 0
	Burst     int     // at once; at least 1
}

// Taken says how a request stands to its rate.
type Taken struct {
	Wait time.Duration // until it would be let through; 0 when it is
	Left int           // how many more would be let through now
	Full time.Duration // until a whole burst would be
}

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (s *Store) TakeRequest(ctx context.Context, tenant, token string, rate Rate) (Taken, error) {
	cost := 1e6 / rate.PerSecond
	wait, full, err := redis.TakeTokens(ctx, s.rdb, s.tenant(tenant).rate(token), cost, cost*float64(rate.Burst))
	if err != nil {
		return Taken{}, err
	}
	return Taken{Wait: wait, Left: max(0, rate.Burst-int(math.Ceil(float64(full.Microseconds())/cost))), Full: full}, nil
}
