-- fields reads a hash; its number of fields if there are more than most, nothing if there are exactly as many as are known.
function functions.fields(hash, most, known)
  local count = redis.call('HLEN', hash)
  if count > tonumber(most) then return count end
  if count == tonumber(known) then return {} end
  return redis.call('HGETALL', hash)
end
