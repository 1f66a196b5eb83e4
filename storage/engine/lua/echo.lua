-- echo keeps true what a report repeats of the placement recorded last: text of it if that has the slot, nothing when text is empty. A
-- writer need not know which placement is repeated.
local function echo(report, slot, text)
  local now = redis.call('HGET', report, 'located')
  if not now or string.sub(now, 1, #slot + 1) ~= slot .. '\n' then return end
  if text == '' then
    redis.call('HDEL', report, 'located')
  else
    redis.call('HSET', report, 'located', text)
  end
end
