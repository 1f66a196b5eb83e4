-- offer puts a run into the queue of its partition, or into the one for crowds while more runs of its deployment have not ended than its owner
-- would wait for: so a deployment that asks for very many runs waits behind itself, and the others of its partition do not. run is the key of
-- the run of that id.
local function offer(queue, run, tenant, deployment, id)
  local open = redis.call('ZCARD', string.sub(run, 1, -#id - 5) .. 'runs:open')
  redis.call('XADD', open > 64 and queue .. ':crowd' or queue, '*', 't', tenant, 'd', deployment, 'r', id)
end
