-- Makes runs that were asked for. An agent takes what it adds to the queue together. After now, publish, lists, target, listing, unlist, run,
-- offer and once.
-- It returns for each run: "", also for one that was made under the same Idempotency-Key before, the id of a run on that target that has not
-- ended, or 0 when there is no such report; nothing where another request has the key.
local once = onceAt(8 * math.floor(#KEYS / 8), 9 * math.floor(#KEYS / 8))
if isLost(once) then return {} end

local seen = {} -- runs of this request: a target is run once
local function enqueue(k, a)
  local run, ofReport, ofSchedule, report, queue, active, events, schedule = unpack(KEYS, k, k + 7)
  local json, id, tenant, deployment, target, prefix, reportID, event, owner = unpack(ARGV, a, a + 8)
  if once and redis.call('EXISTS', run) == 1 then
    local again = seen[id] and id or ''
    seen[id] = true
    return again
  end
  if redis.call('EXISTS', report) == 0 then return 0 end
  local before = running(active, prefix, reportID, target)
  if not mayEnqueue(nil, before) then return before end
  recordRun(run, {ofReport, ofSchedule}, prefix, json, id, 'QUEUED', reportID, owner, target)
  if redis.call('EXISTS', schedule) == 1 then redis.call('HSET', schedule, 'lastRun', id) end
  redis.call('HSET', active, target, id)
  publish(events, 'run.queued', reportID, event)
  offer(queue, run, tenant, deployment, id)
  noteRun(once, id)
  seen[id] = true
  return ''
end

local out = {}
for i = 0, math.floor(#KEYS / 8) - 1 do out[i + 1] = enqueue(8 * i + 1, 9 * i + 1) end
return out
