-- overlapping finds up to 100 placements whose rectangles meet a given one, in the cell indexes of a sheet. self is the member to leave out,
-- begin the first row in which what reaches down to top from the lowest level may begin; top, bottom, left and right are as members have
-- them. Numbers are compared as texts of one length: most members that begin near end above top and are never taken apart.
local levelRows = {32, 1024, 2097152} -- as placement_index.go says

local function overlapping(indexes, self, begin, top, bottom, left, right)
  local found = {}
  for level, index in ipairs(indexes) do
    if level == 2 and redis.call('EXISTS', unpack(indexes, 2)) == 0 then return found end
    if level > 1 then begin = math.max(top - levelRows[level] + 1, 0) end
    for _, cell in ipairs(redis.call('ZRANGEBYSCORE', index, begin, bottom)) do
      if cell >= top and cell ~= self and string.sub(cell, 9, 13) <= right and string.sub(cell, 15, 19) >= left then
        found[#found + 1] = cell
        if #found == 100 then return found end
      end
    end
  end
  return found
end
