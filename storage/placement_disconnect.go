package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// disconnectScript removes the one placement that a target addresses, if there is exactly one.
//
//	KEYS   report, placements, lock of the report
//	ARGV   1-3 reader, 4 form: "id", "address", "location" or "nothing", 5 id, address key, or sheet and anchor, 6 line of the sheet id that narrows or "",
//	       7 owner, 8 prefix of the tenant's keys, 9 prefix of the keys of rows, 10 most fields to show
//	result {"ok", record removed or "", report hash, placements hash or false}, or {"absent"|"busy"}
var disconnectScript = redis.NewScript(readerScript + recordScript + shownScript + `
local host, query = reads()
if not host then return {query} end
local form, name = ARGV[4], ARGV[5]
local candidates = {}
if form == 'id' then
  candidates = {name}
elseif form == 'address' then
  candidates = {redis.call('HGET', KEYS[2], 'a:' .. name) or nil}
elseif form == 'location' then
  for _, member in ipairs(standingAt(name)) do candidates[#candidates + 1] = string.sub(member, #name + 2) end
end
local slot, record, hits = nil, '', 0
for _, candidate in ipairs(candidates) do
  local text = redis.call('HGET', KEYS[2], 'p:' .. candidate)
  local sheetId = text and lines(text)[6]
  if text and (ARGV[6] == '' or sheetId == '' or sheetId == ARGV[6]) then
    slot, record, hits = candidate, text, hits + 1
    if hits > 1 then break end
  end
end
if hits == 1 then
  local at = parseHead(lines(record)[1])
  redis.call('HDEL', KEYS[2], 'p:' .. slot, 'r:' .. slot, 'a:' .. at.key)
  redis.call('ZREM', KEYS[1] .. ':spots', spotMember(at.spot, slot))
  redis.call('ZREM', ARGV[8] .. 'doc:' .. at.document, ARGV[7] .. ':' .. slot)
  redis.call('ZREM', ARGV[8] .. 'cells:' .. at.cells, at.bottom .. ':' .. ARGV[7] .. ':' .. slot)
  redis.call('DEL', ARGV[9] .. slot)
else
  record = ''
end
local report, placed = shown(ARGV[10], nil)
return {'ok', record, report, placed}`)

// Disconnect removes the one placement of a report that t addresses (interface.md, Disconnect), on behalf of who. removed is its JSON, nil when t
// addresses none, which is a success and changes nothing. The report of a minimal answer shows no placements. ErrNotFound also when who may not
// read the report.
func (s *Store) Disconnect(ctx context.Context, d Deployment, reportID int64, t placements.Target, who Reader, minimal bool) (r *Report, removed json.RawMessage, err error) {
	k := s.deployment(d)
	args := append(who.scriptArgs(), targetArgs(t)...)
	args = append(args, k.owner(reportID), k.tenantKeys.prefix, k.rows(reportID, ""), shownFields(minimal))
	out, err := s.runHot(ctx, disconnectScript, []string{k.report(reportID), k.placements(reportID), k.reportLock(reportID)}, args)
	if err != nil {
		return nil, nil, err
	}
	if r, err = s.shownReport(ctx, k, reportID, out[2], out[3]); err != nil {
		return nil, nil, err
	}
	if record := text(out[1]); record != "" {
		p, err := showRecord("", record, "")
		if err != nil {
			return nil, nil, fmt.Errorf("report %d: %w", reportID, err)
		}
		removed = json.RawMessage(p.JSON + "}")
	}
	return r, removed, nil
}

// targetArgs is a target as disconnectScript takes it.
func targetArgs(t placements.Target) []any {
	switch form, a := t.Form(); form {
	case placements.ByID:
		return []any{"id", t.PlacementID, ""}
	case placements.ByAddress:
		return []any{"address", a.Key(), member("sheetId", t.SheetID)}
	case placements.ByLocation:
		return []any{"location", a.Spot(), member("sheetId", t.SheetID)}
	}
	return []any{"nothing", "", ""}
}
