-- What transactions may call like a command to write the journal. After now.

local keptFor = 34560000000 -- ms, the 400 days of retention in audit.go

local noted = {} -- the audits to which the transaction has added an entry: one trims, however many there are

-- note appends an entry to an audit.
function functions.note(audit, entry)
  if noted[audit] then
    redis.call('XADD', audit, '*', 'entry', entry)
    return
  end
  noted[audit] = true
  redis.call('XADD', audit, 'MINID', '~', now() - keptFor, '*', 'entry', entry)
  redis.call('PEXPIRE', audit, keptFor)
end

local usesOf = 3600000 -- ms, the hour whose uses are one entry

-- tally appends an entry to an audit in the place of the one that tells of the same use within the hour. Its count says how often.
function functions.tally(audit, use, entry)
  local key = audit .. ':use:' .. use
  local of = redis.call('HMGET', key, 'entry', 'count')
  local count = (tonumber(of[2] or 0) or 0) + 1
  if of[1] then redis.call('XDEL', audit, of[1]) end
  local id = redis.call('XADD', audit, 'MINID', '~', now() - keptFor, '*', 'entry', string.sub(entry, 1, -2) .. ',"count":' .. count .. '}')
  redis.call('PEXPIRE', audit, keptFor)
  redis.call('HSET', key, 'entry', id, 'count', count)
  if count == 1 then redis.call('PEXPIRE', key, usesOf) end
end

-- archive keeps the definition that a report has, before another one takes its place. head is the JSON of its Version. The oldest go when
-- they are too many or too large.
function functions.archive(report, version, head, most, mostBytes)
  local heads, texts = report .. ':versions', report .. ':definitions'
  local text = redis.call('HGET', report, 'definition')
  redis.call('HSET', heads, version, head)
  redis.call('HSET', texts, version, text)
  local kept = redis.call('HLEN', heads)
  local bytes = redis.call('HINCRBY', texts, 'bytes', #text)
  local oldest = version - kept + 1
  while kept > tonumber(most) or kept > 0 and bytes > tonumber(mostBytes) do
    bytes = redis.call('HINCRBY', texts, 'bytes', -redis.call('HSTRLEN', texts, oldest))
    redis.call('HDEL', heads, oldest)
    redis.call('HDEL', texts, oldest)
    kept, oldest = kept - 1, oldest + 1
  end
end
