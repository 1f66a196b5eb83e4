-- Begins attempts of runs of one partition, and loads the reports that they refresh. A run that was queued and that its holder has begun since
-- is the holder's, as long as that is heard of. One that waits for its next attempt, or for its holder, does so no more: it may be in the queue,
-- too. After now, target and begin.
--   KEYS   queue, due, then of each: run
--   ARGV   group, then of each: agent, entry id, prefix of report keys, due member
--   result of each as of startAttempt; {} when there is nothing to do
local queue, due = unpack(KEYS, 1, 2)
local group = ARGV[1]

local function begin(run, a)
  local agent, entry, reports, member = unpack(ARGV, a, a + 3)
  local leased = #redis.call('XPENDING', queue, group, entry, entry, 1, agent) > 0
  if not leased then return {} end
  local fields = redis.call('HMGET', run, unpack(beginFields))
  if not mayBegin(fields[1], leased) and not mayTakeOver(fields[1], leased, redis.call('ZSCORE', due, member)) then
    redis.call('XACK', queue, group, entry)
    redis.call('XDEL', queue, entry)
    return {}
  end
  if fields[10] then redis.call('HDEL', run, 'held') end
  if fields[10] or fields[3] ~= '0' then redis.call('ZREM', due, member) end
  return startAttempt(run, fields, reports, entry)
end

local out = {}
for i = 3, #KEYS do out[i - 2] = begin(KEYS[i], 4 * i - 10) end
return out
