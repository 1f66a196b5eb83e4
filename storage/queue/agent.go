package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// beatScript keeps what an agent tells of itself, and forgets the agents that were not heard of for long.
//
//	KEYS   agents, when they were seen
//	ARGV   agent, Agent, memory ms
var beatScript = redis.NewScript(redis.NowLua + `
local agent, about, memory = unpack(ARGV)
local at = now()
redis.call('HSET', KEYS[1], agent, about)
redis.call('ZADD', KEYS[2], at, agent)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. at - memory)) do
  redis.call('HDEL', KEYS[1], old)
  redis.call('ZREM', KEYS[2], old)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, memory) end
return 1`)

// Beat tells that an agent is there, and what it works on.
func (q *Agents) Beat(ctx context.Context, a *record.Agent) error {
	about, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("agent %s: %w", a.ID, err)
	}
	err = beatScript.Run(ctx, q.db.rdb, []string{keys.Agents, keys.AgentsSeen}, a.ID, about, record.AgentMemory.Milliseconds()).Err()
	return redis.Unavailable(err)
}

// shownAgents is the most agents that are listed.
const shownAgents = 1000

// agentsScript reads what agents have told.
//
//	KEYS   agents, when they were seen
//	ARGV   most, memory ms
//	result now ms; then of each, the one heard of last first: when it was seen, its Agent
var agentsScript = redis.NewScript(redis.NowLua + `
local at = now()
local out = {tostring(at)}
local seen = redis.call('ZREVRANGEBYSCORE', KEYS[2], '+inf', at - ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for i = 1, #seen, 2 do
  local about = redis.call('HGET', KEYS[1], seen[i])
  if about then
    out[#out + 1] = seen[i + 1]
    out[#out + 1] = about
  end
end
return out`)

// List lists the agents of the storage, the one heard of last first, each with all that it works on, for whatever tenant. One that is gone
// works on nothing. At most shownAgents are listed.
func (q *Agents) List(ctx context.Context) ([]*record.Agent, error) {
	out, err := agentsScript.Run(ctx, q.db.rdb, []string{keys.Agents, keys.AgentsSeen}, shownAgents, record.AgentMemory.Milliseconds()).StringSlice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	now := unixMilli(out[0])
	var list []*record.Agent
	for i := 1; i < len(out); i += 2 {
		a := &record.Agent{SeenAt: unixMilli(out[i])}
		if err := json.Unmarshal([]byte(out[i+1]), a); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
		if a.State = a.PresenceAt(now); a.State == record.AgentGone {
			a.Runs = nil
		}
		list = append(list, a)
	}
	return list, nil
}

// waitingScript counts the runs of a deployment that wait. Of those that have not ended it looks at the oldest, since they begin in turn, and
// takes all others for waiting.
//
//	KEYS   runs that have not ended
//	ARGV   most to look at, prefix of run keys
//	result how many wait
var waitingScript = redis.NewScript(Lua("lists") + `
local list, most, runs = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local waiting = math.max(0, redis.call('ZCARD', list) - most)
for _, place in ipairs(redis.call('ZRANGE', list, 0, most - 1)) do
  if redis.call('HGET', runs .. idOf(place), 'state') == 'QUEUED' then waiting = waiting + 1 end
end
return waiting`)

// waitingLooked is how many runs of a deployment Waiting looks at.
const waitingLooked = 5000

// Waiting is how many runs of some deployments of a tenant are QUEUED.
func (q *Agents) Waiting(ctx context.Context, list []record.Deployment) (n int64, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	p := q.db.rdb.Pipeline()
	for _, d := range list {
		k := q.db.deployment(d)
		waitingScript.Eval(ctx, p, []string{k.Runs().List(record.FacetOpen)}, waitingLooked, k.Runs().Record(""))
	}
	counts, err := p.Exec(ctx)
	for _, count := range counts {
		one, _ := count.(*redis.Cmd).Int64() // err says what is wrong with it
		n += one
	}
	return n, redis.Unavailable(err)
}
