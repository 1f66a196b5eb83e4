-- The functions of scripts that make runs under an Idempotency-Key, which is noted in the step that makes them: see record.Once.

-- onceAt reads what onceOf has added behind that many keys and arguments; nil where there is no Idempotency-Key.
local function onceAt(keys, args)
  if not KEYS[keys + 1] then return nil end
  local token, seed, kept = unpack(ARGV, args + 1, args + 3)
  return {key = KEYS[keys + 1], token = token, seed = seed, kept = kept}
end

-- isLost reports whether another request has the key.
local function isLost(once)
  return once and redis.call('HGET', once.key, 'token') ~= once.token
end

-- noteRun notes that a run was made under the key.
local function noteRun(once, id)
  if not once then return end
  redis.call('HSET', once.key, 'runs', once.seed, 'run', id)
  redis.call('PEXPIRE', once.key, once.kept)
end
