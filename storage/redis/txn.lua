-- The end of every script of transactions, see txn.go. Before it stand a table, functions, of what may be called like a command, and define,
-- which puts the function of a name there.
--
--   KEYS    of the operations
--   ARGV    1 of each operation six bytes: its kind, the index of its key and the number of its arguments; then command and arguments of each
--   result  of each transaction: the replies of the reads; or the index of the first condition that does not hold, and then it changed nothing
local operations, condition, read, another = ARGV[1], 63, 62, 59 -- ? > ;
local ours = 128 -- more: the command is a function

local function call(kind, command, key, first, last)
  if kind < ours then return redis.call(command, key, unpack(ARGV, first, last)) end
  if not functions[command] then define(command) end
  return functions[command](key, unpack(ARGV, first, last))
end

local outcomes, replies, conditions, unmet, at = {}, {}, 0, nil, 2
for i = 1, #operations, 6 do
  local kind, k1, k2, k3, n1, n2 = string.byte(operations, i, i + 5)
  if kind == another then
    outcomes[#outcomes + 1] = unmet or replies
    replies, conditions, unmet = {}, 0, nil
  else
    local key, last = KEYS[65536 * k1 + 256 * k2 + k3], at + 256 * n1 + n2
    if unmet then -- nothing of it is carried out
    elseif kind == condition then
      if tostring(call(kind, ARGV[at], key, at + 2, last) or '') ~= ARGV[at + 1] then unmet = conditions end
      conditions = conditions + 1
    else
      local reply = call(kind, ARGV[at], key, at + 1, last)
      if kind % ours == read then replies[#replies + 1] = reply or false end
    end
    at = last + 1
  end
end
outcomes[#outcomes + 1] = unmet or replies
return outcomes
