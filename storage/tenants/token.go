package tenants

import (
	"context"
	"math"
	"strconv"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Revoke makes a tenant's token invalid by its id (jti). It is remembered until the token would have expired by itself; what
// has expired already is forgotten on the way.
func (r *Records) Revoke(ctx context.Context, tenant, tokenID string, until time.Time) error {
	key := r.keys(tenant).revoked()
	_, err := r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRemRangeByScore(ctx, key, "-inf", "("+seconds(r.now()))
		p.ZAdd(ctx, key, redis.Z{Score: float64(until.Unix()), Member: tokenID})
		return nil
	})
	return redis.Unavailable(err)
}

// Revoked lists a tenant's revoked tokens that have not expired yet, those that are forgotten first at the front.
func (r *Records) Revoked(ctx context.Context, tenant string) ([]record.Revocation, error) {
	unexpired := redis.ZRangeBy{Min: seconds(r.now()), Max: "+inf"}
	list, err := r.rdb.ZRangeByScoreWithScores(ctx, r.keys(tenant).revoked(), &unexpired).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	revoked := make([]record.Revocation, len(list))
	for i, z := range list {
		revoked[i].TokenID, _ = z.Member.(string)
		revoked[i].Until = time.Unix(int64(z.Score), 0).UTC()
	}
	return revoked, nil
}

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
