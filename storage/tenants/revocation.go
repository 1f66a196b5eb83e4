package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Revoke makes a tenant's token invalid by its id, see record.TokenOf, as who asks for it. It is remembered until the token would have
// expired by itself; what has expired already is forgotten on the way.
func (r *Records) Revoke(ctx context.Context, tenant, tokenID string, until time.Time, who record.Actor) error {
	k := r.keys(tenant)
	first, again := new(redis.Txn), new(redis.Txn)
	first.If("", "ZSCORE", k.revoked(), tokenID)
	asset := journal.Asset{Kind: journal.Key, ID: record.JTI(tokenID)}
	err := errors.Join(r.revoke(first, k, tokenID, until, who), k.note(first, journal.Of(who, journal.Revoke, asset)))
	if err != nil {
		return err
	}
	done, err := r.commit(ctx, first)
	if err != nil || done {
		return err
	}
	if err := r.revoke(again, k, tokenID, until, who); err != nil {
		return err
	}
	_, err = r.commit(ctx, again)
	return err
}

// revoke adds what revoking a token changes.
func (r *Records) revoke(tx *redis.Txn, k tenantKeys, tokenID string, until time.Time, who record.Actor) error {
	told := record.Revocation{At: placements.Time(r.now())}
	if who.ID != 0 || who.Email != "" {
		by := who.User()
		told.By = &by
	}
	about, err := record.Encode(told)
	if err != nil {
		return fmt.Errorf("revocation of %s: %w", tokenID, err)
	}
	tx.Then("revoke", k.revoked(), tokenID, until.Unix(), seconds(r.now()), about)
	return nil
}

// StayRevoked adds to a pipeline that a token is revoked until then, unless it is for longer already; who revoked it first stays told.
func StayRevoked(ctx context.Context, p redis.Pipeliner, t keys.TenantKeys, tokenID string, until time.Time, told record.Revocation) error {
	about, err := record.Encode(told)
	if err != nil {
		return fmt.Errorf("revocation of %s: %w", tokenID, err)
	}
	k := tenantKeys(t)
	p.ZAddGT(ctx, k.revoked(), redis.Z{Member: tokenID, Score: float64(until.Unix())})
	p.HSetNX(ctx, k.revocationsTold(), tokenID, about)
	return nil
}

// Revoked lists a tenant's revoked tokens that have not expired yet, those that are forgotten first at the front. It tells nothing else of
// them.
func (r *Records) Revoked(ctx context.Context, tenant string) ([]record.Revocation, error) {
	list, err := r.rdb.ZRangeByScoreWithScores(ctx, r.keys(tenant).revoked(), r.unexpired()).Result()
	return revocations(list), redis.Unavailable(err)
}

// Revocations is Revoked with when and by whom.
func (r *Records) Revocations(ctx context.Context, tenant string) ([]record.Revocation, error) {
	k, p := r.keys(tenant), r.rdb.TxPipeline()
	scored, told := p.ZRangeByScoreWithScores(ctx, k.revoked(), r.unexpired()), p.HGetAll(ctx, k.revocationsTold())
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	list := revocations(scored.Val())
	for i := range list {
		text := told.Val()[list[i].TokenID]
		if text == "" {
			continue // it was revoked before this was told
		}
		if err := json.Unmarshal([]byte(text), &list[i]); err != nil {
			return nil, fmt.Errorf("revocation of %s: %w", list[i].TokenID, err)
		}
	}
	return list, nil
}

func (r *Records) unexpired() *redis.ZRangeBy {
	return &redis.ZRangeBy{Min: seconds(r.now()), Max: "+inf"}
}

func revocations(list []redis.Z) []record.Revocation {
	revoked := make([]record.Revocation, len(list))
	for i, z := range list {
		revoked[i].TokenID, _ = z.Member.(string)
		revoked[i].Until = time.Unix(int64(z.Score), 0).UTC()
	}
	return revoked
}
