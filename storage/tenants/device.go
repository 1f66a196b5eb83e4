package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Pairings belong to no tenant before a person approves them: they lie in a partition of their own, under hashes of their codes. Devices
// lie with their tenant. Both are written as Stored says: by who read the text that is replaced.

// pairingKept is how long a pairing is remembered after its end, so that a late device is told so.
const pairingKept = 10 * time.Minute

// TakePairing counts a request for a code from an address against rate, and returns 0; or how long to wait.
func (r *Records) TakePairing(ctx context.Context, address string, rate record.Rate) (time.Duration, error) {
	cost := 1e6 / rate.PerSecond
	wait, _, err := redis.TakeTokens(ctx, r.rdb, pairingKeys{}.rate(address), cost, cost*float64(rate.Burst))
	return wait, err
}

// PendingPairings counts the pairings that wait for a decision.
func (r *Records) PendingPairings(ctx context.Context) (int64, error) {
	p := r.rdb.Pipeline()
	p.ZRemRangeByScore(ctx, pairingKeys{}.pending(), "-inf", "("+seconds(r.now()))
	n := p.ZCard(ctx, pairingKeys{}.pending())
	_, err := p.Exec(ctx)
	return n.Val(), redis.Unavailable(err)
}

// AddPairing stores a new pairing under a device code. false: its user code is taken, and nothing was stored.
func (r *Records) AddPairing(ctx context.Context, deviceCode string, p *record.Pairing) (bool, error) {
	var k pairingKeys
	text, err := record.Encode(p)
	if err != nil {
		return false, err
	}
	tx := new(redis.Txn)
	lives := p.Expires.Sub(r.now())
	key, byUserCode := k.pairing(digestOf(deviceCode)), k.userCode(p.UserCode)
	tx.If("", "GET", byUserCode)
	tx.Then("SET", byUserCode, key, "PX", lives.Milliseconds())
	tx.Then("SET", key, text, "PX", (lives + pairingKept).Milliseconds())
	tx.Then("ZADD", k.pending(), p.Expires.Unix(), key)
	return r.commit(ctx, tx)
}

// Pairing returns the pairing of a device code; false: there is none.
func (r *Records) Pairing(ctx context.Context, deviceCode string) (*record.Pairing, bool, error) {
	p := new(record.Pairing)
	found, err := r.readStored(ctx, pairingKeys{}.pairing(digestOf(deviceCode)), p, &p.Stored)
	return p, found, err
}

// PairingOf returns the pairing of a user code, which has one until it is decided; false: there is none.
func (r *Records) PairingOf(ctx context.Context, userCode string) (*record.Pairing, bool, error) {
	key, err := r.rdb.Get(ctx, pairingKeys{}.userCode(userCode)).Result()
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, redis.Unavailable(err)
	}
	p := new(record.Pairing)
	found, err := r.readStored(ctx, key, p, &p.Stored)
	return p, found, err
}

// SavePairing writes a pairing that was read. One that was decided loses its user code. false: another writer came first.
func (r *Records) SavePairing(ctx context.Context, p *record.Pairing) (bool, error) {
	text, err := record.Encode(p)
	if err != nil {
		return false, err
	}
	tx := new(redis.Txn)
	tx.If(p.Text, "GET", p.Key)
	tx.Then("SET", p.Key, text, "KEEPTTL")
	if p.State != record.PairingPending {
		tx.Then("DEL", pairingKeys{}.userCode(p.UserCode))
		tx.Then("ZREM", pairingKeys{}.pending(), p.Key)
	}
	return r.commit(ctx, tx)
}

// EndPairing deletes a pairing that was read. false: another writer came first.
func (r *Records) EndPairing(ctx context.Context, p *record.Pairing) (bool, error) {
	tx := new(redis.Txn)
	tx.If(p.Text, "GET", p.Key)
	tx.Then("DEL", p.Key)
	return r.commit(ctx, tx)
}

