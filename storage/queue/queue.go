package queue

import (
	"context"
	"log/slog"
	"time"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Queue is the work: what is due, the runs that wait, the attempts at work on them and the events to deliver. It is safe for concurrent
// use.
type Queue struct {
	Runs    *Runs
	Ticks   *Ticks
	Events  *Events
	Clients *Clients
	Agents  *Agents
	Probes  *Probes
	db      *connection
}

// New returns the queue of a storage with that many partitions. hot is rdb as redis.Pipeline makes it.
func New(rdb redis.UniversalClient, hot redis.Pipelined, partitions int, log *slog.Logger) *Queue {
	db := &connection{rdb: rdb, hot: hot, partitions: partitions, log: log}
	return &Queue{
		Runs: &Runs{db}, Ticks: &Ticks{db}, Events: &Events{db}, Clients: &Clients{db}, Agents: &Agents{db}, Probes: &Probes{db}, db: db,
	}
}

// Runs keeps runs and their histories.
type Runs struct{ db *connection }

// Ticks is what is due: schedules, and runs that wait.
type Ticks struct{ db *connection }

// Events is what happened to reports, for those who follow a deployment and for webhooks.
type Events struct{ db *connection }

// Clients is the runs that add-ins work on.
type Clients struct{ db *connection }

// Agents knows which agents and other processes use the storage, and how much work waits for them.
type Agents struct{ db *connection }

// Probes keeps what is known of the data of sources.
type Probes struct{ db *connection }

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
