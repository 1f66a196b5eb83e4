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

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (r *Records) TakeRequest(ctx context.Context, tenant, token string, rate record.Rate) (record.Taken, error) {
	cost := 1e6 / rate.PerSecond
	wait, full, err := redis.TakeTokens(ctx, r.rdb, r.keys(tenant).rate(token), cost, cost*float64(rate.Burst))
	if err != nil {
		return record.Taken{}, err
	}
	return record.Taken{Wait: wait, Left: max(0, rate.Burst-int(math.Ceil(float64(full.Microseconds())/cost))), Full: full}, nil
}
