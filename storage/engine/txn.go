package engine

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
	"mooring/storage/standing"
)

// Transaction is what a write does in one step, and the first of its values that had no JSON.
type Transaction struct {
	redis.Txn
	Err error
}

// What transactions of other rooms call, too.
var (
	Publish = redis.Functions{Names: []string{"publish"}, Lua: queue.Lua("publish") + "functions.publish = publish\n"}
	Echo    = redis.Functions{Names: []string{"echo"}, Lua: Lua("echo") + "functions.echo = echo\n"}
	Instead = redis.Functions{Names: []string{"instead"}, Lua: Lua("instead") + "functions.instead = instead\n"}
)

// Transactions runs what is written to records.
var Transactions = redis.NewTxnScript(Publish, Echo, Instead,
	redis.Functions{Names: []string{"overlapping"}, Lua: Lua("overlapping", "overlaps")},
	redis.Functions{Names: []string{"fields"}, Lua: Lua("fields")},
	standing.Functions(),
	journal.Functions(),
	redis.Functions{
		Names: []string{"stop", "wake", "unlist", "unwait"},
		Lua:   queue.Lua("lists", "unlist", "offer", "stop", "stop_runs", "wake") + Lua("runs"),
	},
	changes.Functions(),
)

// Run runs t and returns what its reads replied. Errors: redis.Unmet for a condition that does not hold.
func (e *DB) Run(ctx context.Context, t *Transaction) ([]any, error) {
	if t.Err != nil {
		return nil, t.Err
	}
	if e.tracer == nil {
		return Transactions.Run(ctx, e.Hot, &t.Txn)
	}
	end := e.tracer.Transaction(ctx)
	replies, err := Transactions.Run(ctx, e.Hot, &t.Txn)
	if IsUnmet(err) {
		end(nil) // its writer decides again
	} else {
		end(err)
	}
	return replies, err
}

// IsUnmet reports whether err says that a condition does not hold, so that nothing was changed.
func IsUnmet(err error) bool {
	_, ok := errors.AsType[redis.Unmet](err)
	return ok
}

// Enlist adds members to a sorted set that serves as an index: all its scores are 0.
func (t *Transaction) Enlist(key string, members ...string) {
	args := make([]any, 0, 4)
	for _, m := range members {
		args = append(args, 0, m)
	}
	t.Then("ZADD", key, args...)
}

// Delist takes members out of a sorted set.
func (t *Transaction) Delist(key string, members ...string) {
	args := make([]any, len(members))
	for i, m := range members {
		args[i] = m
	}
	t.Then("ZREM", key, args...)
}

// Publish adds an event about a placement of a report.
func (t *Transaction) Publish(k keys.DeploymentKeys, kind record.EventType, report int64, p *placements.Placement) {
	t.Then("publish", k.Events(), string(kind), report, record.PlacementEvent(p))
}

// PublishSchedule adds an event about a schedule.
func (t *Transaction) PublishSchedule(k keys.DeploymentKeys, kind record.EventType, c *record.Schedule) {
	t.Then("publish", k.Events(), string(kind), c.Target.ReportID, record.ScheduleEvent(c))
}

// Note adds an entry to the audit of a deployment.
func (t *Transaction) Note(k keys.DeploymentKeys, e journal.Entry) {
	t.Fails(journal.Note(&t.Txn, k.Audit(), e))
}

// MaxUnpacked is how many arguments a change may have: Lua unpacks no more than some thousands.
const MaxUnpacked = 1000

// Set puts v's JSON into a field of the hash at key.
func (t *Transaction) Set(key, field string, v any) {
	t.Then("HSET", key, field, t.Encode(field, v))
}

// Encode returns the JSON of what goes into a field.
func (t *Transaction) Encode(field string, v any) string {
	text, err := record.Encode(v)
	if err != nil {
		t.Fails(fmt.Errorf("%s: %w", field, err))
	}
	return text
}

// Fails makes an error that of the transaction, unless it has one or err is nil.
func (t *Transaction) Fails(err error) {
	if t.Err == nil {
		t.Err = err
	}
}

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// Lua joins files of the folder lua, behind the predicates of package lifecycle that they ask.
func Lua(names ...string) string { return lifecycle.Lua(redis.JoinLua(luaFiles, names...)) }
