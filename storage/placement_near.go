package storage

import (
	"context"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// near names those placements of a report that a connect, a disconnect or a stamp may concern, so that its cost does not grow with the report:
// the one of that id, the one at that address, and all that stand at that sheet and anchor. Empty texts name none.
type near struct{ id, key, spot string }

// nearConnection names what a connect may concern.
func nearConnection(c placements.Connection, place placements.Place) near {
	return near{id: c.PlacementID, key: place.Key()}
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

// nearScript reads a report and the placements near something.
//
//	KEYS   report, placements, spots
//	ARGV   id, address key, sheet and anchor; "" for none
//	result {report hash, fields and values of the placements hash: records, addresses and last runs}
var nearScript = redis.NewScript(`
local out, seen = {}, {}
local function add(slot)
  local record = slot and slot ~= '' and not seen[slot] and redis.call('HGET', KEYS[2], 'p:' .. slot)
  if not record then return end
  seen[slot] = true
  for _, text in ipairs({'p:' .. slot, record}) do out[#out + 1] = text end
  for _, field in ipairs({'a:' .. string.match(record, '^[^\n]*\t([^\n]*)\n'), 'r:' .. slot}) do
    out[#out + 1] = field
    out[#out + 1] = redis.call('HGET', KEYS[2], field) or ''
  end
end
add(ARGV[1])
add(string.match(redis.call('HGET', KEYS[2], 'a:' .. ARGV[2]) or '', '^(.*)\t'))
if ARGV[3] ~= '' then
  local there = redis.call('ZRANGEBYLEX', KEYS[3], '[' .. ARGV[3] .. '\n', '(' .. ARGV[3] .. '\v')
  for _, member in ipairs(there) do add(string.sub(member, #ARGV[3] + 2)) end
end
return {redis.call('HGETALL', KEYS[1]), out}`)

// loadNear reads a report with only those of its placements that n names, and remembers them. ErrNotFound.
func (s *Store) loadNear(ctx context.Context, k deploymentKeys, id int64, n near) (*Report, error) {
	keys := []string{k.report(id), k.placements(id), k.spots(id)}
	out, err := nearScript.Run(ctx, s.rdb, keys, n.id, n.key, n.spot).Slice()
	if err != nil {
		return nil, unavailable(err)
	}
	r, err := s.readReport(k, id, pairs(out[0]), pairs(out[1]))
	if err != nil {
		return nil, err
	}
	s.known.remember(k, r)
	return r, nil
}

// lockNear takes the lock of a report and loads it as loadNear does. An error leaves no lock held.
func (s *Store) lockNear(ctx context.Context, k deploymentKeys, id int64, n near) (held, *Report, error) {
	h, _, err := s.lockLoad(ctx, []string{k.reportLock(id)}, nil)
	if err != nil {
		return held{}, nil, err
	}
	r, err := s.loadNear(ctx, k, id, n)
	if err != nil {
		s.unlock(ctx, h)
		return held{}, nil, err
	}
	return h, r, nil
}
