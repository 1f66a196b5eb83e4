-- The end of every script of transactions, see txn.go. Before it stands a table, functions, of what may be called like a command.
--
--   KEYS    of the operations
--   ARGV    1 the operations: of each its kind, command, index of its key and number of arguments; then the arguments of all of them
--   result  the replies of the reads; or the index of the first condition that does not hold, and then nothing was changed
local operations = ARGV[1]

local function call(command, key, first, last)
  local run = functions[command]
  if run then return run(key, unpack(ARGV, first, last)) end
  return redis.call(command, key, unpack(ARGV, first, last))
end

local replies, conditions, first = {}, 0, 2
for kind, command, index, count in string.gmatch(operations, '([?!>])(%a+)(%d+) (%d+)') do
  local key, last = KEYS[tonumber(index)], first + count - 1
  if kind == '?' then
    if tostring(call(command, key, first + 1, last) or '') ~= ARGV[first] then return conditions end
    conditions = conditions + 1
  else
    local reply = call(command, key, first, last)
    if kind == '>' then replies[#replies + 1] = reply or false end
  end
  first = last + 1
end
return replies
