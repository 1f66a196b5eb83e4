-- Shows placements as being refreshed by a run of agents, and lets it take over what older runs wait for. After publish, standing and wake. A run
-- that waits is given to an agent, which settles what was taken from it.
--   KEYS   run, placements of the report, events, standing, due, queue, then for each placement: the run from which it is taken, or the run
--   ARGV   fence, run id, report id, event data or '' if it was told that the run has started, run JSON to store or '', tenant, deployment,
--          what was taken from the run as far as it knows, then for each placement: its id, LastRun JSON, 1 if the run is to be the one that
--          wants it, the run that wanted it or '', the fence of that one as it was seen or '', its member in due
--   result 1; 0 when another run wants or has taken one of them since, or works on it, and -1 when another attempt has begun: nothing was
--          changed
local run, placed, events, standing, due, queue = unpack(KEYS, 1, 6)
local fence, id, report, event, json, tenant, deployment, known = unpack(ARGV, 1, 8)
local count = #KEYS - 6

local function claim(i) return unpack(ARGV, 6 * i + 3, 6 * i + 8) end

local fields = {}
for i = 1, count do
  fields[2 * i - 1], fields[2 * i] = 'p:' .. claim(i), 'w:' .. claim(i)
end
local now = redis.call('HMGET', placed, unpack(fields))

local own = redis.call('HMGET', run, 'state', 'fence', 'taken')
if not mayClaim(own[1], own[2], fence, own[3], known) then
  return own[2] == fence and isOpen(own[1]) and (own[3] or '') ~= known and 0 or -1
end
for i = 1, count do
  local _, _, _, from, seen = claim(i)
  if (now[2 * i] or '') ~= from then return 0 end
  if seen ~= '' and redis.call('HGET', KEYS[6 + i], 'fence') ~= seen then return 0 end
end

-- taken has what is taken from each older run, by its key: lines, and the run and its member in due.
local taken = {}
local function take(older, placement, from, member)
  local of = taken[older]
  if not of then
    of = {lines = {}, from = from, member = member}
    taken[older] = of
  end
  of.lines[#of.lines + 1] = placement .. '\t' .. id .. '\n'
end

-- tell notes in the older runs what was taken from them, and wakes those that wait, unless their holder does.
local function tell()
  for older, of in pairs(taken) do
    if redis.call('EXISTS', older) == 1 then
      redis.call('HSET', older, 'taken', (redis.call('HGET', older, 'taken') or '') .. table.concat(of.lines))
      wake(older, due, queue, of.member, tenant, deployment, of.from)
    end
  end
end

if event ~= '' then publish(events, 'run.started', report, event) end
if json ~= '' then redis.call('HSET', run, 'run', json) end
for i = 1, count do
  local placement, lastRun, takes, from, _, member = claim(i)
  if now[2 * i - 1] then
    if takes == '1' then
      redis.call('HSET', placed, 'r:' .. placement, lastRun, 'w:' .. placement, id)
      if from ~= '' and from ~= id then take(KEYS[6 + i], placement, from, member) end
    else
      redis.call('HSET', placed, 'r:' .. placement, lastRun)
    end
    standRefreshing(standing, report, placement)
  end
end
tell()
return 1
