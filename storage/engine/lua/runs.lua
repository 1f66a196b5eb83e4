-- What becomes of runs whose placement or report changes. After unlist, stop_runs and wake.
functions.stop, functions.wake = stopRuns, wakeWanting

-- unlist takes the runs of a list off every list. runs is the prefix of the keys of runs.
function functions.unlist(list, runs)
  for _, place in ipairs(redis.call('ZRANGE', list, 0, -1)) do unlistRun(runs .. idOf(place)) end
end

-- unwait forgets for what a placement waits, and since when: it waits for another spreadsheet from now on.
function functions.unwait(placed, slot)
  local text = redis.call('HGET', placed, 'r:' .. slot)
  if not text then return end
  local run = cjson.decode(text)
  run.reason, run.since = nil, nil
  redis.call('HSET', placed, 'r:' .. slot, cjson.encode(run))
end
