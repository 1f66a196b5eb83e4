package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// keyKept is how long a key is known after it has expired: the clocks of servers differ, and none is to be unknown that is still good.
const keyKept = 24 * time.Hour

// AddKey stores that who has made a key, and forgets those that have expired.
func (r *Records) AddKey(ctx context.Context, tenant string, made *record.Key, who record.Actor) error {
	k := r.keys(tenant)
	text, err := record.Encode(made)
	if err != nil {
		return err
	}
	tx := new(redis.Txn)
	if err := r.forgetKeys(ctx, tx, k); err != nil {
		return err
	}
	tx.Then("HSET", k.madeKeys(), made.ID, text)
	if err := k.note(tx, journal.Of(who, journal.Create, ofKey(made))); err != nil {
		return err
	}
	_, err = r.commit(ctx, tx)
	return err
}

// forgetKeys adds to tx that the keys that have expired are forgotten.
func (r *Records) forgetKeys(ctx context.Context, tx *redis.Txn, k tenantKeys) error {
	list, err := r.readKeys(ctx, k)
	for _, one := range list {
		if one.Expires.Add(keyKept).Before(r.now()) {
			tx.Then("HDEL", k.madeKeys(), one.ID)
			tx.Then("HDEL", k.usedKeys(), one.ID)
		}
	}
	return err
}

func ofKey(k *record.Key) journal.Asset {
	return journal.Asset{Kind: journal.Key, ID: k.ID, Name: k.Name}
}

// Keys lists the keys that people of a tenant have made, in no order. Some may have expired, or been revoked by their ids.
func (r *Records) Keys(ctx context.Context, tenant string) ([]*record.Key, error) {
	return r.readKeys(ctx, r.keys(tenant))
}

func (r *Records) readKeys(ctx context.Context, k tenantKeys) ([]*record.Key, error) {
	p := r.rdb.TxPipeline()
	made, used := p.HGetAll(ctx, k.madeKeys()), p.HGetAll(ctx, k.usedKeys())
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	var list []*record.Key
	for id, text := range made.Val() {
		one := new(record.Key)
		if err := json.Unmarshal([]byte(text), one); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", k.madeKeys(), id, err)
		}
		if ms, err := strconv.ParseInt(used.Val()[id], 10, 64); err == nil {
			one.Used = time.UnixMilli(ms).UTC()
		}
		list = append(list, one)
	}
	return list, nil
}

// UseKey notes that a key was used. One that nobody has made, or that was ended, stays unknown.
func (r *Records) UseKey(ctx context.Context, tenant, id string, at time.Time) error {
	k := r.keys(tenant)
	tx := new(redis.Txn)
	tx.If(1, "HEXISTS", k.madeKeys(), id)
	tx.Then("HSET", k.usedKeys(), id, at.UnixMilli())
	_, err := r.commit(ctx, tx)
	return err
}

// EndKey revokes a key and forgets it, as who asks for it.
func (r *Records) EndKey(ctx context.Context, tenant string, ended *record.Key, who record.Actor) error {
	k := r.keys(tenant)
	tx := new(redis.Txn)
	tx.If(1, "HEXISTS", k.madeKeys(), ended.ID) // else another request has ended it
	tx.Then("HDEL", k.madeKeys(), ended.ID)
	tx.Then("HDEL", k.usedKeys(), ended.ID)
	err := errors.Join(r.revoke(tx, k, ended.ID, ended.Expires, who), k.note(tx, journal.Of(who, journal.Revoke, ofKey(ended))))
	if err != nil {
		return err
	}
	_, err = r.commit(ctx, tx)
	return err
}
