-- Before txn.lua, in a script that carries out a transaction which waits on a stage, see stage.go.
--
--   KEYS    stage
--   ARGV    number of keys; of keys and pieces of the operations; of all items on the stage; ms for which the outcome is kept
--   result  -1; the index of the first condition that does not hold; -2 when something is missing on the stage
local stage, keys, heads, total, kept = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if redis.call('LINDEX', stage, 0) == 'done' then return tonumber(redis.call('LINDEX', stage, 1)) end
local items = redis.call('LRANGE', stage, 0, -1)
if #items ~= total then return -2 end

local KEYS, ARGV, pieces = {}, {}, {}
for i = 1, keys do KEYS[i] = items[i] end
for i = keys + 1, heads do pieces[#pieces + 1] = items[i] end
ARGV[1] = table.concat(pieces)
for i = heads + 1, total do ARGV[i - heads + 1] = items[i] end

local function ended(reply)
  local unmet = type(reply) == 'number' and reply or -1
  redis.call('DEL', stage)
  redis.call('RPUSH', stage, 'done', unmet)
  redis.call('PEXPIRE', stage, kept)
  return unmet
end

local function transaction()
