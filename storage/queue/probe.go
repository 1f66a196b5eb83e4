package queue

import (
	"context"
	"strconv"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Probe names a probe of a deployment's source.
type Probe struct {
	Deployment record.Deployment
	Name       string
}

// Seen is what is kept of a probe.
type Seen struct {
	Value   string // the last one whose runs were made
	Changes int64  // how many values were kept so far; 0: none yet
}

// probeMemory is how long a value is kept that no agent asks for any more.
const probeMemory = 90 * 24 * time.Hour

// holdProbeScript takes the lease of a probe, or prolongs it.
//
//	KEYS   lease, probe
//	ARGV   agent, lease ms, memory ms
//	result {1 if the agent has it, value, changes}
var holdProbeScript = redis.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {'0', '', '0'} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local kept = redis.call('HMGET', KEYS[2], 'value', 'changes')
return {'1', kept[1] or '', kept[2] or '0'}`)

// Hold makes agent the only one that asks a probe, for as long as lease by the storage's clock, and returns what is kept of it. held
// is false while another agent does.
func (q *Probes) Hold(ctx context.Context, p Probe, agent string, lease time.Duration) (seen Seen, held bool, err error) {
	k := q.db.deployment(p.Deployment)
	out, err := holdProbeScript.Run(ctx, q.db.rdb, []string{k.ProbeLease(p.Name), k.Probe(p.Name)},
		agent, lease.Milliseconds(), probeMemory.Milliseconds()).StringSlice()
	if err != nil {
		return Seen{}, false, redis.Unavailable(err)
	}
	seen.Value = out[1]
	seen.Changes, _ = strconv.ParseInt(out[2], 10, 64)
	return seen, out[0] == "1", nil
}

// keepProbeScript keeps a value.
//
//	KEYS   lease, probe
//	ARGV   agent, changes so far, value, memory ms
//	result changes, or 0 when another agent has the lease, or has kept a value
var keepProbeScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if (redis.call('HGET', KEYS[2], 'changes') or '0') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], 'value', ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return redis.call('HINCRBY', KEYS[2], 'changes', 1)`)

// Keep keeps a value of a probe, of which the agent with the lease knows before. ErrLockLost: another agent asks the probe now.
func (q *Probes) Keep(ctx context.Context, p Probe, agent string, before Seen, value string) (Seen, error) {
	k := q.db.deployment(p.Deployment)
	changes, err := keepProbeScript.Run(ctx, q.db.rdb, []string{k.ProbeLease(p.Name), k.Probe(p.Name)},
		agent, before.Changes, value, probeMemory.Milliseconds()).Int64()
	switch {
	case err != nil:
		return before, redis.Unavailable(err)
	case changes == 0:
		return before, redis.ErrLockLost
	}
	return Seen{Value: value, Changes: changes}, nil
}

// leaveProbeScript gives a lease up.
//
//	KEYS   lease
//	ARGV   agent
//	result 1, or 0 when another agent has it
var leaveProbeScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

// Leave lets another agent ask a probe at once.
func (q *Probes) Leave(ctx context.Context, p Probe, agent string) error {
	return redis.Unavailable(leaveProbeScript.Run(ctx, q.db.rdb, []string{q.db.deployment(p.Deployment).ProbeLease(p.Name)}, agent).Err())
}
