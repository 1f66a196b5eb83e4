package storage

// overlapScript is the part of a script that finds the placements in a cell index whose rectangles meet a given one: rectangles of one level after
// the other, from each level in use to the next, see cellScore.
const overlapScript = `
local function overlapping(cells, self, top, bottom, left, right, most)
  local found, from = {}, 0
  while true do
    local next = redis.call('ZRANGEBYSCORE', cells, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if #next == 0 then return found end
    local level = math.floor(next[2] / 1048576)
    from = level * 1048576
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', cells, from + math.max(top - 8 ^ level + 1, 0), from + bottom)) do
      -- Most that begin near end above: only the rest is taken apart.
      if member ~= self and tonumber(string.match(member, '^%d+')) >= top then
        local l, r = string.match(member, '^%d+:(%d+):(%d+):')
        if tonumber(r) >= left and tonumber(l) <= right and #found < most then found[#found + 1] = member end
      end
    end
    from = from + 1048576
  end
end
`
