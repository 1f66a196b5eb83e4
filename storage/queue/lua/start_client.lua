-- Makes a run that an add-in works on, begins its attempt and locks the document for it. After now, publish, lists, target,
-- listing, unlist, run, begin and once.
--   KEYS   run, runs of the report, placements of the report, due, active runs of the report, events, lock of the document, turn of the
--          agents
--   ARGV   run JSON, run id, due member, lease ms, target, prefix of run keys, report id, event data, token, prefix of report keys, owner
--   result as of startAttempt; 0 when there is no such placement, the id of a run on that target which has not ended, {token} of who has
--          the document, or {''} when an agent is to have it next; nothing where another request has the Idempotency-Key
local run, history, placed, due, active, events, lock, turn = unpack(KEYS)
local json, id, member, lease, target, prefix, reportID, event, token, reports, owner = unpack(ARGV)
local once = onceAt(8, 11)
if isLost(once) then return {} end
if redis.call('HEXISTS', placed, 'p:' .. slotOf(placed, string.sub(target, 3))) == 0 then return 0 end
local before, holder = running(active, prefix, reportID, target), redis.call('GET', lock)
if not mayStartClient(nil, holder, before) then return before or {holder} end
if redis.call('EXISTS', turn) == 1 then return {''} end
redis.call('SET', lock, token, 'PX', lease)
recordRun(run, {history, history}, prefix, json, id, 'QUEUED', reportID, owner, target)
redis.call('HSET', active, target, id)
publish(events, 'run.queued', reportID, event)
redis.call('ZADD', due, now() + lease, member)
noteRun(once, id)
local attempt = startAttempt(run, redis.call('HMGET', run, unpack(beginFields)), reports)
redis.call('HSET', run, 'planBy', string.format('%.0f', attempt[4] + lease))
return attempt
