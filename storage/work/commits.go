package work

import (
	"context"

	"mooring/storage/engine"
	"mooring/storage/redis"
)

// newCommits returns what runs the transactions of attempts that end at once.
func newCommits(db *engine.DB) *redis.Together[*redis.Txn, any] {
	return &redis.Together[*redis.Txn, any]{
		Ask: func(ctx context.Context, list []*redis.Txn) ([]any, error) {
			outcomes, err := engine.Transactions.RunAll(ctx, db.Hot, list)
			return outcomes, redis.Unavailable(err)
		},
		Weigh: (*redis.Txn).Size, Most: committedTogether,
	}
}

// committedTogether is how many bytes the transactions of one exchange have, at most: the server does nothing else meanwhile.
const committedTogether = 64 << 10
