package queue

import (
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Guard adds the conditions that a is its run's latest attempt and has not ended, and that the add-in of a client run still has its document, and returns how many they are. They must be the first of
// tx, so that redis.Unmet tells them from others.
func (a *Attempt) Guard(tx *redis.Txn) (conditions int) {
	run := a.keys.Run(a.Run.ID)
	tx.If(a.Fence, "HGET", run, "fence")
	tx.If(string(placements.RunRunning), "HGET", run, "state")
	if a.document == (Lock{}) {
		return 2
	}
	tx.If(a.document.Token, "GET", a.document.Key)
	return 3
}

// StoreRun adds that the run is stored as a has it now.
func (a *Attempt) StoreRun(tx *redis.Txn) error {
	text, err := record.EncodeRun(a.Run)
	tx.Then("HSET", a.keys.Run(a.Run.ID), "run", text)
	return err
}

// End adds the end of a: its run's record, queue entry and event, and the next attempt or the schedule's next run. again is when the next
// attempt is due, zero when the run has ended; failed, that it failed permanently, which counts towards pausing its schedule. The script of
// tx needs the functions publish and complete, see Lua.
func (a *Attempt) End(tx *redis.Txn, again time.Time, failed bool) error {
	k, run, d := a.keys, a.Run, a.Deployment
	if a.document != (Lock{}) {
		tx.Then("DEL", a.document.Key, k.ClientPlan(run.ID))
	}
	made, err := recordOf(run)
	tx.Then("complete",
		k.Run(run.ID), a.entry.stream, k.Due(), k.Schedule(run.ScheduleID), k.ScheduleWaiting(run.ScheduleID), k.ActiveRuns(run.ReportID),
		k.Events(), k.Failing(run.ReportID),
		group, a.entry.id, run.ID, string(run.State), made.run, d.Tenant, d.ID, k.Run(""), k.DueRun(run.ID),
		redis.Milliseconds(a.due(again)), run.Target().Field(), run.ScheduleID, failure(failed, run), pauseReason(run.Error),
		k.DueSchedule(run.ScheduleID), pauseAfter, string(endEvent(run.State)), run.ReportID, made.event, string(run.ErrorClass), lateness(run),
	)
	return err
}

// pauseAfter is how many runs of a schedule in a row may fail permanently.
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

// failure is how the run's end counts for its schedule. A conflict or an outage counts neither way.
func failure(permanent bool, run *record.Run) int {
	switch {
	case permanent:
		return 1
	case run.State == placements.RunSucceeded:
		return -1
	}
	return 0
}

func pauseReason(last string) string {
	return "paused after " + strconv.Itoa(pauseAfter) + " runs in a row failed for good, the last one because: " + last
}
