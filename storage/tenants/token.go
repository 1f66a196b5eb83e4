package tenants

import (
	"context"
	"math"
	"strconv"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// TakeHook counts a request to a hook against the rate of a bucket, and returns 0; or how long to wait.
func (r *Records) TakeHook(ctx context.Context, bucket string, rate record.Rate) (time.Duration, error) {
	cost := 1e6 / rate.PerSecond
	wait, _, err := redis.TakeTokens(ctx, r.rdb, hookRate(bucket), cost, cost*float64(rate.Burst))
	return wait, err
}

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (r *Records) TakeRequest(ctx context.Context, tenant, token string, rate record.Rate) (record.Taken, error) {
	cost := 1e6 / rate.PerSecond
	wait, full, err := redis.TakeTokens(ctx, r.rdb, r.keys(tenant).rate(token), cost, cost*float64(rate.Burst))
	if err != nil {
		return record.Taken{}, err
	}
	return record.Taken{Wait: wait, Left: max(0, rate.Burst-int(math.Ceil(float64(full.Microseconds())/cost))), Full: full}, nil
}
