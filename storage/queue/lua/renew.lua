-- Says of attempts of one partition that they live. After now.
--   KEYS   queue, due, then of each: run
--   ARGV   group, lease of a held run in ms, then of each: fence, agent, entry id or "" for a run that is held, due member
--   result of each: 1; 0 when another attempt has begun or the run has ended; 2 when a client asked to stop the run
local queue, due = unpack(KEYS, 1, 2)
local group, lease = unpack(ARGV, 1, 2)

local function renew(run, a)
  local fence, agent, entry, member = unpack(ARGV, a, a + 3)
  local fields = redis.call('HMGET', run, 'state', 'fence', 'stop')
  if not mayRenew(fields[1], fields[2], fence) then return 0 end
  if entry == '' then
    redis.call('ZADD', due, now() + lease, member)
  else
    redis.call('XCLAIM', queue, group, agent, 0, entry, 'JUSTID')
  end
  return fields[3] and 2 or 1
end

local out = {}
for i = 3, #KEYS do out[i - 2] = renew(KEYS[i], 4 * i - 9) end
return out
