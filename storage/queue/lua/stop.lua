-- The functions of the scripts that stop runs. After offer.

-- readRun returns the state of a run and what is told of it, an empty table where that cannot be read.
local function readRun(run)
  local fields = redis.call('HMGET', run, 'state', 'run')
  local readable, told = pcall(cjson.decode, fields[2] or '')
  return fields[1], readable and type(told) == 'table' and told or {}
end

-- freeDocument takes the document of a client run from its add-in. locks is the prefix of the keys of documents' locks.
local function freeDocument(id, told, locks)
  local lock, token = locks .. tostring(told.document or told.externalWorkbookId), 'client:' .. id .. ' '
  if string.sub(redis.call('GET', lock) or '', 1, #token) == token then redis.call('DEL', lock) end
end

-- stopRun asks a run that has not ended to stop. One that no agent works on goes to the queue, where an agent ends it at once; what was asked
-- to stop before is there already.
local function stopRun(run, id, state, told, due, queue, member, tenant, deployment, locks)
  local stop = redis.call('HGET', run, 'stop')
  local client = told.executor == 'client' and mayStopClient(state, stop)
  local waits = mayStopWaiting(state, stop)
  if not client and not waits and not mayStop(state, stop) then return end
  redis.call('HSET', run, 'stop', 1)
  if client then freeDocument(id, told, locks) end
  if client or waits then
    redis.call('ZREM', due, member)
    offer(queue, run, tenant, deployment, id)
  end
end
