-- Reads a page of the runs that are in every one of some lists, the latest first. After now, lists, target, listing and walk.
--   KEYS   lists
--   ARGV   place before the page or '', µs of the earliest, state of those wanted of an open one or '', size of the page,
--          prefix of run keys, prefix of report keys, 1 to return the definitions of the reports
--   result {1 if there may be more, place of the last run that was looked at, {of each run: place, fields, report, definition of the first
--          run of each report}}
local after, since, state, first, runs, reports, definitions = unpack(ARGV)
local low = '[' .. (since > earliest() and since or earliest()) -- texts of one length
local begin = after == '' and '+' or '(' .. after

local out, seen = {}, {}

local function add(place)
  local fields = redis.call('HMGET', runs .. idOf(place), 'run', 'state', 'fence', 'startedAt', 'report')
  if not fields[1] or (state ~= '' and fields[2] ~= state) then return end
  local definition = ''
  if definitions == '1' and not seen[fields[5]] then
    seen[fields[5]] = true
    definition = redis.call('HGET', reports .. fields[5], 'definition') or ''
  end
  out[#out + 1] = {place, fields[1], fields[2], fields[3], fields[4] or '', fields[5], definition}
  return #fields[1] + #definition
end

local more, last = walk(KEYS, 'ZREVRANGEBYLEX', begin, low, tonumber(first), add)
return {more, last, out}
