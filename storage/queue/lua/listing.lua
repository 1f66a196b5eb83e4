-- listRun lists a run that is made. After now, lists and target.

local listedFor = 7776000000 -- ms, as long as runs are remembered

local function micros()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', time[2])
end

-- earliest is the time in µs of the first run that is still remembered.
local function earliest() return string.format('%.0f', now() - listedFor) .. '000' end

-- trim drops from lists the members that have outlived their runs; reads leave them out, so that it is enough to drop them now and then.
local function trim(root, facets)
  local before = '(' .. earliest()
  for _, facet in ipairs(facets) do redis.call('ZREMRANGEBYLEX', root .. facet, '-', before) end
  for _, facet in ipairs({'all', 'open', 'state:SUCCEEDED', 'state:FAILED', 'state:CONFLICT', 'state:SKIPPED', 'state:STOPPED', 'state:SUPERSEDED'}) do
    redis.call('ZREMRANGEBYLEX', root .. facet, '-', before)
  end
end

-- textOf reads a text out of the record of a placement without decoding all of it, unless it is escaped. nil: the record cannot be read.
local function textOf(record, member)
  local plain = string.match(record, '"' .. member .. '":"([^"\\]*)"')
  if plain then return plain end
  local readable, placement = pcall(cjson.decode, string.match(record, '\n(.*)$') or '')
  return readable and type(placement) == 'table' and placement[member] or nil
end

-- inDocument returns the records of a report's placements in a document that an id names. placed is their key, deployment what the keys of
-- theirs begin with.
local function inDocument(deployment, report, document, placed)
  local tenant, id = string.match(deployment, '^(.*)d:(%d+):$')
  local site = siteOf(deployment, document)
  if site then document = site.document end
  local from = id .. ':' .. report .. ':'
  local before = id .. ':' .. report .. ';' -- the character after ':'
  local records = {}
  for _, member in ipairs(redis.call('ZRANGEBYLEX', tenant .. 'doc:' .. document, '[' .. from, '(' .. before)) do
    records[#records + 1] = redis.call('HGET', placed, 'p:' .. string.sub(member, #from + 1)) or nil
  end
  return records
end

-- facetsOf names the lists that a run is in whatever its state, beside that of all: those of its report and owner, and of the documents and
-- hosts of what it is to refresh. A placement that cannot be read adds none: its run says so.
local function facetsOf(deployment, report, owner, target)
  local facets, seen = {}, {}
  local function add(kind, value)
    local facet = value and kind .. ':' .. value
    if facet and not seen[facet] then facets[#facets + 1], seen[facet] = facet, true end
  end
  local function addPlaced(record)
    add('document', textOf(record, 'workbookId'))
    add('host', textOf(record, 'host'))
  end

  add('report', report)
  add('owner', owner)
  local placed = deployment .. 'report:' .. report .. ':placements'
  local kind, name = string.sub(target, 1, 2), string.sub(target, 3)
  if kind == 'p:' then
    local record = redis.call('HGET', placed, 'p:' .. slotOf(placed, name))
    if record then addPlaced(record) end
  elseif kind == 'd:' then
    add('document', name)
    for _, record in ipairs(inDocument(deployment, report, name, placed)) do addPlaced(record) end
  else
    local fields = redis.call('HGETALL', placed)
    for i = 1, #fields, 2 do
      if string.sub(fields[i], 1, 2) == 'p:' then addPlaced(fields[i + 1]) end
    end
  end
  return facets
end

-- A run keeps its facets as one text, "<length>:<facet>" of each.
local function joined(facets)
  local parts = {}
  for i, facet in ipairs(facets) do parts[i] = #facet .. ':' .. facet end
  return table.concat(parts)
end

-- listRun lists a run that was made at that time, in µs, unless its report is gone. A list of a report, owner, document or host expires
-- with its last run.
local function listRun(run, id, at, state, class, report, owner, target)
  local deployment = deploymentOf(run, id)
  if redis.call('EXISTS', deployment .. 'report:' .. report) == 0 then return end
  local place, root = at .. ':' .. id, deployment .. 'runs:'
  local facets = facetsOf(deployment, report, owner, target)
  redis.call('HSET', run, 'place', place, 'facets', joined(facets))
  for _, facet in ipairs(facets) do
    redis.call('ZADD', root .. facet, 0, place)
    redis.call('PEXPIRE', root .. facet, listedFor)
  end
  redis.call('ZADD', root .. 'all', 0, place)
  enter(root, place, state, class)
  if tonumber(string.sub(at, -6)) % 64 == 0 then trim(root, facets) end
end
