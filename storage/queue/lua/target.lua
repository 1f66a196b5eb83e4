-- The functions of the scripts that compare what runs refresh: 'all' of a report, a placement ('p:' and its id) or those in a document ('d:'
-- and its id). A placement has the ids of those too that became one with it, and a document that has a link those of the link.

-- siteID is an id of a document as links know it: a UUID in lower case.
local function siteID(id)
  if #id ~= 36 or not string.find(id, '^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x+$') then return id end
  return string.lower(id)
end

-- siteOf is where the document is that an id names; nil for one without a link. deployment is what the keys of its deployment begin with.
local function siteOf(deployment, id)
  local site = redis.call('HGET', string.match(deployment, '^(.*)d:%d+:$') .. 'sites', siteID(id))
  return site and cjson.decode(site)
end

-- idsOf are the ids of the document that one names.
local function idsOf(deployment, id)
  local site = siteOf(deployment, id)
  local link = site and redis.call('HGET', string.match(deployment, '^(.*)d:%d+:$') .. 'links', site.identity)
  local ids = {id}
  for _, other in ipairs(link and cjson.decode(link).ids or {}) do
    local upper = string.upper(other)
    ids[#ids + 1] = other
    if siteID(upper) ~= upper then
      ids[#ids + 1], ids[#ids + 2] = siteID(other), upper
    end
  end
  return ids
end

-- slotOf is the id of a placement of a report that has or had one; placed is the key of the report's placements.
local function slotOf(placed, id) return redis.call('HGET', placed, 'm:' .. id) or id end

-- linkedFact finds what links say in a placement's record: the ninth fact, behind which others and the key come. A record without it has fewer.
local linkedFact = '^' .. string.rep('[^\t\n]*\t', 8) .. '({[^\t\n]*"merged":[^\t\n]*})\t'

-- targetsLike are the targets that mean the same of a report as one, this among them.
local function targetsLike(deployment, report, target)
  local kind, id = string.sub(target, 1, 2), string.sub(target, 3)
  local alike = {}
  if kind == 'd:' then
    for i, other in ipairs(idsOf(deployment, id)) do alike[i] = 'd:' .. other end
  elseif kind == 'p:' then
    local placed = deployment .. 'report:' .. report .. ':placements'
    local slot = slotOf(placed, id)
    alike = {target, 'p:' .. slot}
    local linked = string.match(redis.call('HGET', placed, 'p:' .. slot) or '', linkedFact)
    for _, other in ipairs(linked and cjson.decode(linked).merged or {}) do alike[#alike + 1] = 'p:' .. other end
  else
    alike[1] = target
  end
  return alike
end
