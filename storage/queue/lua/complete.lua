-- complete ends an attempt: its run, queue entry and event, and what follows for its schedule. After publish, lists, target and offer. The run is
-- RUNNING.
--   run to home are keys: queue is that of the entry, home the one in which runs are offered
--   entry of the queue is '' for a run that is held; again is the ms of the next attempt, or ''; waits is '1' if all that is left of the run
--   waits for then; scheduleID may be '0'; failure is '1' for a tick that counts towards a pause, '-1' for one after which counting begins
--   anew, '0' for any other run; class is that of the run's error, or ''; late is the bucket of its lateness, or ''
function functions.complete(
  run, queue, due, schedule, waiting, active, events, failing, home,
  group, entry, id, state, json, tenant, deployment, prefix, runMember, again, waits, target,
  scheduleID, failure, reason, scheduleMember, pauseAfter, event, report, data, class, late)
  local function give(following)
    offer(home, prefix .. following, tenant, deployment, following)
  end

  -- What still waits for the runs of a schedule that was deleted goes to the queue, where an agent ends it at once.
  local function stopWaiting()
    for _, following in ipairs(redis.call('LRANGE', waiting, 0, -1)) do
      local fields = redis.call('HMGET', prefix .. following, 'state', 'stop')
      if mayStopWaiting(fields[1], fields[2]) then
        redis.call('HSET', prefix .. following, 'stop', 1)
        give(following)
      end
    end
    redis.call('DEL', waiting)
  end

  -- startNext lets the schedule go on behind the run, if that is its active one; what waits for one that was deleted is ended.
  local function startNext()
    if redis.call('EXISTS', schedule) == 0 then return stopWaiting() end
    if redis.call('HGET', schedule, 'active') ~= id then return end
    redis.call('HDEL', schedule, 'active')
    local following = redis.call('LPOP', waiting)
    while following do
      if mayFollow(redis.call('HGET', prefix .. following, 'state')) then
        redis.call('HSET', schedule, 'active', following)
        return give(following)
      end
      following = redis.call('LPOP', waiting)
    end
  end

  -- listEnd lists the run by the state in which it has ended, and counts its lateness in the hour in which it was made.
  local function listEnd()
    local place = redis.call('HGET', run, 'place')
    if not place then return end
    local deployment = deploymentOf(run, idOf(place))
    redis.call('ZREM', deployment .. 'runs:open', place)
    enter(deployment .. 'runs:', place, state, class)
    if late == '' then return end
    local hour = math.floor(string.sub(place, 1, 10) / 3600)
    local day = deployment .. 'lateness:' .. math.floor(hour / 24)
    if redis.call('HINCRBY', day, hour .. ':' .. late, 1) == 1 then redis.call('PEXPIRE', day, 2764800000) end -- 32 days
  end

  publish(events, event, report, data)
  redis.call('HSET', run, 'run', json, 'state', state, 'entry', '')
  if entry == '' then
    redis.call('ZREM', due, runMember)
  else
    redis.call('XACK', queue, group, entry)
    redis.call('XDEL', queue, entry)
  end

  -- free lets another run of the target be made.
  local function free()
    if redis.call('HGET', active, target) == id then redis.call('HDEL', active, target) end
  end

  if again ~= '' then
    if redis.call('HGET', run, 'stop') then give(id) else redis.call('ZADD', due, again, runMember) end
    if waits == '1' then
      free()
      if scheduleID ~= '0' then startNext() end
    end
    return
  end
  listEnd()
  if state == 'FAILED' then
    redis.call('HSET', failing, target, id)
    redis.call('PEXPIRE', failing, 7776000000) -- as long as runs are remembered
  elseif state == 'SUCCEEDED' and redis.call('EXISTS', failing) == 1 and redis.call('HDEL', failing, unpack(targetsLike(string.sub(prefix, 1, -5), report, target))) > 0 then
    publish(events, 'run.recovered', report, data)
  end
  free()

  if scheduleID == '0' then return 1 end
  if failure == '-1' then
    redis.call('HDEL', schedule, 'failures')
  elseif failure == '1' and redis.call('EXISTS', schedule) == 1 and redis.call('HINCRBY', schedule, 'failures', 1) >= tonumber(pauseAfter) then
    redis.call('HSET', schedule, 'pausedReason', reason, 'next', '')
    redis.call('ZREM', due, scheduleMember)
    redis.call('ZADD', string.sub(prefix, 1, -5) .. 'schedules:paused', scheduleID, scheduleID)
  end
  startNext()
end

-- settle says that a run wants placements no more. placed is their key, ids theirs.
function functions.settle(placed, run, ...)
  local fields, mine = {}, {}
  for i, id in ipairs({...}) do fields[i] = 'w:' .. id end
  for i, wanted in ipairs(redis.call('HMGET', placed, unpack(fields))) do
    if wanted == run then mine[#mine + 1] = fields[i] end
  end
  if #mine > 0 then redis.call('HDEL', placed, unpack(mine)) end
end
