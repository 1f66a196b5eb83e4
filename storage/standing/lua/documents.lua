-- Reads a page of the spreadsheets that are in every one of some lists, by id. After walk.
--   KEYS   lists
--   ARGV   spreadsheet before the page or '', size of the page, prefix of the keys of a deployment
--   result {1 if there may be more, the last one that was looked at, {of each: spreadsheet, counts, record of the placement placed last}}
local after, first, root = unpack(ARGV)
local out = {}

local function add(document)
  local counts = redis.call('HGET', root .. 'documents', document)
  local place = redis.call('ZREVRANGEBYLEX', root .. 'placed:document:' .. document, '+', '-', 'LIMIT', 0, 1)[1]
  if not counts or not place then return end
  local report, slot = string.match(place, '^%d+:(%d+):(.*)$')
  local record = redis.call('HGET', root .. 'report:' .. report .. ':placements', 'p:' .. slot) or ''
  out[#out + 1] = {document, counts, record}
  return #record
end

local more, last = walk(KEYS, 'ZRANGEBYLEX', after == '' and '-' or '(' .. after, '+', tonumber(first), add)
return {more, last, out}
