-- instead makes last the last run on a placement, or newer while the run at newerKey has not ended and wants the placement. Where another run
-- than that of run is shown, it knows better; where none is, nothing is to be shown unless new is '1'. placed is the key of the report's
-- placements; newer and newerKey are '' where no other run is at work.
local function instead(placed, slot, run, last, newerKey, newer, new)
  local shown = redis.call('HGET', placed, 'r:' .. slot)
  if not shown and new ~= '1' or shown and cjson.decode(shown).runId ~= run then return end
  local wanted = newer ~= '' and redis.call('HGET', placed, 'w:' .. slot) == cjson.decode(newer).runId
  local state = wanted and redis.call('HGET', newerKey, 'state')
  if isOpen(state) then last = newer end
  redis.call('HSET', placed, 'r:' .. slot, last)
end
