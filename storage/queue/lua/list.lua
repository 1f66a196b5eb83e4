-- Reads a page of the runs that are in every one of some lists, the latest first. After now and listing.
--   KEYS   lists
--   ARGV   place before the page or '', µs of the earliest, size of the page, prefix of run keys, prefix of report keys,
--          1 to return the definitions of the reports
--   result {1 if there may be more, place of the last run that was looked at, {of each run: id, fields, report, definition of the first
--          run of each report}}
local after, since, first, runs, reports, definitions = unpack(ARGV)
local low = '[' .. (since > earliest() and since or earliest()) -- texts of one length
local begin = after == '' and '+' or '(' .. after
first = tonumber(first)

-- A page ends early after so many runs of the shortest list, or bytes: others wait for the server meanwhile.
local mostRuns, mostBytes, chunk = 5000, 8388608, 250

local base, least
for _, list in ipairs(KEYS) do
  local count = redis.call('ZLEXCOUNT', list, low, begin)
  if not least or count < least then base, least = list, count end
end

local function inEvery(place)
  for _, list in ipairs(KEYS) do
    if list ~= base and not redis.call('ZSCORE', list, place) then return false end
  end
  return true
end

local out, seen, bytes, last = {}, {}, 0, ''

local function add(place)
  local id = idOf(place)
  local fields = redis.call('HMGET', runs .. id, 'run', 'state', 'fence', 'startedAt', 'report')
  if not fields[1] then return end
  local definition = ''
  if definitions == '1' and not seen[fields[5]] then
    seen[fields[5]] = true
    definition = redis.call('HGET', reports .. fields[5], 'definition') or ''
  end
  bytes = bytes + #fields[1] + #definition
  out[#out + 1] = {id, fields[1], fields[2], fields[3], fields[4] or '', fields[5], definition}
end

-- walk adds the runs of a page and returns 1 if it ended before the list did.
local function walk()
  for _ = 1, mostRuns / chunk do
    local places = redis.call('ZREVRANGEBYLEX', base, begin, low, 'LIMIT', 0, chunk)
    for _, place in ipairs(places) do
      if inEvery(place) then
        if #out == first or bytes > mostBytes then return 1 end
        add(place)
      end
      last = place
    end
    if #places < chunk then return 0 end
    begin = '(' .. last
  end
  return 1
end

local more = walk()
return {more, last, out}
