package queue

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// Guard adds the conditions that a is its run's latest attempt and has not ended, and that the add-in of a client run still has its document
// and has planned nothing since, and returns how many they are. They must be the first of tx, so that redis.Unmet tells them from others.
func (a *Attempt) Guard(tx *redis.Txn) (conditions int) {
	run := a.keys.Runs().Record(a.Run.ID)
	tx.If(a.Fence, "HGET", run, "fence")
	tx.If(string(lifecycle.Complete.From()), "HGET", run, "state")
	if a.document == (Lock{}) {
		return 2
	}
	tx.If(a.document.Token, "GET", a.document.Key)
	if a.plan == "" {
		return 3
	}
	tx.If(a.plan, "HGET", run, fieldDigest)
	return 4
}

// StoreRun adds that the run is stored as a has it now.
func (a *Attempt) StoreRun(tx *redis.Txn) error {
	text, err := record.EncodeRun(a.Run)
	tx.Then("HSET", a.keys.Runs().Record(a.Run.ID), "run", text)
	return err
}

// Repeats reports whether the run is as a wants to leave it: its end was stored, and the answer was lost.
func (q *Queue) Repeats(ctx context.Context, a *Attempt) (bool, error) {
	text, err := record.EncodeRun(a.Run)
	if err != nil {
		return false, err
	}
	stored, err := q.db.rdb.HMGet(ctx, a.keys.Runs().Record(a.Run.ID), fieldState, fieldFence, fieldRun).Result()
	if err != nil {
		return false, redis.Unavailable(err)
	}
	var holds lifecycle.Condition
	if redis.Text(stored[1]) == strconv.FormatInt(a.Fence, 10) {
		holds |= lifecycle.Latest
	}
	state := placements.RunState(redis.Text(stored[0]))
	if state == a.Run.State && redis.Text(stored[2]) == text {
		holds |= lifecycle.Same
	}
	return lifecycle.Repeat.Allows(state, holds), nil
}

// Ending is how an attempt ends.
type Ending struct {
	Again time.Time // when the next attempt is due; zero: the run has ended
	// Waits: all that is left of the run waits until then. Meanwhile it hinders no other run: its schedule goes on, and another run of its
	// target may be made.
	Waits   bool
	Stopped bool   // a client asked for it
	Failure string // of a tick that counts towards pausing its schedule: why it failed, and where; empty: it does not count
}

// End adds the end of a: its run's record, queue entry and event, and the next attempt or the schedule's next run. The script of tx needs the
// functions publish and complete, see Lua.
func (a *Attempt) End(tx *redis.Txn, e Ending) error {
	k, run, d := a.keys, a.Run, a.Deployment
	if a.document != (Lock{}) {
		tx.Then("DEL", a.document.Key, k.Runs().ClientPlan(run.ID))
	}
	waits := 0
	if e.Waits {
		waits = 1
	}
	made, err := recordOf(run)
	a.settle(tx, e.Again.IsZero())
	tx.Then("complete",
		k.Runs().Record(run.ID), a.entry.stream, k.Due(), k.Schedule(run.ScheduleID), k.Runs().ScheduleWaiting(run.ScheduleID), k.Runs().ActiveRuns(run.ReportID),
		k.Events(), k.Runs().Failing(run.ReportID), k.Queue(),
		group, a.entry.id, run.ID, string(run.State), made.run, d.Tenant, d.ID, k.Runs().Record(""), k.Runs().DueRun(run.ID),
		redis.Milliseconds(a.due(e.Again)), waits, run.Target().Field(), run.ScheduleID, towardsPause(e, run), pauseReason(e.Failure),
		k.DueSchedule(run.ScheduleID), pauseAfter, string(endEvent(run.State)), run.ReportID, made.event, string(run.ErrorClass), lateness(run),
	)
	return err
}

// pauseAfter is how many ticks of a schedule in a row may fail permanently.
const pauseAfter = 5

// due is when others are to give a run the attempt that is due at next: its holder goes first.
func (a *Attempt) due(next time.Time) time.Time {
	if a.agent != "" || next.IsZero() {
		return next
	}
	return next.Add(holdLease)
}

// endEvent is the event of an attempt that leaves its run in that state.
func endEvent(state placements.RunState) record.EventType {
	switch state {
	case placements.RunSucceeded:
		return record.EventRunSucceeded
	case placements.RunFailed:
		return record.EventRunFailed
	case placements.RunSkipped:
		return record.EventRunSkipped
	case placements.RunStopped:
		return record.EventRunStopped
	case placements.RunSuperseded:
		return record.EventRunSuperseded
	}
	return record.EventRunWaiting
}

// towardsPause is how the run's end counts for its schedule. Runs that no tick made, were stopped, or had nothing to refresh do not count.
func towardsPause(e Ending, run *record.Run) int {
	tick := run.Trigger == record.TriggerSchedule || run.Trigger == record.TriggerCatchUp
	switch {
	case !tick || e.Stopped || run.State == placements.RunStopped || run.State == placements.RunSkipped:
		return 0
	case e.Failure != "":
		return 1
	}
	return -1
}

func pauseReason(last string) string {
	return "paused after " + strconv.Itoa(pauseAfter) + " runs in a row failed for good, the last one because: " + last
}

// settledTogether bounds the placements of one settle: a function in Lua takes no more than some thousand arguments.
const settledTogether = 1000

// settle adds that the run does not want the placements any more that it is done with; all that it may want, if it has ended: also those that
// no attempt has tried.
func (a *Attempt) settle(tx *redis.Txn, ended bool) {
	var ids []any
	wants := maps.Clone(a.wants)
	for _, p := range a.Run.Placements {
		if delete(wants, p.PlacementID); ended || lifecycle.Final(p.State) {
			ids = append(ids, p.PlacementID)
		}
	}
	if ended {
		for id := range wants {
			ids = append(ids, id)
		}
	}
	for some := range slices.Chunk(ids, settledTogether) {
		tx.Then("settle", a.keys.Placements(a.Run.ReportID), append([]any{a.Run.ID}, some...)...)
	}
}
