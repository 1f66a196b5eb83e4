package storage

import (
	"context"
	"math"
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
//	result microseconds to wait, 0: the request is let through; microseconds until the bucket is full again
var takeRequestScript = redis.NewScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local cost, holds = tonumber(ARGV[1]), tonumber(ARGV[2])
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local full = before + cost
if full - now > holds then return {full - now - holds, before - now} end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return {0, full - now}`)

// Taken says how a request stands to its rate.
type Taken struct {
	Wait time.Duration // until it would be let through; 0 when it is
	Left int           // how many more would be let through now
	Full time.Duration // until a whole burst would be
}

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (s *Store) TakeRequest(ctx context.Context, tenant, token string, rate Rate) (Taken, error) {
	cost := 1e6 / rate.PerSecond
	us, err := takeRequestScript.Run(ctx, s.rdb, []string{s.tenant(tenant).rate(token)}, cost, cost*float64(rate.Burst)).Int64Slice()
	if err != nil {
		return Taken{}, unavailable(err)
	}
	return Taken{
		Wait: time.Duration(us[0]) * time.Microsecond,
		Left: max(0, rate.Burst-int(math.Ceil(float64(us[1])/cost))),
		Full: time.Duration(us[1]) * time.Microsecond,
	}, nil
}
