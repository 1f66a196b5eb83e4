-- Counts what the lists of a deployment hold. After now.
--   KEYS   lists of runs: all, SUCCEEDED, FAILED, CONFLICT, SKIPPED, SUPERSEDED; then sorted sets of which all members count
--   ARGV   hours of the window, the present one among them; what the keys of lateness begin with
--   result {ms when the window begins, ms now, {runs of each list made in the window}, {SUCCEEDED of each hour}, {FAILED of each hour},
--          {SKIPPED of each hour}, {fields of the lateness of each day}, {members of each of the others}}
local hours, lateness = tonumber(ARGV[1]), ARGV[2]
local hour, at = 3600000, now()
local since = at - at % hour - (hours - 1) * hour

local function text(ms) return string.format('%.0f', ms) end

-- before counts the runs of a list that were made before a time.
local function before(list, ms) return redis.call('ZLEXCOUNT', list, '-', '(' .. text(ms) .. '000') end

local function byHour(list)
  local counts, earlier = {}, before(list, since)
  for i = 1, hours do
    local later = before(list, since + i * hour)
    counts[i], earlier = later - earlier, later
  end
  return counts
end

local runs, days, others = {}, {}, {}
for i = 1, 6 do runs[i] = redis.call('ZLEXCOUNT', KEYS[i], '[' .. text(since) .. '000', '+') end
for day = math.floor(since / hour / 24), math.floor(at / hour / 24) do days[#days + 1] = redis.call('HGETALL', lateness .. day) end
for i = 7, #KEYS do others[i - 6] = redis.call('ZCARD', KEYS[i]) end
return {text(since), text(at), runs, byHour(KEYS[2]), byHour(KEYS[3]), byHour(KEYS[5]), days, others}
