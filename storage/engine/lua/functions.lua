-- What transactions may call like a command. After publish, unlist, stop_runs, wake, echo and overlapping.
functions.publish, functions.echo, functions.instead, functions.stop, functions.wake = publish, echo, instead, stopRuns, wakeWanting

-- overlapping finds what meets the placement of that member, whose first row is top, in the cell indexes of its sheet.
function functions.overlapping(low, middle, high, member, begin, top)
  return overlapping({low, middle, high}, member, begin, top, string.sub(member, 1, 7), string.sub(member, 9, 13), string.sub(member, 15, 19))
end

-- fields reads a hash; its number of fields if there are more than most, nothing if there are exactly as many as are known.
function functions.fields(hash, most, known)
  local count = redis.call('HLEN', hash)
  if count > tonumber(most) then return count end
  if count == tonumber(known) then return {} end
  return redis.call('HGETALL', hash)
end

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
