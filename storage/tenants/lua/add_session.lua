-- Stores a session until it expires, and forgets the oldest of the holder's that are too many. After now.
-- KEYS: the session, and those of the holder (ZSET: key of each -> ms when it began).
-- It returns 1.
local session, ofHolder = KEYS[1], KEYS[2]
local record, lasts, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]) -- lasts is in ms

redis.call('SET', session, record, 'PX', lasts)
for _, one in ipairs(redis.call('ZRANGE', ofHolder, 0, -1)) do
  if redis.call('EXISTS', one) == 0 then redis.call('ZREM', ofHolder, one) end -- it has ended
end
local left = redis.call('PTTL', ofHolder)
local last = redis.call('ZRANGE', ofHolder, -1, -1, 'WITHSCORES')[2] or '0'
redis.call('ZADD', ofHolder, math.max(now(), tonumber(last) + 1), session)
while redis.call('ZCARD', ofHolder) > most do
  local old = redis.call('ZRANGE', ofHolder, 0, 0)[1]
  redis.call('DEL', old)
  redis.call('ZREM', ofHolder, old)
end
redis.call('PEXPIRE', ofHolder, math.max(left, lasts))
return 1
