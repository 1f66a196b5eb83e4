-- The functions of the scripts that make runs. After now, lists, target, listing and unlist.

-- A run is remembered for 90 days, and in a history for as long as it is one of the last 100 (decisions.md §7).
local historyAge, historyRank = 7776000000, -101

-- alive reports whether a run has not ended. prefix is that of the keys of runs.
local function alive(prefix, id)
  return id and isOpen(redis.call('HGET', prefix .. id, 'state'))
end

-- running is the run on a target that has not ended; nil when there is none. active is the key of the active runs of the report, by target.
local function running(active, prefix, report, target)
  for _, alike in ipairs(targetsLike(string.sub(prefix, 1, -5), report, target)) do
    local id = redis.call('HGET', active, alike)
    if alive(prefix, id) then return id end
  end
end

-- forget takes a run off a history. One that has ended goes with its last history: a schedule of every minute would leave 130,000 else.
local function forget(prefix, id)
  if redis.call('EXISTS', prefix .. id) == 0 or redis.call('HINCRBY', prefix .. id, 'listed', -1) > 0 then return end
  if alive(prefix, id) then return end
  unlistRun(prefix .. id)
  redis.call('DEL', prefix .. id)
end

-- recordRun stores a run at the key run and lists it, in two histories too, which may be the same; they drop their oldest ones.
local function recordRun(run, histories, prefix, json, id, state, report, owner, target)
  local count = histories[1] == histories[2] and 1 or 2
  redis.call('HSET', run, 'run', json, 'state', state, 'fence', 0, 'report', report, 'listed', count)
  redis.call('PEXPIRE', run, historyAge)
  local at = now()
  listRun(run, id, micros(), state, '', report, owner, target)
  for i = 1, count do
    redis.call('ZADD', histories[i], at, id)
    for _, old in ipairs(redis.call('ZRANGE', histories[i], 0, historyRank)) do
      redis.call('ZREM', histories[i], old)
      forget(prefix, old)
    end
    redis.call('PEXPIRE', histories[i], historyAge)
  end
end
