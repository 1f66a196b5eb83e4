-- The lists of a deployment's runs: of all, of those that have not ended (open), of those that ended in a state, of the FAILED ones that met
-- a conflict (state:CONFLICT), and of those of a report, owner, document or host. They are sorted sets whose scores are 0; a run's member is
-- its place, "<µs when it was made>:<id>", so that they are in the order of creation. A script makes its functions anew at each call: those
-- that only some need have files of their own.

-- idOf is the id of the run at a place.
local function idOf(place) return string.sub(place, 18) end

-- deploymentOf is what the keys of a deployment begin with. run is the key of its run with that id.
local function deploymentOf(run, id) return string.sub(run, 1, -#id - 5) end

-- enter adds a place to the list of a state. It is one of a few lists of the deployment, which do not expire: see trim.
local function enter(root, place, state, class)
  redis.call('ZADD', root .. (isOpen(state) and 'open' or 'state:' .. state), 0, place)
  if state == 'FAILED' and class == 'conflict' then redis.call('ZADD', root .. 'state:CONFLICT', 0, place) end
end
