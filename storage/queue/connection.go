package queue

import (
	"context"
	"log/slog"
	"time"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// group is the consumer group of every partition's queue.
const group = "agents"

// connection is what all parts of a queue stand on.
type connection struct {
	rdb        redis.UniversalClient
	hot        redis.Pipelined // rdb for the scripts that every run needs
	partitions int
	log        *slog.Logger
}

func (q *connection) deployment(d record.Deployment) keys.DeploymentKeys {
	return keys.Of(d, q.partitions)
}

// depth is how many entries are in the queues, taken or not.
func (q *connection) depth(ctx context.Context) (int64, error) {
	p := q.rdb.Pipeline()
	cmds := make([]*redis.IntCmd, q.partitions)
	for n := range q.partitions {
		cmds[n] = p.XLen(ctx, keys.At(n).Queue())
	}
	_, err := p.Exec(ctx)
	var depth int64
	for _, cmd := range cmds {
		depth += cmd.Val()
	}
	return depth, redis.Unavailable(err)
}

// clock is the time by the storage.
func (q *connection) clock(ctx context.Context) (time.Time, error) {
	now, err := q.rdb.Time(ctx).Result()
	return now.UTC(), redis.Unavailable(err)
}
