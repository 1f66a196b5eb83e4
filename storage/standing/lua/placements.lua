-- Reads a page of the placements that are in every one of some lists, the latest placed first. After walk.
--   KEYS   lists
--   ARGV   place before the page or '', ms of the earliest, size of the page, prefix of report keys
--   result {1 if there may be more, place of the last one that was looked at, {of each: place, record, last run or '', definition of its
--          report with the first one of each}}
local after, since, first, reports = unpack(ARGV)
local out, seen = {}, {}

local function add(place)
  local report, slot = string.match(place, '^%d+:(%d+):(.*)$')
  local fields = redis.call('HMGET', reports .. report .. ':placements', 'p:' .. slot, 'r:' .. slot)
  if not fields[1] then return end
  local definition = ''
  if not seen[report] then
    seen[report] = true
    definition = redis.call('HGET', reports .. report, 'definition') or ''
  end
  out[#out + 1] = {place, fields[1], fields[2] or '', definition}
  return #fields[1] + #definition
end

local more, last = walk(KEYS, 'ZREVRANGEBYLEX', after == '' and '+' or '(' .. after, '[' .. since, tonumber(first), add)
return {more, last, out}
