package work

import (
	"context"

	"mooring/storage/changes"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/queue"
	"mooring/storage/redis"
	"mooring/storage/standing"
)

// completion runs the transactions that end an attempt, or store what it has left so far.
var completion = redis.NewTxnScript(engine.Publish, engine.Echo, engine.Instead,
	redis.Functions{Names: []string{"complete", "settle"}, Lua: redis.NowLua + queue.Lua("publish", "lists", "target", "offer", "complete")},
	standing.Functions(), changes.Functions(), journal.Functions(),
)

// newCommits returns what runs the transactions of attempts that end at once.
func newCommits(db *engine.DB) *redis.Together[*redis.Txn, any] {
	return &redis.Together[*redis.Txn, any]{
		Ask: func(ctx context.Context, list []*redis.Txn) ([]any, error) {
			outcomes, err := completion.RunAll(ctx, db.Hot, list)
			return outcomes, redis.Unavailable(err)
		},
		Weigh: (*redis.Txn).Size, Most: committedTogether,
	}
}

// committedTogether is how many bytes the transactions of one exchange have, at most: the server does nothing else meanwhile.
const committedTogether = 64 << 10
