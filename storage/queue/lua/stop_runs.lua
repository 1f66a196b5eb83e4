-- stopRuns stops the runs of a report that have not ended, which are in both lists, ofReport and open: all of them, or those that are to
-- refresh one placement only, that one; all of those, or an executor's only. runs and members are what the keys of runs and their members of
-- the due set begin with. After lists and stop.
local function stopRuns(ofReport, open, due, queue, runs, members, tenant, deployment, locks, placement, executor)
  local fewer, other = ofReport, open
  if redis.call('ZCARD', open) < redis.call('ZCARD', ofReport) then fewer, other = open, ofReport end
  for _, place in ipairs(redis.call('ZRANGE', fewer, 0, -1)) do
    local id = idOf(place)
    local state, told = false, nil
    if redis.call('ZSCORE', other, place) then state, told = readRun(runs .. id) end
    if state and (placement == '' or told.placementId == placement) and (executor == '' or told.executor == executor) then
      stopRun(runs .. id, id, state, told, due, queue, members .. id, tenant, deployment, locks)
    end
  end
end
