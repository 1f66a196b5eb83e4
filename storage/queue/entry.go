package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Entry is one attempt of a run, as an agent took it from a queue. It stays the agent's as long as it renews its claim.
type Entry struct {
	Deployment record.Deployment
	RunID      string
	id         string // in the stream
	stream     string
}

// The fields of a queue's entries.
const (
	entryTenant     = "t"
	entryDeployment = "d"
	entryRun        = "r"
)

// Prepare makes the consumer group of every queue, where it is missing.
func (q *Queue) Prepare(ctx context.Context) error {
	p := q.db.rdb.Pipeline()
	for _, stream := range q.db.queues() {
		p.XGroupCreateMkStream(ctx, stream, group, "0")
	}
	cmds, _ := p.Exec(ctx)
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
			return redis.Unavailable(err)
		}
	}
	return nil
}

// Take returns up to about count new entries, which are agent's from now on; it waits up to wait for the first one. It takes a share of
// every partition first, and then what is left of count from those that have more: entries that came together are taken together.
func (q *Queue) Take(ctx context.Context, agent string, count int, wait time.Duration) ([]Entry, error) {
	share := max(1, count/q.db.partitions)
	list, err := q.takeShares(ctx, agent, share, wait)
	for got := list; err == nil && len(list) < count; list = append(list, got...) {
		more := full(got, share)
		if len(more) == 0 {
			break
		}
		rand.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
		more = more[:min(len(more), count-len(list))]
		share = (count - len(list)) / len(more)
		got, err = q.takeFrom(ctx, agent, more, share)
	}
	return list, err
}

// full lists the queues that had as much as they were asked for, and may have more.
func full(list []Entry, share int) [][]string {
	taken := map[string]int{}
	var more [][]string
	for _, e := range list {
		if taken[e.stream]++; taken[e.stream] == share {
			more = append(more, []string{e.stream})
		}
	}
	return more
}

// takeShares takes up to share entries from every queue.
func (q *Queue) takeShares(ctx context.Context, agent string, share int, wait time.Duration) ([]Entry, error) {
	if redis.IsCluster(q.db.rdb) {
		return q.takePolling(ctx, agent, share, wait)
	}
	list, err := read(ctx, q.db.rdb, agent, q.db.queues(), share, wait).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return entries(list), redis.Unavailable(err)
}

// read takes up to share entries from each of those queues; below 0 it does not wait.
func read(ctx context.Context, rdb redis.Cmdable, agent string, streams []string, share int, wait time.Duration) *redis.XStreamSliceCmd {
	args := slices.Clone(streams)
	for range streams {
		args = append(args, ">")
	}
	return rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Group: group, Consumer: agent, Streams: args, Count: int64(share), Block: wait})
}

// pollQueues is how often a cluster's queues are looked at: one command cannot wait on several slots.
const pollQueues = 25 * time.Millisecond

func (q *Queue) takePolling(ctx context.Context, agent string, share int, wait time.Duration) ([]Entry, error) {
	pairs := make([][]string, q.db.partitions) // of one slot
	for n := range pairs {
		pairs[n] = []string{keys.At(n).Queue(), keys.At(n).Crowd()}
	}
	for deadline := time.Now().Add(wait); ; {
		list, err := q.takeFrom(ctx, agent, pairs, share)
		if err != nil || len(list) > 0 || !time.Now().Before(deadline) {
			return list, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollQueues):
		}
	}
}

