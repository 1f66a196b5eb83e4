-- The lists of a deployment's placements and spreadsheets, see keys.Deployment.Standing, from which the names of the others are made.

-- statusOf is placements.SyncStatus, and behind a space, of a placement that waits, what for. run is the LastRun as it is stored, or false.
local function statusOf(run, query, refreshedAt, current)
  local waits = ''
  if run then
    local of = cjson.decode(run)
    local overtaken = of.endedAt and of.endedAt ~= '' and refreshedAt > of.endedAt
    if not overtaken then
      if of.state == 'QUEUED' and of.reason then waits = ' ' .. of.reason end
      if of.state == 'RUNNING' then return 'REFRESHING' end
      if of.state == 'FAILED' and of.errorClass == 'conflict' then return 'CONFLICT' end
      if of.state == 'FAILED' or of.state == 'QUEUED' and (of.errorClass or '') ~= '' then return 'FAILED' .. waits end
    end
  end
  if query == '' then return 'UNKNOWN' .. waits end
  return (query == current and 'UP_TO_DATE' or 'CHANGED') .. waits
end

-- enlist puts a placement in the lists of its status and facts when by is 1, and takes it off them when by is -1; only those of its status if
-- nothing else changes.
local function enlist(root, id, status, facts, by, statusOnly)
  local at, edited, owner, host, document = string.match(facts, '^(%d+)\t(%d)\t(-?%d+)\t([^\t]*)\t(.*)$')
  local place = at .. ':' .. id
  local function put(list)
    if by == 1 then
      redis.call('ZADD', root .. 'placed:' .. list, 0, place)
    else
      redis.call('ZREM', root .. 'placed:' .. list, place)
    end
  end
  local function count(list)
    local field = list .. '\n' .. document
    local now = redis.call('HINCRBY', root .. 'documents', field, by)
    if now == 0 then
      redis.call('HDEL', root .. 'documents', field)
      redis.call('ZREM', root .. 'documents:' .. list, document)
    elseif now == 1 and by == 1 then
      redis.call('ZADD', root .. 'documents:' .. list, 0, document)
    end
  end

  local waits
  status, waits = string.match(status, '^(%S*) ?(.*)$')
  put('status:' .. status)
  count('status:' .. status)
  if waits ~= '' then
    for _, list in ipairs({'waiting', 'waiting:' .. waits}) do
      put(list)
      count(list)
    end
  end
  if statusOnly then return end
  put('all')
  count('all')
  put('host:' .. host)
  put('document:' .. document)
  put('report:' .. string.match(id, '^%d+'))
  if owner ~= '0' then put('owner:' .. owner) end
  if edited == '1' then
    put('edited')
    count('edited')
  end
end

-- restate makes a placement, "<report>:<slot>", stand as a status and facts say, which Standing has between tabs; nil for one that goes.
local function restate(standing, id, status, facts)
  local before = redis.call('HGET', standing, id)
  local text = status and status .. '\t' .. facts
  if before == text or not before and not text then return end
  local root = string.sub(standing, 1, -9)
  local oldStatus, oldFacts
  if before then oldStatus, oldFacts = string.match(before, '^([^\t]*)\t(.*)$') end
  if before then enlist(root, id, oldStatus, oldFacts, -1, oldFacts == facts) end
  if not text then return redis.call('HDEL', standing, id) end
  enlist(root, id, status, facts, 1, oldFacts == facts)
  redis.call('HSET', standing, id, text)
end

-- stand lists a placement anew, after its record and last run were written. query and refreshedAt are of its last write, current is the query
-- checksum of its report.
local function stand(standing, report, slot, facts, query, refreshedAt, current)
  local run = redis.call('HGET', string.sub(standing, 1, -9) .. 'report:' .. report .. ':placements', 'r:' .. slot)
  restate(standing, report .. ':' .. slot, statusOf(run, query, refreshedAt, current), facts)
end

-- unstand takes a placement that goes off every list.
local function unstand(standing, report, slot) restate(standing, report .. ':' .. slot) end

-- standRefreshing lists a placement anew, after it was shown as being refreshed.
local function standRefreshing(standing, report, slot)
  local before = redis.call('HGET', standing, report .. ':' .. slot)
  if before then restate(standing, report .. ':' .. slot, 'REFRESHING', string.match(before, '\t(.*)$')) end
end

-- valuesOf is the JSON of the ValueKeys among the facts of a stored placement, the last but one of all; '' for none.
local function valuesOf(facts)
  local _, tabs = string.gsub(facts, '\t', '')
  return tabs == 10 and string.match(facts, '\t([^\t]*)\t[^\t]*$') or ''
end

-- outdated is placements.ValueKeys.Outdated. values is the JSON of the ValueKeys, '' for none; defaults has the key of the default of each
-- parameter, '' for none.
local function outdated(values, defaults)
  local keys = values == '' and {} or cjson.decode(values)
  local used, said = keys.used or {}, keys.said or {}
  for name, default in pairs(defaults) do
    local following = said[name] or default
    if following ~= '' and following ~= '?' and following ~= used[name] then return true end
  end
  return false
end

-- restand lists all placements of a report anew, after its query was edited, or a default of its parameters.
local function restand(standing, report, current, encoded)
  local defaults = cjson.decode(encoded)
  local placed = string.sub(standing, 1, -9) .. 'report:' .. report .. ':placements'
  for _, field in ipairs(redis.call('HKEYS', placed)) do
    local slot = string.match(field, '^p:(.*)$')
    local before = slot and redis.call('HGET', standing, report .. ':' .. slot)
    if before then
      local facts = string.match(redis.call('HGET', placed, field), '^[^\n]*')
      local refreshedAt, query = string.match(facts, '^[^\t]*\t[^\t]*\t([^\t]*)\t([^\t]*)\t')
      if query ~= '' and next(defaults) and outdated(valuesOf(facts), defaults) then query = 'outdated:' .. query end
      stand(standing, report, slot, string.match(before, '\t(.*)$'), query, refreshedAt, current)
    end
  end
end
