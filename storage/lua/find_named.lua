-- Finds the asset that has a name, and makes an id for a new one where none has.
-- It returns {'foreign', owner}, {'ambiguous'}, {'stored' or 'shown', id, record, placements} or {'new', id}.
local index, ids, shown = unpack(KEYS) -- shown is the set of assets that show the name without storing it; not every kind has one
local name, ownerPrefix, recordPrefix, kind = unpack(ARGV)

local owner = redis.call('HGET', index, name)
local how, id = 'stored', nil
if owner then
  if string.sub(owner, 1, #ownerPrefix) ~= ownerPrefix then return {'foreign', owner} end
  id = string.sub(owner, #ownerPrefix + 1)
elseif shown then
  local showing = redis.call('SMEMBERS', shown)
  if #showing > 1 then return {'ambiguous'} end
  how, id = 'shown', showing[1]
end
if not id then return {'new', tostring(redis.call('HINCRBY', ids, kind, 1))} end
local record = recordPrefix .. id
return {how, id, redis.call('HGETALL', record), redis.call('HGETALL', record .. ':placements')}
