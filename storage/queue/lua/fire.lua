-- Turns ticks into their runs, each once: only the caller that still finds the tick it read moves the schedule on. An agent takes what it
-- adds to the queue together. After now, publish, lists, target, listing, unlist, run and offer.
-- It returns for each tick: 1 queued, 2 waiting for the run before, 3 skipped, 0 another caller was first or there is no run to make.
local function fire(k, a)
  local run, ofReport, ofSchedule, schedule, due, queue, waiting, events = unpack(KEYS, k, k + 7)
  local tick, nextTick, nextDue, member, id, json, skipped, queues = unpack(ARGV, a, a + 7)
  local tenant, deployment, prefix, report, queuedEvent, skippedEvent, owner, target = unpack(ARGV, a + 8, a + 15)
  local histories = {ofReport, ofSchedule}

  if redis.call('HGET', schedule, 'next') ~= tick then return 0 end
  redis.call('HSET', schedule, 'next', nextTick)
  if nextTick == '' then
    redis.call('ZREM', due, member)
  else
    redis.call('ZADD', due, nextDue, member)
  end
  if id == '' or redis.call('EXISTS', run) == 1 then return 0 end

  redis.call('HSET', schedule, 'lastRun', id)
  local busy = alive(prefix, redis.call('HGET', schedule, 'active'))
  if json == '' or (queues == '0' and maySkip(nil, busy)) then
    recordRun(run, histories, prefix, skipped, id, 'SKIPPED', report, owner, target)
    publish(events, 'run.skipped', report, skippedEvent)
    return 3
  end
  recordRun(run, histories, prefix, json, id, 'QUEUED', report, owner, target)
  publish(events, 'run.queued', report, queuedEvent)
  if mayAwait(nil, busy) then
    redis.call('RPUSH', waiting, id)
    return 2
  end
  redis.call('HSET', schedule, 'active', id)
  offer(queue, run, tenant, deployment, id)
  return 1
end

local out = {}
for i = 0, #KEYS / 8 - 1 do out[i + 1] = fire(8 * i + 1, 16 * i + 1) end
return out
