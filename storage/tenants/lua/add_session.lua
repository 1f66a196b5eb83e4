-- Stores a session until it expires, and forgets the oldest of the holder's that are too many. After now.
-- KEYS: the session, and those of the holder (ZSET: key of each -> ms when it began).
-- It returns 1.
local session, ofPerson = KEYS[1], KEYS[2]
local record, lasts, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]) -- lasts is in ms

redis.call('SET', session, record, 'PX', lasts)
for _, one in ipairs(redis.call('ZRANGE', ofPerson, 0, -1)) do
  if redis.call('EXISTS', one) == 0 then redis.call('ZREM', ofPerson, one) end -- it has ended
end
local left = redis.call('PTTL', ofPerson)
local last = redis.call('ZRANGE', ofPerson, -1, -1, 'WITHSCORES')[2] or '0'
redis.call('ZADD', ofPerson, math.max(now(), tonumber(last) + 1), session)
while redis.call('ZCARD', ofPerson) > most do
  local old = redis.call('ZRANGE', ofPerson, 0, 0)[1]
  redis.call('DEL', old)
  redis.call('ZREM', ofPerson, old)
end
redis.call('PEXPIRE', ofPerson, math.max(left, lasts))
return 1
