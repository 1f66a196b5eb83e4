package redis

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// bucketScript is a token bucket, kept as the time at which it will be full again, on Redis' own clock so that all instances agree.
//
//	KEYS   the bucket
//	ARGV   microseconds that are taken, microseconds the bucket holds
//	result microseconds to wait, 0: they were taken; microseconds until the bucket is full again
var bucketScript = redis.NewScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local cost, holds = tonumber(ARGV[1]), tonumber(ARGV[2])
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local full = before + cost
if full - now > holds then return {full - now - holds, before - now} end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return {0, full - now}`)

// TakeTokens takes cost out of the bucket at key, which holds so much; both are in microseconds of the time in which it fills. It returns
// 0, or takes nothing and returns how long to wait until it could; and the time until the bucket is full again.
func TakeTokens(ctx context.Context, rdb redis.Scripter, key string, cost, holds float64) (wait, full time.Duration, err error) {
	us, err := bucketScript.Run(ctx, rdb, []string{key}, cost, holds).Int64Slice()
	if err != nil {
		return 0, 0, Unavailable(err)
	}
	return time.Duration(us[0]) * time.Microsecond, time.Duration(us[1]) * time.Microsecond, nil
}

// UntilFull returns, of each bucket, the time until it is full again.
func UntilFull(ctx context.Context, rdb UniversalClient, keys []string) ([]time.Duration, error) {
	p := rdb.Pipeline()
	clock := p.Time(ctx)
	buckets := make([]*redis.StringCmd, len(keys))
	for i, key := range keys {
		buckets[i] = p.Get(ctx, key)
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, Unavailable(err)
	}
	left := make([]time.Duration, len(keys))
	for i, bucket := range buckets {
		full, _ := bucket.Int64() // 0 for one that is full
		left[i] = max(0, time.UnixMicro(full).Sub(clock.Val()))
	}
	return left, nil
}
