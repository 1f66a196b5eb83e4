-- keepChange keeps what a run changed in a placement's block, and drops what runs before the last ten did. After the table functions exists.
--   key   the changes of the placement
--   head  a Change; rows  those of it, packed, or ''
function functions.keepChange(key, run, head, rows)
  local runs = {}
  for id in string.gmatch(redis.call('HGET', key, 'runs') or '', '%S+') do
    if id ~= run then runs[#runs + 1] = id end
  end
  runs[#runs + 1] = run
  while #runs > 10 do
    local oldest = table.remove(runs, 1)
    redis.call('HDEL', key, 'c:' .. oldest, 'r:' .. oldest)
  end
  redis.call('HSET', key, 'runs', table.concat(runs, ' '), 'c:' .. run, head, 'r:' .. run, rows)
end