// takeFrom takes up to share entries from each of those queues, which are together with others of their slot, without waiting. What it returns is
// valid even with an error.
func (q *Queue) takeFrom(ctx context.Context, agent string, slots [][]string, share int) ([]Entry, error) {
	p := q.db.rdb.Pipeline()
	cmds := make([]*redis.XStreamSliceCmd, len(slots))
	for i, streams := range slots {
		cmds[i] = read(ctx, p, agent, streams, share, -1)
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	var all []Entry
	var errs []error
	for _, cmd := range cmds {
		list, err := cmd.Result()
		all = append(all, entries(list)...)
		if !errors.Is(err, redis.Nil) {
			errs = append(errs, redis.Unavailable(err))
		}
	}
	return all, redis.Join(errs...)
}

func entries(list []redis.XStream) []Entry {
	var all []Entry
	for _, stream := range list {
		all = append(all, messages(stream.Stream, stream.Messages)...)
	}
	return all
}

func messages(stream string, list []redis.XMessage) []Entry {
	all := make([]Entry, 0, len(list))
	for _, m := range list {
		tenant, _ := m.Values[entryTenant].(string)
		deployment, _ := m.Values[entryDeployment].(string)
		run, _ := m.Values[entryRun].(string)
		d, _ := strconv.ParseInt(deployment, 10, 64)
		all = append(all, Entry{Deployment: record.Deployment{Tenant: tenant, ID: d}, RunID: run, id: m.ID, stream: stream})
	}
	return all
}

// orphansSource claims what was not renewed, behind however many entries that were: one XAUTOCLAIM looks at ten times its COUNT
// only.
//
//	KEYS   queue
//	ARGV   group, agent, idle ms, limit, until when it may be carried out in ms
//	result as of XRANGE
const orphansSource = redis.NowLua + `
local out, cursor = {}, '0-0'
if now() > tonumber(ARGV[5]) then return out end
repeat
  local reply = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor, 'COUNT', ARGV[4] - #out)
  cursor = reply[1]
  for _, entry in ipairs(reply[2]) do out[#out + 1] = entry end
until cursor == '0-0' or #out >= tonumber(ARGV[4])
return out`

// Orphans takes for agent up to limit entries of each queue that no agent renewed for idle: their agents died or hang. It takes none after
// until, by the storage's clock: a storage that was away finds that everybody was silent. What it returns is valid even with an error.
func (q *Queue) Orphans(ctx context.Context, agent string, idle time.Duration, until time.Time, limit int) ([]Entry, error) {
	p := q.db.rdb.Pipeline()
	streams := q.db.queues()
	cmds := make([]*redis.XMessageSliceCmd, len(streams))
	for n, stream := range streams {
		cmds[n] = redis.NewXMessageSliceCmd(ctx, "EVAL", orphansSource, 1, stream,
			group, agent, idle.Milliseconds(), limit, until.UnixMilli())
		_ = p.Process(ctx, cmds[n])
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	var all []Entry
	var errs []error
	for n, cmd := range cmds {
		list, err := cmd.Result()
		all = append(all, messages(streams[n], list)...)
		errs = append(errs, redis.Unavailable(err))
	}
	return all, redis.Join(errs...)
}

// leaveScript forgets an agent that has no entry left. Those of one that has some are made to look abandoned for an hour, so that Orphans
// finds them at once.
//
//	KEYS   queue
//	ARGV   group, agent
var leaveScript = redis.NewScript(`
local left = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 10000, ARGV[2])
if #left == 0 then return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2]) end
for _, entry in ipairs(left) do
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, entry[1], 'IDLE', 3600000, 'JUSTID')
end
return #left`)

// Leave takes an agent that ends off the queues. What it took and did not begin goes to the agent that looks for orphans next.
func (q *Queue) Leave(ctx context.Context, agent string) error {
	for _, stream := range q.db.queues() {
		if err := leaveScript.Run(ctx, q.db.rdb, []string{stream}, group, agent).Err(); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

// forgetDeadScript takes out the consumers that have no entry and were idle. It is one step: one that is back in time keeps its entries,
// and one that comes back later is made anew by what it asks for first.
//
//	KEYS   queue
//	ARGV   group, idle ms
//	result how many
var forgetDeadScript = redis.NewScript(`
local gone = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #flat, 2 do consumer[flat[i]] = flat[i + 1] end
  if tonumber(consumer.pending) == 0 and tonumber(consumer.idle) >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    gone = gone + 1
  end
end
return gone`)

// ForgetDead takes agents off the queues that have asked for nothing for idle and have no entry: they died. An agent with entries stays
// until another one has taken them by Orphans.
func (q *Queue) ForgetDead(ctx context.Context, idle time.Duration) error {
	for _, stream := range q.db.queues() {
		if err := forgetDeadScript.Run(ctx, q.db.rdb, []string{stream}, group, idle.Milliseconds()).Err(); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

// Depth is how many entries are in the queues, taken or not.
func (q *Queue) Depth(ctx context.Context) (int64, error) { return q.db.depth(ctx) }
