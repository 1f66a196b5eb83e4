-- Makes the runs of schedules of one deployment whose data has changed, once. An agent takes what it adds to the queue together. After now,
-- publish, lists, target, listing, unlist, run and offer.
--   KEYS   arrival, queue, events, then for each schedule: schedule, runs waiting for it, run, runs of the report, runs of the schedule
--   ARGV   how long the arrival is kept in ms or 0, tenant, deployment, prefix of run keys, why a paused and why a deleted one has no run,
--          then for each schedule: its id, why it has no run or '', run id, run JSON, report, event, owner, target, overlap
--   result JSON [[schedule id, run id or '', why no run was made or '']…], the same when the arrival is told again
local arrival, queue, events = unpack(KEYS, 1, 3)
local keep, tenant, deployment, prefix, paused, deleted = unpack(ARGV, 1, 6)

-- unbegun reports whether a run is still to query the source, and so will find the data. What an earlier attempt has queried is kept.
local function unbegun(id)
  local fields = redis.call('HMGET', prefix .. id, 'state', 'fence', 'stop')
  return mayJoin(fields[1], fields[2], fields[3])
end

-- targetOf is what a run refreshes.
local function targetOf(run)
  if run.placementId then return 'p:' .. tostring(run.placementId) end
  return run.externalWorkbookId and 'd:' .. tostring(run.externalWorkbookId) or 'all'
end

-- same reports whether two runs refresh the same.
local function same(a, b)
  if a.reportId ~= b.reportId then return false end
  for _, alike in ipairs(targetsLike(string.sub(prefix, 1, -5), a.reportId, targetOf(a))) do
    if alike == targetOf(b) then return true end
  end
  return false
end

-- replaces reports whether a run does what one of that JSON would: the schedule may have got another target or owner since it was made.
local function replaces(id, json)
  local readable, made = pcall(cjson.decode, redis.call('HGET', prefix .. id, 'run') or '')
  if not readable or type(made) ~= 'table' or type(made.requestedBy) ~= 'table' then return false end
  local asked = cjson.decode(json)
  return made.requestedBy.id == asked.requestedBy.id and same(asked, made)
end

-- joined is the run of a schedule that refreshes the data without another one, of that JSON; nil when there is none.
local function joined(waiting, active, json)
  local last = redis.call('LRANGE', waiting, -1, -1)[1]
  local id = last and unbegun(last) and last or unbegun(active) and active
  if not id or not replaces(id, json) then return end
  redis.call('HSET', prefix .. id, 'asked', now())
  return id
end

-- arrive returns the id of the run that refreshes the data, and why none was made.
local function arrive(k, a)
  local schedule, waiting, run, ofReport, ofSchedule = unpack(KEYS, k, k + 4)
  local _, reason, id, json, report, event, owner, target, overlap = unpack(ARGV, a, a + 8)
  local next, active = unpack(redis.call('HMGET', schedule, 'next', 'active'))
  if reason ~= '' then return '', reason end
  if not next then return '', deleted end
  if next == '' then return '', paused end

  local busy = alive(prefix, active)
  local before = busy and overlap ~= 'queue' and joined(waiting, active, json)
  if before then return before, '' end
  recordRun(run, {ofReport, ofSchedule}, prefix, json, id, 'QUEUED', report, owner, target)
  publish(events, 'run.queued', report, event)
  redis.call('HSET', schedule, 'lastRun', id)
  if mayAwait(nil, busy) then
    redis.call('RPUSH', waiting, id)
  else
    redis.call('HSET', schedule, 'active', id)
    offer(queue, run, tenant, deployment, id)
  end
  return id, ''
end

local told = keep ~= '0' and redis.call('GET', arrival)
if told then return told end
local out = {}
for i = 0, (#KEYS - 3) / 5 - 1 do
  local a = 7 + 9 * i
  out[i + 1] = {ARGV[a], arrive(4 + 5 * i, a)}
end
local text = cjson.encode(out)
if keep ~= '0' then redis.call('SET', arrival, text, 'PX', keep) end
return text
