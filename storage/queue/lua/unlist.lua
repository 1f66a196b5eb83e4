-- unlistRun takes a run off every list. After lists.

-- split reads what a run keeps as its facets, see listing.lua.
local function split(text)
  local facets, at = {}, 1
  while at <= #text do
    local colon = string.find(text, ':', at, true)
    local last = colon + tonumber(string.sub(text, at, colon - 1))
    facets[#facets + 1], at = string.sub(text, colon + 1, last), last + 1
  end
  return facets
end

local function unlistRun(run)
  local fields = redis.call('HMGET', run, 'place', 'state', 'facets')
  local place, state = fields[1], fields[2]
  if not place then return end
  local root, facets = deploymentOf(run, idOf(place)) .. 'runs:', split(fields[3])
  for _, facet in ipairs(facets) do redis.call('ZREM', root .. facet, place) end
  for _, facet in ipairs({'all', 'open', 'state:' .. state, 'state:CONFLICT'}) do redis.call('ZREM', root .. facet, place) end
  redis.call('HDEL', run, 'place', 'facets')
end
