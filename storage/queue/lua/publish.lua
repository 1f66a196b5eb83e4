-- publish adds an event to events, the stream of a deployment, which keeps about the last 10,000.
local function publish(events, kind, report, data)
  redis.call('XADD', events, 'MAXLEN', '~', 10000, '*', 'y', kind, 'r', report, 'd', data)
end
