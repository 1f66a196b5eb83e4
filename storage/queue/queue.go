package queue

import (
	"log/slog"

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
	begins  *redis.Together[beginning, []any]
}

// New returns the queue of a storage with that many partitions. hot is rdb as redis.Pipeline makes it.
func New(rdb redis.UniversalClient, hot redis.Pipelined, partitions int, log *slog.Logger) *Queue {
	db := &connection{rdb: rdb, hot: hot, partitions: partitions, log: log}
	return &Queue{
		Runs: &Runs{db}, Ticks: &Ticks{db}, Events: &Events{db}, Clients: &Clients{db}, Agents: &Agents{db}, Probes: &Probes{db}, db: db, begins: newBegins(db),
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
