package storage

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Rate is how many requests a bearer token may make.
type Rate struct {
	PerSecond float64 // on average; above 0
	Burst     int     // at once; at least 1
}

// takeRequestScript is a token bucket, kept as the time at which it will be full again, on Redis' own clock so that all instances agree.
//
//	KEYS   the bucket
//	ARGV   microseconds a request costs, microseconds the bucket holds
//	result microseconds to wait; 0: the request is let through
var takeRequestScript = redis.NewScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local cost, holds = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + cost
if full - now > holds then return full - now - holds end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return 0`)

// TakeRequest counts a request of a bearer token (by its id) against rate. wait is how long to wait before it would be let through; 0 when it is.
func (s *Store) TakeRequest(ctx context.Context, tenant, token string, rate Rate) (wait time.Duration, err error) {
	cost := 1e6 / rate.PerSecond
	us, err := takeRequestScript.Run(ctx, s.rdb, []string{s.tenant(tenant).rate(token)}, cost, cost*float64(rate.Burst)).Int64()
	if err != nil {
		return 0, unavailable(err)
	}
	return time.Duration(us) * time.Microsecond, nil
}
