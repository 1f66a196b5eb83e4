package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// ArrivalRun is a run that a schedule is to make, since its data has changed.
type ArrivalRun struct {
	Schedule *record.Schedule
	Run      *record.Run // gets its id and fire time
	Reason   string      // a sentence that says why no run is made; empty: one is
}

// The sentences about schedules that were paused or deleted.
const (
	Paused  = "The schedule is paused: resume it for its runs to be made."
	Deleted = "The schedule or its report was deleted."
)

var arriveScript = redis.NewScript(redis.NowLua + Lua("publish", "lists", "target", "listing", "unlist", "run", "offer", "arrive"))

// Arrive makes runs, which are of d, in one step. Where a schedule's overlap is skip, a run that is still to query the source
// will find the data, so none is made beside it; one that has begun is followed by another. The same arrival told again makes no run, and
// returns what it returned first, whatever runs are asked for then.
func (q *Queue) Arrive(ctx context.Context, d record.Deployment, a record.Arrival, runs []ArrivalRun) ([]record.Arrived, error) {
	now, err := q.db.clock(ctx)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	k, keep := q.db.deployment(d), a.Keep.Milliseconds()
	if a.ID == "" {
		keep = 0
	}
	keys := []string{k.Runs().Arrival(a.ID), k.Queue(), k.Events()}
	argv := []any{keep, d.Tenant, d.ID, k.Runs().Record(""), Paused, Deleted}
	for _, c := range runs {
		run := c.Run
		run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), a.Trigger, placements.RunQueued, placements.Time(now)
		made, err := recordOf(run)
		if err != nil {
			return nil, err
		}
		id, target := c.Schedule.ID, run.Target().Field()
		keys = append(keys, k.Schedule(id), k.Runs().ScheduleWaiting(id), k.Runs().Record(run.ID), k.Runs().OfReport(run.ReportID), k.Runs().OfSchedule(id))
		argv = append(argv, id, c.Reason, run.ID, made.run, run.ReportID, made.event, run.RequestedBy.ID, target, c.Schedule.Overlap)
	}
	out, err := arriveScript.Run(ctx, q.db.rdb, keys, argv...).Text()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readArrived(out)
}

// readArrived reads what arriveScript returns.
func readArrived(text string) ([]record.Arrived, error) {
	var rows [][3]string
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, fmt.Errorf("arrival: %w", err)
	}
	list := make([]record.Arrived, len(rows))
	for i, row := range rows {
		id, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("arrival: %w", err)
		}
		list[i] = record.Arrived{ScheduleID: id, RunID: row[1], Reason: row[2]}
	}
	return list, nil
}
