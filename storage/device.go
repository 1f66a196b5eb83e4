package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Pairings belong to no tenant before they are approved: they lie in a partition of their own, under hashes of their codes. Devices
// lie with their tenant. Both are written as Stored says: by who read the text that is replaced.

// pairingKept is how long a pairing is remembered after its end, so that a late device is told so.
const pairingKept = 10 * time.Minute

// TakePairing counts a request for a code from an address against rate, and returns 0; or how long to wait.
func (s *Store) TakePairing(ctx context.Context, address string, rate record.Rate) (time.Duration, error) {
	cost := 1e6 / rate.PerSecond
	wait, _, err := redis.TakeTokens(ctx, s.rdb, pairingKeys{}.rate(address), cost, cost*float64(rate.Burst))
	return wait, err
}

// PendingPairings counts the pairings that wait for a decision.
func (s *Store) PendingPairings(ctx context.Context) (int64, error) {
	p := s.rdb.Pipeline()
	p.ZRemRangeByScore(ctx, pairingKeys{}.pending(), "-inf", "("+seconds(s.now()))
	n := p.ZCard(ctx, pairingKeys{}.pending())
	_, err := p.Exec(ctx)
	return n.Val(), redis.Unavailable(err)
}

// AddPairing stores a new pairing under a device code. false: its user code is taken, and nothing was stored.
func (s *Store) AddPairing(ctx context.Context, deviceCode string, p *record.Pairing) (bool, error) {
	var k pairingKeys
	tx := new(txn)
	lives := p.Expires.Sub(s.now())
	key, byUserCode := k.pairing(digestOf(deviceCode)), k.userCode(p.UserCode)
	tx.If("", "GET", byUserCode)
	tx.Then("SET", byUserCode, key, "PX", lives.Milliseconds())
	tx.Then("SET", key, tx.encode("pairing", p), "PX", (lives + pairingKept).Milliseconds())
	tx.Then("ZADD", k.pending(), p.Expires.Unix(), key)
	_, err := s.run(ctx, tx)
	return met(err)
}

// Pairing returns the pairing of a device code; false: there is none.
func (s *Store) Pairing(ctx context.Context, deviceCode string) (*record.Pairing, bool, error) {
	p := new(record.Pairing)
	found, err := s.readStored(ctx, pairingKeys{}.pairing(digestOf(deviceCode)), p, &p.Stored)
	return p, found, err
}

// PairingOf returns the pairing of a user code, which has one until it is decided; false: there is none.
func (s *Store) PairingOf(ctx context.Context, userCode string) (*record.Pairing, bool, error) {
	key, err := s.rdb.Get(ctx, pairingKeys{}.userCode(userCode)).Result()
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, redis.Unavailable(err)
	}
	p := new(record.Pairing)
	found, err := s.readStored(ctx, key, p, &p.Stored)
	return p, found, err
}

// SavePairing writes a pairing that was read. One that was decided loses its user code. false: another writer came first.
func (s *Store) SavePairing(ctx context.Context, p *record.Pairing) (bool, error) {
	tx := new(txn)
	tx.If(p.Text, "GET", p.Key)
	tx.Then("SET", p.Key, tx.encode("pairing", p), "KEEPTTL")
	if p.State != record.PairingPending {
		tx.Then("DEL", pairingKeys{}.userCode(p.UserCode))
		tx.Then("ZREM", pairingKeys{}.pending(), p.Key)
	}
	_, err := s.run(ctx, tx)
	return met(err)
}

// EndPairing deletes a pairing that was read. false: another writer came first.
func (s *Store) EndPairing(ctx context.Context, p *record.Pairing) (bool, error) {
	tx := new(txn)
	tx.If(p.Text, "GET", p.Key)
	tx.Then("DEL", p.Key)
	_, err := s.run(ctx, tx)
	return met(err)
}

// AddDevice stores a new device among its owner's.
func (s *Store) AddDevice(ctx context.Context, owner string, d *record.Device) error {
	k := s.tenant(d.Tenant)
	tx := new(txn)
	lives := d.Expires.Sub(s.now()).Milliseconds()
	tx.Then("SET", k.device(d.ID), tx.encode("device", d), "PX", max(lives, 1))
	tx.Then("ZREMRANGEBYSCORE", k.devicesOf(owner), "-inf", "("+seconds(s.now()))
	tx.Then("ZADD", k.devicesOf(owner), d.Expires.Unix(), d.ID)
	_, err := s.run(ctx, tx)
	return err
}

// Device returns a device of a tenant; false: there is none, or no longer.
func (s *Store) Device(ctx context.Context, tenant, id string) (*record.Device, bool, error) {
	d := new(record.Device)
	found, err := s.readStored(ctx, s.tenant(tenant).device(id), d, &d.Stored)
	return d, found, err
}

// SaveDevice writes a device that was read. false: another writer came first.
func (s *Store) SaveDevice(ctx context.Context, d *record.Device) (bool, error) {
	tx := new(txn)
	tx.If(d.Text, "GET", d.Key)
	tx.Then("SET", d.Key, tx.encode("device", d), "KEEPTTL")
	_, err := s.run(ctx, tx)
	return met(err)
}

// Devices lists an owner's devices of a tenant, those that end last at the front.
func (s *Store) Devices(ctx context.Context, tenant, owner string) ([]*record.Device, error) {
	k := s.tenant(tenant)
	ids, err := s.rdb.ZRevRange(ctx, k.devicesOf(owner), 0, -1).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var list []*record.Device
	for _, id := range ids {
		d, found, err := s.Device(ctx, tenant, id)
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, d)
		}
	}
	return list, nil
}

// EndDevice forgets a device and revokes its tokens.
func (s *Store) EndDevice(ctx context.Context, owner string, d *record.Device) error {
	if err := s.Revoke(ctx, d.Tenant, d.ID, d.Expires); err != nil {
		return err
	}
	k := s.tenant(d.Tenant)
	tx := new(txn)
	tx.Then("DEL", k.device(d.ID))
	tx.Then("ZREM", k.devicesOf(owner), d.ID)
	_, err := s.run(ctx, tx)
	return err
}

// readStored reads the JSON at key into v; false: there is nothing.
func (s *Store) readStored(ctx context.Context, key string, v any, stored *record.Stored) (bool, error) {
	text, err := s.rdb.Get(ctx, key).Result()
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

// met reports whether the conditions of a transaction held that ended with err.
func met(err error) (bool, error) {
	if unmet(err) {
		return false, nil
	}
	return err == nil, err
}
