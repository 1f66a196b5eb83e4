-- revoke makes a token invalid until it has expired, and forgets what has expired already. Who revoked a token first stays told.
--   key    revoked tokens; now  Unix seconds; about  JSON of when and by whom, or ''
function functions.revoke(key, id, expires, now, about)
  local told = key .. ':told'
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. now)) do
    redis.call('ZREM', key, old)
    redis.call('HDEL', told, old)
  end
  redis.call('ZADD', key, expires, id)
  redis.call('HSETNX', told, id, about)
end
