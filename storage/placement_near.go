package storage

import (
	"context"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// nearScript reads those placements of a report that a connect, a disconnect or a stamp may concern, so that its cost does not grow with the
// report.
//
//	KEYS   report, placements
//	ARGV   placement id, address key, sheet and anchor; "" for none
//	result fields and values of the placements hash: records and last runs
var nearScript = redis.NewScript(recordScript + `
local out, seen = {}, {}
local function add(slot)
  local record = slot and slot ~= '' and not seen[slot] and redis.call('HGET', KEYS[2], 'p:' .. slot)
  if not record then return end
  seen[slot] = true
  for _, text in ipairs({'p:' .. slot, record, 'r:' .. slot, redis.call('HGET', KEYS[2], 'r:' .. slot) or ''}) do out[#out + 1] = text end
end
add(ARGV[1])
add(redis.call('HGET', KEYS[2], 'a:' .. ARGV[2]))
if ARGV[3] ~= '' then
  for _, member in ipairs(standingAt(ARGV[3])) do add(string.sub(member, #ARGV[3] + 2)) end
end
return out`)

// near names the placements that nearScript reads.
type near struct{ id, key, spot string }

// loadNear gives r those of its placements that n names.
func (s *Store) loadNear(ctx context.Context, k deploymentKeys, r *Report, n near) error {
	flat, err := nearScript.Run(ctx, s.rdb, []string{k.report(r.ID), k.placements(r.ID)}, n.id, n.key, n.spot).Slice()
	if err != nil {
		return unavailable(err)
	}
	r.Placements, err = readPlacements(pairs(flat))
	return err
}

// nearTarget names what a target may address.
func nearTarget(t placements.Target) near {
	switch form, a := t.Form(); form {
	case placements.ByID:
		return near{id: t.PlacementID}
	case placements.ByAddress:
		return near{key: a.Key()}
	case placements.ByLocation:
		return near{spot: a.Spot()}
	}
	return near{}
}

// lockNear takes the lock of a report that who may read and loads those of its placements that n names. ErrNotFound, and then no lock is held.
func (s *Store) lockNear(ctx context.Context, k deploymentKeys, id int64, who Reader, n near) (held, *Report, error) {
	h, hashes, err := s.lockLoad(ctx, []string{k.reportLock(id)}, []string{k.report(id)})
	if err != nil {
		return held{}, nil, err
	}
	r, err := readReport(k, id, hashes[0], nil)
	if err == nil && !who.mayRead(&r.Definition) {
		err = ErrNotFound
	}
	if err == nil {
		err = s.loadNear(ctx, k, r, n)
	}
	if err != nil {
		s.unlock(ctx, h)
		return held{}, nil, err
	}
	return h, r, nil
}
