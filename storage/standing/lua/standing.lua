-- The lists of a deployment's placements and spreadsheets, see keys.Deployment.Standing, from which the names of the others are made.

-- The lists in which spreadsheets are counted, in the order of their counts. The first counts all placements.
local counted = {
  'all', 'host:SHEETS_A', 'host:SHEETS_B', 'status:UP_TO_DATE', 'status:CHANGED', 'status:UNKNOWN', 'status:REFRESHING', 'status:FAILED',
  'status:CONFLICT', 'edited',
}

local function rootOf(standing) return string.sub(standing, 1, -9) end

-- statusOf is placements.SyncStatus. run is the LastRun as it is stored, or false.
local function statusOf(run, query, refreshedAt, current)
  if run then
    local of = cjson.decode(run)
    local overtaken = of.endedAt and of.endedAt ~= '' and refreshedAt > of.endedAt
    if not overtaken then
      if of.state == 'RUNNING' then return 'REFRESHING' end
      if of.state == 'FAILED' and of.errorClass == 'conflict' then return 'CONFLICT' end
      if of.state == 'FAILED' or of.state == 'QUEUED' and (of.errorClass or '') ~= '' then return 'FAILED' end
    end
  end
  if query == '' then return 'UNKNOWN' end
  return query == current and 'UP_TO_DATE' or 'CHANGED'
end

-- listsOf returns the lists that a placement is in, its place in them and its spreadsheet. text is as in Standing; false is in no list.
local function listsOf(report, slot, text)
  if not text then return {} end
  local status, at, edited, owner, host, document = string.match(text, '^(.-)\t(.-)\t(.-)\t(.-)\t(.-)\t(.*)$')
  local lists = {all = true, ['status:' .. status] = true, ['report:' .. report] = true, ['document:' .. document] = true}
  lists['host:' .. host] = true
  if edited == '1' then lists.edited = true end
  if owner ~= '0' then lists['owner:' .. owner] = true end
  return lists, at .. ':' .. report .. ':' .. slot, document
end

-- recount changes the counts of a spreadsheet by one placement, which was in some lists and is in others.
local function recount(root, document, was, is)
  local counts = {}
  for count in string.gmatch(redis.call('HGET', root .. 'documents', document) or '', '%d+') do counts[#counts + 1] = tonumber(count) end
  for i, list in ipairs(counted) do
    local before = counts[i] or 0
    local now = before + (is[list] and 1 or 0) - (was[list] and 1 or 0)
    counts[i] = now
    if before == 0 and now > 0 then redis.call('ZADD', root .. 'documents:' .. list, 0, document) end
    if before > 0 and now == 0 then redis.call('ZREM', root .. 'documents:' .. list, document) end
  end
  if counts[1] == 0 then
    redis.call('HDEL', root .. 'documents', document)
  else
    redis.call('HSET', root .. 'documents', document, table.concat(counts, ','))
  end
end

-- restate makes a placement stand as text says, false for one that goes.
local function restate(standing, report, slot, text)
  local field, root = report .. ':' .. slot, rootOf(standing)
  local before = redis.call('HGET', standing, field)
  if before == text then return end
  local was, oldPlace, oldDocument = listsOf(report, slot, before)
  local is, place, document = listsOf(report, slot, text)
  for list in pairs(was) do
    if not is[list] or place ~= oldPlace then redis.call('ZREM', root .. 'placed:' .. list, oldPlace) end
  end
  for list in pairs(is) do
    if not was[list] or place ~= oldPlace then redis.call('ZADD', root .. 'placed:' .. list, 0, place) end
  end
  if document ~= oldDocument then
    if before then recount(root, oldDocument, was, {}) end
    was = {}
  end
  if not text then return redis.call('HDEL', standing, field) end
  recount(root, document, was, is)
  redis.call('HSET', standing, field, text)
end

-- stand lists a placement anew, after its record and last run were written. facts is what Standing has after the status; query and
-- refreshedAt are of its last write, current is the query checksum of its report.
local function stand(standing, report, slot, facts, query, refreshedAt, current)
  local run = redis.call('HGET', rootOf(standing) .. 'report:' .. report .. ':placements', 'r:' .. slot)
  restate(standing, report, slot, statusOf(run, query, refreshedAt, current) .. '\t' .. facts)
end

-- unstand takes a placement that goes off every list.
local function unstand(standing, report, slot) restate(standing, report, slot, false) end

-- standRefreshing lists a placement anew, after it was shown as being refreshed.
local function standRefreshing(standing, report, slot)
  local before = redis.call('HGET', standing, report .. ':' .. slot)
  if before then restate(standing, report, slot, 'REFRESHING' .. string.match(before, '\t.*$')) end
end

-- restand lists all placements of a report anew, after its query was edited.
local function restand(standing, report, current)
  local placed = rootOf(standing) .. 'report:' .. report .. ':placements'
  for _, field in ipairs(redis.call('HKEYS', placed)) do
    local slot = string.match(field, '^p:(.*)$')
    local before = slot and redis.call('HGET', standing, report .. ':' .. slot)
    if before then
      local refreshedAt, query = string.match(redis.call('HGET', placed, field), '^[^\t]*\t[^\t]*\t([^\t]*)\t([^\t]*)\t')
      stand(standing, report, slot, string.match(before, '\t(.*)$'), query, refreshedAt, current)
    end
  end
end
