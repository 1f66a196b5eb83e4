package storage

import (
	"strconv"

	"mooring/placements"
)

// maxOverlaps bounds the overlaps that are found.
const maxOverlaps = 100

// overlapScript is the part of a script that finds the placements whose rectangles meet a given one, in the cell indexes of a sheet, which are
// KEYS[first] and after. ARGV[a] and after are those of overlapArgs. Numbers are compared as texts of one length: most members that begin near end
// above it and are never taken apart.
var overlapScript = `
local function overlapping(first, a)
  local found, self, bottom, top, left, right = {}, ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  for level = 0, ` + strconv.Itoa(len(levelRows)-1) + ` do
    for _, cell in ipairs(redis.call('ZRANGEBYSCORE', KEYS[first + level], ARGV[a + 5 + level], bottom)) do
      if cell >= top and cell ~= self and string.sub(cell, 9, 13) <= right and string.sub(cell, 15, 19) >= left then
        found[#found + 1] = cell
        if #found == ` + strconv.Itoa(maxOverlaps) + ` then return found end
      end
    end
  end
  return found
end
`

// overlapKeys adds the cell indexes of a sheet.
func (k tenantKeys) overlapKeys(keys []any, sheet string) []any {
	for level := range levelRows {
		keys = append(keys, k.cells(level, sheet))
	}
	return keys
}

// overlapArgs adds the member to leave out, the last row, the first row and the columns as members have them, and for each level the first row in which
// what reaches into rect may begin.
func overlapArgs(args []any, self string, rect placements.Rect) []any {
	args = append(args, self, rect.Bottom, padded(rect.Top, rowDigits), padded(rect.Left, columnDigits), padded(rect.Right, columnDigits))
	for _, rows := range levelRows {
		args = append(args, max(rect.Top-rows+1, 0))
	}
	return args
}
