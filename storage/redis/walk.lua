-- walk goes through what is in every one of some lists, sorted sets whose scores are 0, between two bounds. command is ZRANGEBYLEX, or
-- ZREVRANGEBYLEX where from is the higher one. It calls add with each member; add returns how many bytes that adds to the page, or nothing for
-- a member to leave out. The page ends after first members, or early after so many members of the shortest list, or bytes: others wait for the
-- server meanwhile. walk returns 1 if the page ended before the lists did, else 0, and the last member that was looked at, '' if none was.
local function walk(lists, command, from, to, first, add)
  local mostMembers, mostBytes, chunk = 5000, 8388608, 250
  local low, high = from, to
  if command == 'ZREVRANGEBYLEX' then low, high = to, from end

  local base, least
  for _, list in ipairs(lists) do
    local count = redis.call('ZLEXCOUNT', list, low, high)
    if not least or count < least then base, least = list, count end
  end
  local function inEvery(member)
    for _, list in ipairs(lists) do
      if list ~= base and not redis.call('ZSCORE', list, member) then return false end
    end
    return true
  end

  local found, bytes, last = 0, 0, ''
  for _ = 1, mostMembers / chunk do
    local members = redis.call(command, base, from, to, 'LIMIT', 0, chunk)
    for _, member in ipairs(members) do
      if inEvery(member) then
        if found == first or bytes > mostBytes then return 1, last end
        local added = add(member)
        if added then found, bytes = found + 1, bytes + added end
      end
      last = member
    end
    if #members < chunk then return 0, last end
    from = '(' .. last
  end
  return 1, last
end
