package queue

import (
	"context"

	"mooring/storage/redis"
)

var renewScript = redis.NewScript(redis.NowLua + Lua("renew"))

// Renewal is what became of saying that an attempt lives.
type Renewal struct {
	Stop bool  // a client asked to stop the run
	Err  error // redis.ErrLockLost: another attempt has begun
}

// Renew says of attempts that they live, of all at once, and returns what became of each.
func (q *Queue) Renew(ctx context.Context, list ...*Attempt) []Renewal {
	var streams []string
	of := map[string][]int{} // the attempts whose entries are in each stream
	for i, a := range list {
		if of[a.entry.stream] == nil {
			streams = append(streams, a.entry.stream)
		}
		of[a.entry.stream] = append(of[a.entry.stream], i)
	}
	p := q.db.rdb.Pipeline()
	cmds := make([]*redis.Cmd, len(streams))
	for n, stream := range streams {
		keys, argv := renewed(list, of[stream])
		cmds[n] = renewScript.Eval(ctx, p, keys, argv...) // a pipeline cannot load a script that is missing
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	renewals := make([]Renewal, len(list))
	for n, stream := range streams {
		out, err := cmds[n].Int64Slice()
		for i, at := range of[stream] {
			if err != nil {
				renewals[at].Err = redis.Unavailable(err)
			} else {
				renewals[at] = renewalOf(out[i])
			}
		}
	}
	return renewals
}

// renewed are the keys and arguments of renewScript for the attempts at those indexes, which are of one partition.
func renewed(list []*Attempt, indexes []int) (keys []string, argv []any) {
	first := list[indexes[0]]
	keys, argv = []string{first.entry.stream, first.keys.Due()}, []any{group, holdLease.Milliseconds()}
	for _, i := range indexes {
		a := list[i]
		keys = append(keys, a.keys.Runs().Record(a.Run.ID))
		argv = append(argv, a.Fence, a.agent, a.entry.id, a.keys.Runs().DueRun(a.Run.ID))
	}
	return keys, argv
}

// renewalOf reads what renewScript says of an attempt.
func renewalOf(n int64) Renewal {
	if n == 0 {
		return Renewal{Err: redis.ErrLockLost}
	}
	return Renewal{Stop: n == 2}
}