// AddDevice stores a new device among its owner's: the audit has it as approved by them.
func (r *Records) AddDevice(ctx context.Context, owner string, d *record.Device) error {
	text, err := record.Encode(d)
	if err != nil {
		return err
	}
	k := r.keys(d.Tenant)
	tx := new(redis.Txn)
	lives := d.Expires.Sub(r.now()).Milliseconds()
	tx.Then("SET", k.device(d.ID), text, "PX", max(lives, 1))
	tx.Then("ZREMRANGEBYSCORE", k.devicesOf(owner), "-inf", "("+seconds(r.now()))
	tx.Then("ZADD", k.devicesOf(owner), d.Expires.Unix(), d.ID)
	if err := k.note(tx, journal.Of(d.ApprovedBy(), journal.Approve, ofDevice(d))); err != nil {
		return err
	}
	_, err = r.commit(ctx, tx)
	return err
}

// Device returns a device of a tenant; false: there is none, or no longer.
func (r *Records) Device(ctx context.Context, tenant, id string) (*record.Device, bool, error) {
	d := new(record.Device)
	found, err := r.readStored(ctx, r.keys(tenant).device(id), d, &d.Stored)
	return d, found, err
}

// SaveDevice writes a device that was read. false: another writer came first.
func (r *Records) SaveDevice(ctx context.Context, d *record.Device) (bool, error) {
	text, err := record.Encode(d)
	if err != nil {
		return false, err
	}
	tx := new(redis.Txn)
	tx.If(d.Text, "GET", d.Key)
	tx.Then("SET", d.Key, text, "KEEPTTL")
	return r.commit(ctx, tx)
}

// Devices lists an owner's devices of a tenant, those that end last at the front.
func (r *Records) Devices(ctx context.Context, tenant, owner string) ([]*record.Device, error) {
	k := r.keys(tenant)
	ids, err := r.rdb.ZRevRange(ctx, k.devicesOf(owner), 0, -1).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var list []*record.Device
	for _, id := range ids {
		d, found, err := r.Device(ctx, tenant, id)
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, d)
		}
	}
	return list, nil
}

func ofDevice(d *record.Device) journal.Asset {
	return journal.Asset{Kind: journal.Device, ID: d.ID, Name: d.ClientName}
}

// EndDevice forgets a device and revokes its tokens, as who asks for it.
func (r *Records) EndDevice(ctx context.Context, owner string, d *record.Device, who record.Actor) error {
	k := r.keys(d.Tenant)
	tx := new(redis.Txn)
	tx.If(1, "EXISTS", k.device(d.ID)) // else another request has ended it
	tx.Then("DEL", k.device(d.ID))
	tx.Then("ZREM", k.devicesOf(owner), d.ID)
	err := errors.Join(r.revoke(tx, k, d.ID, d.Expires, who), k.note(tx, journal.Of(who, journal.Revoke, ofDevice(d))))
	if err != nil {
		return err
	}
	_, err = r.commit(ctx, tx)
	return err
}

// readStored reads the JSON at key into v; false: there is nothing.
func (r *Records) readStored(ctx context.Context, key string, v any, stored *record.Stored) (bool, error) {
	text, err := r.rdb.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, redis.Unavailable(err)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return false, fmt.Errorf("%s: %w", key, err)
	}
	*stored = record.Stored{Key: key, Text: text}
	return true, nil
}

// transactions runs what is written to these records.
var transactions = redis.NewTxnScript(journal.Functions(), redis.Functions{Names: []string{"revoke"}, Lua: redis.JoinLua(luaFiles, "revoke")})

// commit runs tx. false: one of its conditions does not hold, and nothing was changed.
func (r *Records) commit(ctx context.Context, tx *redis.Txn) (bool, error) {
	_, err := transactions.Run(ctx, r.hot, tx)
	if _, unmet := errors.AsType[redis.Unmet](err); unmet {
		return false, nil
	}
	return err == nil, err
}
