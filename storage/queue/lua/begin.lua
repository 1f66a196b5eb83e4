-- startAttempt makes run RUNNING under its next fence and returns what its agent needs: {run JSON, fence, now ms, started ms, stop 0/1,
-- fields of the report, fields of its placements, asked ms or '', place, what newer runs have taken over, where its document is or ''}. run is
-- its key, fields those of beginFields, reports the prefix of the keys of reports, entry that of the queue by which the attempt has the run; nil:
-- it has none.
-- After now and target. It moves the run between no lists: one that waits and one that runs are in the same.
local beginFields = {'state', 'run', 'fence', 'startedAt', 'stop', 'report', 'asked', 'place', 'taken', 'held'}

-- siteText is what is recorded of where the document is that a run names; '' for none. json is the run, reports the prefix of the keys of reports.
local function siteText(json, reports)
  if not string.find(json, '"externalWorkbookId":', 1, true) then return '' end
  local document = string.match(json, '"externalWorkbookId":"([^"\\]*)"') or cjson.decode(json).externalWorkbookId
  if type(document) ~= 'string' then return '' end
  return redis.call('HGET', string.match(reports, '^(.*)d:%d+:report:$') .. 'sites', siteID(document)) or ''
end

-- attempt returns what startAttempt does, of an attempt under that fence which began the run at started.
local function attempt(fields, fence, at, started, reports)
  local report = reports .. fields[6]
  return {
    fields[2], fence, at, started, fields[5] and 1 or 0,
    redis.call('HGETALL', report), redis.call('HGETALL', report .. ':placements'),
    fields[7] or '', fields[8] or '', fields[9] or '', siteText(fields[2], reports),
  }
end

local function startAttempt(run, fields, reports, entry)
  local at = tostring(now())
  local started, fence = fields[4] or at, fields[3] + 1
  redis.call('HSET', run, 'state', 'RUNNING', 'fence', fence, 'startedAt', started, 'entry', entry or '')
  return attempt(fields, fence, at, started, reports)
end
