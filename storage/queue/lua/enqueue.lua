-- Makes runs that were asked for. An agent takes what it adds to the queue together. After now, publish, lists, target, listing, unlist and
-- run.
-- It returns for each run: "", the id of a run on that target that has not ended, or 0 when there is no such report.
local function enqueue(k, a)
  local run, ofReport, ofSchedule, report, queue, active, events, schedule = unpack(KEYS, k, k + 7)
  local json, id, tenant, deployment, target, prefix, reportID, event, owner = unpack(ARGV, a, a + 8)
  if redis.call('EXISTS', report) == 0 then return 0 end
  local before = running(active, prefix, reportID, target)
  if not mayEnqueue(nil, before) then return before end
  recordRun(run, {ofReport, ofSchedule}, prefix, json, id, 'QUEUED', reportID, owner, target)
  if redis.call('EXISTS', schedule) == 1 then redis.call('HSET', schedule, 'lastRun', id) end
  redis.call('HSET', active, target, id)
  publish(events, 'run.queued', reportID, event)
  redis.call('XADD', queue, '*', 't', tenant, 'd', deployment, 'r', id)
  return ''
end

local out = {}
for i = 0, #KEYS / 8 - 1 do out[i + 1] = enqueue(8 * i + 1, 9 * i + 1) end
return out
