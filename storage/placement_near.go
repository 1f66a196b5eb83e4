package storage

import (
	"context"

	"mooring/placements"
	"mooring/storage/redis"
)

// near names those placements of a report that a connect, a disconnect or a stamp may concern, so that its cost does not grow with the
// report: the one of that id, the one at that address, all at that sheet and anchor, and, where none has the address, all at that anchor
// of the sheet with that id. With a document, placements of other reports that have the id there are counted. Empty texts name none.
type near struct{ id, key, spot, sheet, document string }

// nearConnection names what a connect may concern.
func nearConnection(c placements.Connection, place placements.Place) near {
	n := near{id: c.PlacementID, key: place.Key()}
	if c.SheetID != "" {
		n.sheet = place.SheetSpot(c.SheetID)
	}
	if c.PlacementID != "" {
		n.document = c.ExternalWorkbookID
	}
	return n
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
//	KEYS   report, placements, spots, index of a spreadsheet
//	ARGV   id, address key, sheet and anchor, anchor of the sheet with an id; "" for none; how the index names the report, "" not to count
//	result {report hash, fields and values of the placements hash: records, addresses and last runs,
//	       how many other reports have the id there}
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
local function named(index, text) return redis.call('ZRANGEBYLEX', index, '[' .. text .. '\n', '(' .. text .. '\v') end
local function addNamed(text)
  for _, member in ipairs(named(KEYS[3], text)) do add(string.sub(member, #text + 2)) end
end
add(ARGV[1])
local there = string.match(redis.call('HGET', KEYS[2], 'a:' .. ARGV[2]) or '', '^(.*)\t')
add(there)
if ARGV[3] ~= '' then addNamed(ARGV[3]) end
if ARGV[4] ~= '' and not there then addNamed(ARGV[4]) end
local held = 0
if ARGV[5] ~= '' then
  for _, member in ipairs(named(KEYS[4], '=' .. ARGV[1])) do
    if member ~= '=' .. ARGV[1] .. '\n' .. ARGV[5] then held = held + 1 end
  end
end
return {redis.call('HGETALL', KEYS[1]), out, held}`)

// loadNear reads a report with only those of its placements that n names, and remembers them. ErrNotFound.
func (s *Store) loadNear(ctx context.Context, k deploymentKeys, id int64, n near) (*Report, error) {
	keys := []string{k.report(id), k.placements(id), k.spots(id), k.document(n.document)}
	owner := ""
	if n.document != "" {
		owner = k.owner(id)
	}
	out, err := nearScript.Run(ctx, s.rdb, keys, n.id, n.key, n.spot, n.sheet, owner).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	r, err := s.readReport(k, id, redis.Pairs(out[0]), redis.Pairs(out[1]))
	if err != nil {
		return nil, err
	}
	s.known.remember(k, r)
	r.heldID, _ = out[2].(int64)
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
