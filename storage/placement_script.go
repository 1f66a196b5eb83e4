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
      local b, l, r = string.match(member, '^(%d+):(%d+):(%d+):')
      if tonumber(b) >= top and tonumber(r) >= left and tonumber(l) <= right and member ~= self and #found < most then
        found[#found + 1] = member
      end
    end
    from = from + 1048576
  end
end
`
