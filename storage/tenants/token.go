package tenants

import (
	"context"
	"math"
	"strconv"
	"time"

	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Revoke makes a tenant's token invalid by its id (jti), as who asks for it. It is remembered until the token would have expired by itself;
// what has expired already is forgotten on the way.
func (r *Records) Revoke(ctx context.Context, tenant, tokenID string, until time.Time, who record.Actor) error {
	k := r.keys(tenant)
	first, again := new(redis.Txn), new(redis.Txn)
	first.If("", "ZSCORE", k.revoked(), tokenID)
	r.revoke(first, k, tokenID, until)
	asset := journal.Asset{Kind: journal.Key, ID: tokenID}
	if err := k.note(first, journal.Of(who, journal.Revoke, asset)); err != nil {
		return err
	}
	done, err := r.commit(ctx, first)
	if err != nil || done {
		return err
	}
	r.revoke(again, k, tokenID, until)
	_, err = r.commit(ctx, again)
	return err
}

// revoke adds what revoking a token changes.
func (r *Records) revoke(tx *redis.Txn, k tenantKeys, tokenID string, until time.Time) {
	tx.Then("ZREMRANGEBYSCORE", k.revoked(), "-inf", "("+seconds(r.now()))
	tx.Then("ZADD", k.revoked(), until.Unix(), tokenID)
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
