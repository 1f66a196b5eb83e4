-- Says that agents of one partition live, of the entries that they have taken and the attempts that they have begun. After now.
--   KEYS   queue, due, then of each: run
--   ARGV   group, lease of a held run in ms, then of each: fence or 0 as long as no attempt has begun, agent, entry id or "" for a run that is held,
--          due member
--   result of each: 1; 0 when another attempt has begun, the run has ended, or another agent has the entry; 2 when a client asked to stop the run
local queue, due = unpack(KEYS, 1, 2)
local group, lease = unpack(ARGV, 1, 2)

local function renew(run, a)
  local fence, agent, entry, member = unpack(ARGV, a, a + 3)
  if fence == '0' then
    if #redis.call('XPENDING', queue, group, entry, entry, 1, agent) == 0 then return 0 end
    redis.call('XCLAIM', queue, group, agent, 0, entry, 'JUSTID')
    return 1
  end
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
