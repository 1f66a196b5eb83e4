-- Ends an attempt: its run, and what it changes elsewhere, in one step. After publish and applyChanges.
-- The locks are at KEYS[9] and after, then one key a change; the arguments of the changes are at ARGV[23] and after.
-- It returns 1; 0 when another attempt has begun; -1 when a lock was lost. Nothing is changed then.
local run, queue, due, schedule, waiting, active, events, failing = unpack(KEYS, 1, 8)
local fence, group, entry, id, state, json, tenant, deployment = unpack(ARGV, 1, 8) -- entry is '' for a run that is held
local prefix, runMember, again, target, scheduleID = unpack(ARGV, 9, 13) -- again is the ms of the next attempt, or ''; scheduleID may be '0'
local failure, reason, scheduleMember = unpack(ARGV, 14, 16) -- failure is '1' permanent, '0' not, '-1' succeeded
local token, locks, pauseAfter, event, report, data = unpack(ARGV, 17, 22)

local function give(following)
  redis.call('XADD', queue, '*', 't', tenant, 'd', deployment, 'r', following)
end

-- What still waits for the runs of a schedule that was deleted goes to the queue, where an agent ends it at once.
local function stopWaiting()
  for _, following in ipairs(redis.call('LRANGE', waiting, 0, -1)) do
    if redis.call('HGET', prefix .. following, 'state') == 'QUEUED' then
      redis.call('HSET', prefix .. following, 'stop', 1)
      give(following)
    end
  end
  redis.call('DEL', waiting)
end

local function startNext()
  redis.call('HDEL', schedule, 'active')
  local following = redis.call('LPOP', waiting)
  while following do
    if redis.call('HGET', prefix .. following, 'state') == 'QUEUED' then
      redis.call('HSET', schedule, 'active', following)
      return give(following)
    end
    following = redis.call('LPOP', waiting)
  end
end

local before = redis.call('HMGET', run, 'fence', 'state', 'stop')
if before[1] ~= fence or before[2] ~= 'RUNNING' then return 0 end
for i = 9, 8 + locks do
  if redis.call('GET', KEYS[i]) ~= token then return -1 end
end
applyChanges(9 + locks, 23)
for i = 9, 8 + locks do redis.call('DEL', KEYS[i]) end
publish(events, event, report, data)
redis.call('HSET', run, 'run', json, 'state', state)
if entry == '' then
  redis.call('ZREM', due, runMember)
else
  redis.call('XACK', queue, group, entry)
  redis.call('XDEL', queue, entry)
end

if again ~= '' then
  if before[3] then give(id) else redis.call('ZADD', due, again, runMember) end
  return 1
end
if state == 'FAILED' then
  redis.call('HSET', failing, target, id)
  redis.call('PEXPIRE', failing, 7776000000) -- as long as runs are remembered
elseif state == 'SUCCEEDED' and redis.call('HDEL', failing, target) == 1 then
  publish(events, 'run.recovered', report, data)
end
if redis.call('HGET', active, target) == id then redis.call('HDEL', active, target) end

if scheduleID == '0' then return 1 end
if redis.call('EXISTS', schedule) == 0 then
  stopWaiting()
  return 1
end
if failure == '-1' then
  redis.call('HDEL', schedule, 'failures')
elseif failure == '1' and redis.call('HINCRBY', schedule, 'failures', 1) >= tonumber(pauseAfter) then
  redis.call('HSET', schedule, 'pausedReason', reason, 'next', '')
  redis.call('ZREM', due, scheduleMember)
end
if redis.call('HGET', schedule, 'active') == id then startNext() end
return 1
