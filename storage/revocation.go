package storage

import (
	"context"
	"strconv"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Revoke makes a tenant's token invalid by its id (jti). It is remembered until the token would have expired by itself; what
// has expired already is forgotten on the way.
func (s *Store) Revoke(ctx context.Context, tenant, tokenID string, until time.Time) error {
	key := s.tenant(tenant).revoked()
	_, err := s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRemRangeByScore(ctx, key, "-inf", "("+seconds(s.now()))
		p.ZAdd(ctx, key, redis.Z{Score: float64(until.Unix()), Member: tokenID})
		return nil
	})
	return redis.Unavailable(err)
}

// Revoked lists a tenant's revoked tokens that have not expired yet, those that are forgotten first at the front.
func (s *Store) Revoked(ctx context.Context, tenant string) ([]record.Revocation, error) {
	unexpired := redis.ZRangeBy{Min: seconds(s.now()), Max: "+inf"}
	list, err := s.rdb.ZRangeByScoreWithScores(ctx, s.tenant(tenant).revoked(), &unexpired).Result()
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
