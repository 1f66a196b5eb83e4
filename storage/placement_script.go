package storage

import (
	"fmt"
	"strings"

	"mooring/placements"
)

// maxOverlaps bounds the overlaps that are found.
const maxOverlaps = 100

// overlapScript is the part of a script that finds the placements whose rectangles meet a given one, in the cell indexes of a sheet, which
// are KEYS[first] and after. self is the member to leave out, begin the first row in which what reaches down to top from the lowest level
// may begin; top, bottom, left and right are as members have them. Numbers are compared as texts of one length: most members that begin
// near end above top and are never taken apart.
var overlapScript = fmt.Sprintf(`
local function overlapping(first, self, begin, top, bottom, left, right)
  local found = {}
  for level = 1, %d do
    if level == 2 then
      if redis.call('EXISTS', unpack(KEYS, first + 1, first + %[1]d - 1)) == 0 then return found end
    end
    if level > 1 then begin = math.max(top - ({%s})[level] + 1, 0) end
    for _, cell in ipairs(redis.call('ZRANGEBYSCORE', KEYS[first + level - 1], begin, bottom)) do
      if cell >= top and cell ~= self and string.sub(cell, 9, 13) <= right and string.sub(cell, 15, 19) >= left then
        found[#found + 1] = cell
        if #found == %d then return found end
      end
    end
  end
  return found
end
`, len(levelRows), listed(levelRows[:]), maxOverlaps)

// listed returns numbers with commas between them.
func listed(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}

// overlapKeys adds the cell indexes of a sheet.
func (k tenantKeys) overlapKeys(keys []any, sheet string) []any {
	for level := range levelRows {
		keys = append(keys, k.cells(level, sheet))
	}
	return keys
}

// overlapBegin is where what reaches down to rect from the lowest level may begin.
func overlapBegin(rect placements.Rect) int { return max(rect.Top-levelRows[0]+1, 0) }
