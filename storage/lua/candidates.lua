-- Reads a report and candidates among its placements.
-- It returns {report hash, fields and values of the placements hash: records, addresses and last runs, how many other reports have the id in
-- the document}.
local report, ofReport, spots, document = unpack(KEYS)
local id, address, spot, sheet, owner = unpack(ARGV) -- '' for none; owner is how the document names the report, '' not to count
local out, seen = {}, {}
local function add(slot)
  local record = slot and slot ~= '' and not seen[slot] and redis.call('HGET', ofReport, 'p:' .. slot)
  if not record then return end
  seen[slot] = true
  for _, text in ipairs({'p:' .. slot, record}) do out[#out + 1] = text end
  for _, field in ipairs({'a:' .. string.match(record, '^[^\n]*\t([^\n]*)\n'), 'r:' .. slot}) do
    out[#out + 1] = field
    out[#out + 1] = redis.call('HGET', ofReport, field) or ''
  end
end
local function named(index, text) return redis.call('ZRANGEBYLEX', index, '[' .. text .. '\n', '(' .. text .. '\v') end
local function addNamed(text)
  for _, member in ipairs(named(spots, text)) do add(string.sub(member, #text + 2)) end
end
add(id)
if id ~= '' and not seen[id] then add(redis.call('HGET', ofReport, 'm:' .. id)) end
local there = string.match(redis.call('HGET', ofReport, 'a:' .. address) or '', '^(.*)\t')
add(there)
if spot ~= '' then addNamed(spot) end
if sheet ~= '' and not there then addNamed(sheet) end
local held = 0
if owner ~= '' then
  for _, member in ipairs(named(document, '=' .. id)) do
    if member ~= '=' .. id .. '\n' .. owner then held = held + 1 end
  end
end
return {redis.call('HGETALL', report), out, held}
