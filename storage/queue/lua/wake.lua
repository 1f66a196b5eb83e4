-- After offer.

-- wake gives a run to an agent that waits for its next attempt, unless the process that holds it looks after it. member is its member in due.
-- The entry names the run id.
local function wake(run, due, queue, member, tenant, deployment, id)
  local state, held = unpack(redis.call('HMGET', run, 'state', 'held'))
  if mayWake(state, held) and redis.call('ZREM', due, member) == 1 then
    offer(queue, run, tenant, deployment, id)
  end
end

-- wakeWanting wakes the run that wants a placement, which goes or moves. placed is the key of the report's placements; runs and members are what
-- the keys of runs and their members of the due set begin with.
local function wakeWanting(placed, slot, due, queue, runs, members, tenant, deployment)
  local id = redis.call('HGET', placed, 'w:' .. slot)
  if id then wake(runs .. id, due, queue, members .. id, tenant, deployment, id) end
end
