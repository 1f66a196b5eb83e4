package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// maxOverlaps bounds the overlaps that a connect lists.
const maxOverlaps = 100

// Connection tells what a connect did.
type Connection struct {
	Report      *Report // without its placements when the answer is to be minimal, but for the one connected
	PlacementID string
	Overlaps    []DocumentPlacement // the placements, of whatever report, that claim a common cell
}

// connectScript records a data write at an address: a new placement, or the one that stands there. It leaves to the path under the lock what
// moves a placement or gives an id to one without.
//
//	KEYS   report, placements, lock of the report, document index, cell index of the sheet
//	ARGV   1-3 reader, 4 placement id sent or "", 5 id of a new one, 6 address key, 7 sheet and anchor, 8 owner, 9 claim, 10 score, 11 last row,
//	       12 "1" when 10 and 11 are what was sent and not just the anchor, 13-21 the lines of the JSON (13 and 21 of a new record; 20 without
//	       its query checksum; "" where nothing was sent), 22 report stamp up to the end cell, 23 most overlaps, 24 most fields to show
//	result {"ok", slot, overlapping members, report hash, placements hash or false}, or {"absent"|"busy"|"locked"|"taken"}
var connectScript = redis.NewScript(readerScript + recordScript + shownScript + overlapScript + `
local host, query = reads()
if not host then return {query} end
local slot = redis.call('HGET', KEYS[2], 'a:' .. ARGV[6])
if slot and string.byte(slot) == 1 then return {'locked'} end
if ARGV[4] ~= '' and slot ~= ARGV[4] then
  if slot then return {'taken'} end
  if redis.call('HEXISTS', KEYS[2], 'p:' .. ARGV[4]) == 1 then return {'locked'} end
end
local new = {}
for i = 13, 21 do new[i - 12] = ARGV[i] end
local score, bottom = ARGV[10], ARGV[11]
local stays = false
if slot then
  local old = lines(redis.call('HGET', KEYS[2], 'p:' .. slot))
  new[1] = old[3]
  for _, i in ipairs({2, 3, 4, 6}) do
    if new[i] == '' then new[i] = old[i + 2] end
  end
  if old[11] ~= '' then new[9] = old[11] end
  local was = parseHead(old[1])
  if ARGV[12] ~= '1' then score, bottom = was.score, was.bottom end
  stays = score == was.score and bottom == was.bottom
  if not stays then redis.call('ZREM', KEYS[5], was.bottom .. ':' .. ARGV[8] .. ':' .. slot) end
else
  slot = ARGV[5]
  if new[3] == '' then new[3] = ',"host":"' .. host .. '"' end
  redis.call('HSET', KEYS[2], 'a:' .. ARGV[6], slot)
  redis.call('ZADD', KEYS[1] .. ':spots', 0, spotMember(ARGV[7], slot))
  redis.call('ZADD', KEYS[4], 0, ARGV[8] .. ':' .. slot)
end
new[8] = ',"queryChecksum":"' .. query .. '"' .. new[8]
local record = ARGV[6] .. '\t' .. score .. '\t' .. bottom .. '\n' .. ARGV[9] .. '\n' .. table.concat(new, '\n') .. '\n}'
redis.call('HSET', KEYS[2], 'p:' .. slot, record)
local member = bottom .. ':' .. ARGV[8] .. ':' .. slot
if not stays then redis.call('ZADD', KEYS[5], score, member) end
redis.call('HSET', KEYS[1], '` + fieldMarks + `', ARGV[22] .. new[6] .. '}')
local report, placed = shown(ARGV[24], slot)
return {'ok', slot, overlapping(KEYS[5], member, score, bottom, tonumber(ARGV[23])), report, placed}`)

// Connect records a placement of a report (interface.md, Connect) on behalf of who. A minimal answer's report shows only that placement. Errors:
// ErrNotFound, also when who may not read the report; *placements.InvalidError; *Conflict when another placement of the report stands there.
func (s *Store) Connect(ctx context.Context, d Deployment, reportID int64, c placements.Connection, who Reader, minimal bool) (*Connection, error) {
	place, err := c.Place()
	if err != nil {
		return nil, err
	}
	k := s.deployment(d)
	// Under the lock: what takes no stamp, and names whose host matters.
	if c.AddressOnly || !place.FitsAnyHost() {
		return s.connectLocked(ctx, k, reportID, c, who, minimal)
	}
	keys, args, err := s.connectArgs(k, reportID, c, place, who, minimal)
	if err != nil {
		return nil, err
	}
	out, err := s.runHot(ctx, connectScript, keys, args)
	switch {
	case errors.Is(err, errNeedsLock):
		return s.connectLocked(ctx, k, reportID, c, who, minimal)
	case err != nil:
		return nil, err
	}
	done := &Connection{PlacementID: text(out[1])}
	if done.Report, err = s.shownReport(ctx, k, reportID, out[3], out[4]); err != nil {
		return nil, err
	}
	done.Overlaps, err = s.loadCells(ctx, k.tenantKeys, list(out[2]))
	return done, err
}

// connectArgs prepares connectScript.
func (s *Store) connectArgs(k deploymentKeys, report int64, c placements.Connection, place placements.Place, who Reader, minimal bool) ([]string, []any, error) {
	ch, err := placements.Connect(nil, c, placements.Stamp{Now: s.now(), UserID: who.User.ID, NewID: rand.Text()})
	if err != nil {
		return nil, nil, err
	}
	p := ch.Placement
	lines, err := recordedLines(p)
	if err != nil {
		return nil, nil, err
	}
	lines[lineHost] = member("host", string(c.Host))
	at := standing(p)
	sized := ""
	if place.End != nil {
		sized = "1"
	}
	args := append(make([]any, 0, 24), who.scriptArgs()...)
	args = append(args, c.PlacementID, p.ID, at.Key(), at.Spot(), k.owner(report), s.now().UnixMicro(), cellScore(at.rect), at.rect.Bottom, sized)
	for _, line := range lines {
		args = append(args, line)
	}
	marks, err := hotMarks(p, who.User)
	args = append(args, marks, maxOverlaps, shownFields(minimal))
	keys := []string{
		k.report(report), k.placements(report), k.reportLock(report),
		k.document(at.Document), k.cells(placements.SheetKey(at.Document, at.Sheet)),
	}
	return keys, args, err
}

// hotMarks is the JSON of the marks that a data write leaves on a report, up to the end cell.
func hotMarks(p placements.Placement, who User) (string, error) {
	user, err := encode(who)
	return `{"refreshedAt":` + quoted(p.RefreshedAt) + `,"refreshedBy":` + strconv.FormatInt(who.ID, 10) + `,"refreshedByUser":` + user +
		`,"externalWorkbookId":` + quoted(p.WorkbookID) + `,"resultLocation":` + quoted(p.ResultLocation), err
}

// shownFields is how many fields of the placements hash a script gives back.
func shownFields(minimal bool) int {
	if minimal {
		return -1
	}
	return inlineFields
}
