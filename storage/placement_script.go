package storage

// recordScript is the part of a script that reads and writes records of the placements hash KEYS[2] and their indexes, as writePlacement and
// unindex do. Keys that follow from a record lie in the tenant's slot like all others.
const recordScript = `
local function lines(text)
  local out = {}
  for line in string.gmatch(text .. '\n', '(.-)\n') do out[#out + 1] = line end
  return out
end
local function parseHead(head)
  local key, score, bottom = string.match(head, '^(.*)\t(%d+)\t(%d+)$')
  local n, rest = string.match(key, '^(%d+):(.*)$')
  local spot = string.sub(rest, tonumber(n) + 1)
  local document = string.sub(rest, 1, tonumber(n))
  local sheet = string.sub(spot, string.find(spot, '!', 1, true) + 1)
  return {key = key, score = score, bottom = bottom, spot = spot, document = document, cells = n .. ':' .. document .. sheet}
end
local function spotMember(spot, slot) return spot .. '\n' .. slot end
local function standingAt(spot)
  return redis.call('ZRANGEBYLEX', KEYS[1] .. ':spots', '[' .. spot .. '\n', '(' .. spot .. '\v')
end
`

// shownScript is the part of a script that ends in what an answer shows: the report's hash, and of its placements the hash, or that one slot when
// most is negative, or false when there are so many that reading them would keep others waiting.
const shownScript = `
local function shown(most, slot)
  local report = redis.call('HGETALL', KEYS[1])
  if tonumber(most) < 0 then
    if not slot then return report, {} end
    return report, {'p:' .. slot, redis.call('HGET', KEYS[2], 'p:' .. slot) or '', 'r:' .. slot, redis.call('HGET', KEYS[2], 'r:' .. slot) or ''}
  end
  if redis.call('HLEN', KEYS[2]) > tonumber(most) then return report, false end
  return report, redis.call('HGETALL', KEYS[2])
end
`

// inlineFields is how many fields of a placements hash a script may read; four belong to a placement.
const inlineFields = 256

// overlapScript is the part of a script that finds the placements in a cell index whose rectangles meet a given one. See cellScore.
const overlapScript = `
local function overlapping(cells, self, score, bottom, most)
  local found = {}
  score, bottom = tonumber(score), tonumber(bottom)
  local right, left, top = score % 16384, math.floor(score / 16384) % 16384, math.floor(score / 268435456) % 1048576
  local function take(list)
    for i = 1, #list, 2 do
      local s, b = tonumber(list[i + 1]), tonumber(string.match(list[i], '^%d+'))
      if list[i] ~= self and b >= top and math.floor(s / 268435456) % 1048576 <= bottom
        and s % 16384 >= left and math.floor(s / 16384) % 16384 <= right and #found < most then
        found[#found + 1] = list[i]
      end
    end
  end
  if redis.call('ZCARD', cells) <= 8 then
    take(redis.call('ZRANGE', cells, 0, -1, 'WITHSCORES'))
    return found
  end
  local level = 0
  while level < 8 do
    local from = level * 281474976710656
    local next = redis.call('ZRANGEBYSCORE', cells, string.format('%.0f', from), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if #next == 0 then return found end
    level = math.floor(tonumber(next[2]) / 281474976710656)
    from = level * 281474976710656
    local above = math.max(top - 8 ^ level + 1, 0)
    take(redis.call('ZRANGEBYSCORE', cells, string.format('%.0f', from + above * 268435456),
      string.format('%.0f', from + (bottom + 1) * 268435456 - 1), 'WITHSCORES'))
    level = level + 1
  end
  return found
end
`
