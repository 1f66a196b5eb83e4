-- Ends an attempt under an Idempotency-Key that still holds it: with a response, which is kept, or without one, which frees the key unless
-- something was made under it.
-- The caller's oldest answers go when they are too many or too large. After now.
-- It returns 1, or 0 when the key was held for too long.
local answer, ofCaller = KEYS[1], KEYS[2]
local token, response, keep, digest, prefix, mostAnswers, mostBytes = unpack(ARGV) -- keep is in ms; prefix that of the keys of answers

if redis.call('HGET', answer, 'token') ~= token then return 0 end
if response == '' then
  if redis.call('HEXISTS', answer, 'made') + redis.call('HEXISTS', answer, 'runs') == 0 then redis.call('DEL', answer) end
  return 1
end
redis.call('HSET', answer, 'response', response)
redis.call('PEXPIRE', answer, keep)
local at = now()
redis.call('ZREMRANGEBYSCORE', ofCaller, '-inf', at - keep)
redis.call('ZADD', ofCaller, at, #response .. ':' .. digest)
redis.call('PEXPIRE', ofCaller, keep)
local kept, bytes = redis.call('ZREVRANGE', ofCaller, 0, -1), 0
for i, one in ipairs(kept) do
  local size, old = string.match(one, '^(%d+):(.*)$')
  bytes = bytes + tonumber(size)
  if i > tonumber(mostAnswers) or bytes > tonumber(mostBytes) then
    redis.call('ZREM', ofCaller, one)
    redis.call('DEL', prefix .. old)
  end
end
return 1
