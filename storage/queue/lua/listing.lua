-- The lists of a deployment's runs: of all, of those in a state, and of those of a report, owner, document or host. They are sorted sets
-- whose scores are 0; a run's member is its place, "<µs when it was made>:<id>", so that they are in the order of creation. After now.

local listedFor = 7776000000 -- ms, as long as runs are remembered

local function micros()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', time[2])
end

-- earliest is the time in µs of the first run that is still remembered.
local function earliest() return string.format('%.0f', now() - listedFor) .. '000' end

-- idOf is the id of the run at a place.
local function idOf(place) return string.sub(place, 18) end

-- lists is what the keys of the lists begin with. run is the key of the run with that id.
local function lists(run, id) return string.sub(run, 1, -#id - 5) .. 'runs:' end

local function enter(list, place)
  redis.call('ZADD', list, 0, place)
  redis.call('PEXPIRE', list, listedFor)
end

-- textOf reads a text out of the record of a placement without decoding all of it, unless it is escaped.
local function textOf(record, member)
  local plain = string.match(record, '"' .. member .. '":"([^"\\]*)"')
  return plain or cjson.decode(string.match(record, '\n(.*)$'))[member]
end

-- facetsOf names the lists that a run is in whatever its state: those of its report and owner, and of the documents and hosts of what it is
-- to refresh. of is its Listing.
local function facetsOf(of, report, placed)
  local facets, seen = {}, {}
  local function add(kind, value)
    local facet = kind .. ':' .. value
    if not seen[facet] then facets[#facets + 1], seen[facet] = facet, true end
  end
  local function stands(record)
    local document = textOf(record, 'workbookId')
    if of.document ~= '' and of.document ~= document then return end
    add('document', document)
    add('host', textOf(record, 'host'))
  end

  add('report', report)
  add('owner', of.owner)
  if of.document ~= '' then add('document', of.document) end
  if of.placement ~= '' then
    local record = redis.call('HGET', placed, 'p:' .. of.placement)
    if record then stands(record) end
    return facets
  end
  local fields = redis.call('HGETALL', placed)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'p:' then stands(fields[i + 1]) end
  end
  return facets
end

-- listRun lists a run that was made at that time, in µs, unless its report is gone.
local function listRun(run, id, at, state, report, listing)
  local root = lists(run, id)
  local ofReport = string.sub(root, 1, -6) .. 'report:' .. report
  if redis.call('EXISTS', ofReport) == 0 then return end
  local place = at .. ':' .. id
  local facets = facetsOf(cjson.decode(listing), report, ofReport .. ':placements')
  redis.call('HSET', run, 'place', place, 'facets', cjson.encode(facets))
  facets[#facets + 1] = 'all'
  for _, facet in ipairs(facets) do
    enter(root .. facet, place)
    -- Members outlive their runs, and reads leave them out: it is enough to drop them now and then.
    if tonumber(string.sub(at, -6)) % 64 == 0 then redis.call('ZREMRANGEBYLEX', root .. facet, '-', '(' .. earliest()) end
  end
  enter(root .. 'state:' .. state, place)
end

-- moveRun moves a run from the list of its state before to that of another one.
local function moveRun(run, before, state)
  local place = before ~= state and redis.call('HGET', run, 'place')
  if not place then return end
  local root = lists(run, idOf(place))
  redis.call('ZREM', root .. 'state:' .. before, place)
  enter(root .. 'state:' .. state, place)
end

-- unlistRun takes a run off every list.
local function unlistRun(run)
  local fields = redis.call('HMGET', run, 'place', 'state', 'facets')
  local place = fields[1]
  if not place then return end
  local root, facets = lists(run, idOf(place)), cjson.decode(fields[3])
  facets[#facets + 1] = 'all'
  facets[#facets + 1] = 'state:' .. fields[2]
  for _, facet in ipairs(facets) do redis.call('ZREM', root .. facet, place) end
  redis.call('HDEL', run, 'place', 'facets')
end
