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

// queues are the streams of all partitions, those of crowds last: who takes from all takes from the others first.
func (q *connection) queues() []string {
	streams := make([]string, 2*q.partitions)
	for n := range q.partitions {
		streams[n], streams[q.partitions+n] = keys.At(n).Queue(), keys.At(n).Crowd()
	}
	return streams
}

// depth is how many entries are in the queues, taken or not.
func (q *connection) depth(ctx context.Context) (int64, error) {
	p := q.rdb.Pipeline()
	var cmds []*redis.IntCmd
	for _, stream := range q.queues() {
		cmds = append(cmds, p.XLen(ctx, stream))
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
