-- Reads the blocks of placements. After overlapping.
-- It returns for each block: {record, address field, last run, rows, rows begun, edits, ids of those given back, members of the cell
-- indexes}, false for a field that is not there; {} when there is no record.
local blocks = #ARGV / 7 -- for each: slot, then the arguments of overlapping but the first
local each = #KEYS / blocks

local function block(k, a)
  local slot, ofReport, rows, begun, edits, returned = ARGV[a], unpack(KEYS, k, k + 4) -- and then the cell indexes of its sheet
  local record = redis.call('HGET', ofReport, 'p:' .. slot)
  if not record then return {} end
  return {
    record,
    redis.call('HGET', ofReport, 'a:' .. string.match(record, '^[^\n]*\t([^\n]*)\n')),
    redis.call('HGET', ofReport, 'r:' .. slot),
    redis.call('GET', rows),
    redis.call('GET', begun),
    redis.call('GET', edits),
    redis.call('SMEMBERS', returned),
    overlapping({unpack(KEYS, k + 5, k + 7)}, unpack(ARGV, a + 1, a + 6)),
  }
end

local out = {}
for i = 0, blocks - 1 do out[i + 1] = block(each * i + 1, 7 * i + 1) end
return out
