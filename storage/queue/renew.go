package queue

import (
	"context"

	"mooring/storage/redis"
)

var renewScript = redis.NewScript(redis.NowLua + Lua("renew"))

// Pulse is what there is to say that an agent lives: of an entry that it has taken, or of the attempt that it has begun by one.
type Pulse struct {
	stream, due, run, member string // keys, and the run's member of due
	agent, entry             string
	fence                    int64 // 0: no attempt has begun
}

// Renewal is what became of saying so.
type Renewal struct {
	Stop bool  // a client asked to stop the run
	Err  error // redis.ErrLockLost: another attempt has begun, or another agent has the entry
}

// Pulse is that of an entry which agent has taken.
func (q *Queue) Pulse(agent string, e Entry) Pulse {
	k := q.db.deployment(e.Deployment)
	return Pulse{stream: e.stream, due: k.Due(), run: k.Runs().Record(e.RunID), member: k.Runs().DueRun(e.RunID), agent: agent, entry: e.id}
}

// Pulse is that of the attempt.
func (a *Attempt) Pulse() Pulse {
	runs := a.keys.Runs()
	return Pulse{
		stream: a.entry.stream, due: a.keys.Due(), run: runs.Record(a.Run.ID), member: runs.DueRun(a.Run.ID), agent: a.agent, entry: a.entry.id, fence: a.Fence,
	}
}

// Renew says of all at once that they live, and returns what became of each.
func (q *Queue) Renew(ctx context.Context, list ...Pulse) []Renewal {
	var streams []string
	of := map[string][]int{} // the pulses of each partition
	for i, p := range list {
		if of[p.stream] == nil {
			streams = append(streams, p.stream)
		}
		of[p.stream] = append(of[p.stream], i)
	}
	calls := make([]redis.ScriptCall, len(streams))
	for n, stream := range streams {
		calls[n].Keys, calls[n].Args = renewed(list, of[stream])
	}
	renewals := make([]Renewal, len(list))
	for n, cmd := range redis.CallAll(ctx, q.db.rdb, renewScript, calls) {
		out, err := cmd.Int64Slice()
		for i, at := range of[streams[n]] {
			if err != nil {
				renewals[at].Err = redis.Unavailable(err)
			} else {
				renewals[at] = renewalOf(out[i])
			}
		}
	}
	return renewals
}

// renewed are the keys and arguments of renewScript for the pulses at those indexes, which are of one partition.
func renewed(list []Pulse, indexes []int) (keys []string, argv []any) {
	first := list[indexes[0]]
	keys, argv = []string{first.stream, first.due}, []any{group, holdLease.Milliseconds()}
	for _, i := range indexes {
		p := list[i]
		keys, argv = append(keys, p.run), append(argv, p.fence, p.agent, p.entry, p.member)
	}
	return keys, argv
}

// renewalOf reads what renewScript says of a pulse.
func renewalOf(n int64) Renewal {
	if n == 0 {
		return Renewal{Err: redis.ErrLockLost}
	}
	return Renewal{Stop: n == 2}
}
