-- listRun lists a run that is made. After now and lists.

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
  for _, facet in ipairs({'all', 'open', 'state:SUCCEEDED', 'state:FAILED', 'state:CONFLICT', 'state:SKIPPED', 'state:STOPPED'}) do
    redis.call('ZREMRANGEBYLEX', root .. facet, '-', before)
  end
end

-- textOf reads a text out of the record of a placement without decoding all of it, unless it is escaped.
local function textOf(record, member)
  local plain = string.match(record, '"' .. member .. '":"([^"\\]*)"')
  return plain or cjson.decode(string.match(record, '\n(.*)$'))[member]
end

-- facetsOf names the lists that a run is in whatever its state, beside that of all: those of its report and owner, and of the documents and
-- hosts of what it is to refresh. placed is the key of the placements of its report.
local function facetsOf(report, owner, target, placed)
  local facets, seen = {}, {}
  local function add(kind, value)
    local facet = kind .. ':' .. value
    if not seen[facet] then facets[#facets + 1], seen[facet] = facet, true end
  end

  add('report', report)
  add('owner', owner)
  local kind, name = string.sub(target, 1, 2), string.sub(target, 3)
  if kind == 'p:' then
    local record = redis.call('HGET', placed, target)
    if record then
      add('document', textOf(record, 'workbookId'))
      add('host', textOf(record, 'host'))
    end
    return facets
  end
  if kind == 'd:' then add('document', name) end
  local fields = redis.call('HGETALL', placed)
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'p:' then
      local document = textOf(fields[i + 1], 'workbookId')
      if kind ~= 'd:' or document == name then
        add('document', document)
        add('host', textOf(fields[i + 1], 'host'))
      end
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
  local ofReport = deployment .. 'report:' .. report
  if redis.call('EXISTS', ofReport) == 0 then return end
  local place, root = at .. ':' .. id, deployment .. 'runs:'
  local facets = facetsOf(report, owner, target, ofReport .. ':placements')
  redis.call('HSET', run, 'place', place, 'facets', joined(facets))
  for _, facet in ipairs(facets) do
    redis.call('ZADD', root .. facet, 0, place)
    redis.call('PEXPIRE', root .. facet, listedFor)
  end
  redis.call('ZADD', root .. 'all', 0, place)
  enter(root, place, state, class)
  if tonumber(string.sub(at, -6)) % 64 == 0 then trim(root, facets) end
end
