package storage

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/storage/redis"
)

// newIDScript gives out an id and, for an asset that claims a name, takes the name's lock and reads who has the name.
//
//	KEYS   ids, [lock of the name, index of names]
//	ARGV   kind of asset, token, ttl ms, name
//	result {id}, {id, owner of the name}, or {} while the lock is taken
var newIDScript = redis.NewScript(`
if #KEYS == 1 then return {redis.call('HINCRBY', KEYS[1], ARGV[1], 1)} end
local owner = redis.call('HGET', KEYS[3], ARGV[4])
if owner then return {0, owner} end
if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return {} end
return {redis.call('HINCRBY', KEYS[1], ARGV[1], 1)}`)

// claim is a name that a new asset wants to have to itself.
type claim struct{ lock, index, name string }

// lockNew gives out an id for a new asset. With a claim it also takes the name's lock; owner is who has the name already, and then no lock
// is taken.
func (s *Store) lockNew(ctx context.Context, k deploymentKeys, kind string, c *claim) (h held, id int64, owner string, err error) {
	keys := []string{k.ids()}
	h = hold()
	name := ""
	if c != nil {
		h = hold(c.lock)
		keys = append(keys, c.lock, c.index)
		name = c.name
	}
	err = s.untilLocked(ctx, func() (bool, error) {
		out, err := newIDScript.Run(ctx, s.rdb, keys, kind, h.token, s.lockTTL.Milliseconds(), name).Slice()
		if err != nil {
			s.unlockUnsure(ctx, h)
			return false, redis.Unavailable(err)
		}
		if len(out) == 0 {
			return false, nil
		}
		id, _ = out[0].(int64)
		if len(out) == 2 {
			owner, _ = out[1].(string)
		}
		return true, nil
	})
	if err != nil || owner != "" {
		return held{}, 0, owner, err
	}
	return h, id, "", s.step("locked")
}

// lockNewReport gives out the id of a new report and, unless publicID is empty, locks that.
func (s *Store) lockNewReport(ctx context.Context, k deploymentKeys, publicID string) (held, int64, error) {
	var c *claim
	if publicID != "" {
		c = &claim{k.publicIDLock(publicID), k.publicIDs(), publicID}
	}
	h, id, owner, err := s.lockNew(ctx, k, "report", c)
	if owner != "" {
		err = k.publicIDTaken(owner, publicID)
	}
	return h, id, err
}

// publicIDTaken is the conflict about a publicId that owner has already.
func (k deploymentKeys) publicIDTaken(owner, publicID string) error {
	if _, here := k.owned(owner); here {
		return placements.Errorf(placements.CodePublicIDTaken,
			"Another report of this deployment has the publicId %s: choose another one, or update that report.", publicID)
	}
	return placements.Errorf(placements.CodeElsewhere,
		"The publicId %s belongs to a report in another deployment: choose another one.", publicID)
}

// claimed reads an index entry "<deployment>:<id>"; ok is false when there is none.
func claimed(ctx context.Context, rdb redis.Cmdable, index, name string) (owner string, ok bool, err error) {
	owner, err = rdb.HGet(ctx, index, name).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return owner, err == nil, redis.Unavailable(err)
}
