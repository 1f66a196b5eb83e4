-- Reads a page of the spreadsheets that are in every one of some lists, by id. After walk.
--   KEYS   lists
--   ARGV   spreadsheet before the page or '', size of the page, prefix of the keys of a deployment, host of those wanted or '', lists in
--          which they are counted
--   result {1 if there may be more, the last one that was looked at, {of each: spreadsheet, record of the placement placed last, counts}}
local after, first, root, host = unpack(ARGV)
local out = {}

local function add(document)
  local place = redis.call('ZREVRANGEBYLEX', root .. 'placed:document:' .. document, '+', '-', 'LIMIT', 0, 1)[1]
  if not place then return end
  local report, slot = string.match(place, '^%d+:(%d+):(.*)$')
  local record = redis.call('HGET', root .. 'report:' .. report .. ':placements', 'p:' .. slot) or ''
  if host ~= '' and string.match(record, '"host":"([^"]*)"') ~= host then return end
  local fields = {}
  for i = 5, #ARGV do fields[i - 4] = ARGV[i] .. '\n' .. document end
  local row = {document, record, unpack(redis.call('HMGET', root .. 'documents', unpack(fields)))}
  for i = 3, #fields + 2 do row[i] = row[i] or '0' end
  out[#out + 1] = row
  return #record
end

local more, last = walk(KEYS, 'ZRANGEBYLEX', after == '' and '-' or '(' .. after, '+', tonumber(first), add)
return {more, last, out}
