package record

import (
	"strconv"
	"time"
)

// Due is something that must be looked at now: a schedule whose tick has come, or a run whose next attempt has.
type Due struct {
	Deployment Deployment
	RunID      string    // empty for a schedule
	ScheduleID int64     // 0 for a run
	Schedule   *Schedule // nil when it is gone or cannot be read
	Err        error     // the schedule is there but cannot be read
}

// Tick is a fire time, and when it is due after its jitter.
type Tick struct{ At, Due time.Time }

// Firing is what becomes of a tick of a schedule.
type Firing struct {
	Deployment Deployment
	Schedule   *Schedule
	Next       Tick // the one after it
	Run        *Run // nil: the tick makes no run
	Queue      bool // wait for the schedule's active run; else a run that meets one is recorded as SKIPPED
}

// RunID names the one run of a schedule's tick.
func RunID(schedule int64, tick time.Time) string {
	return strconv.FormatInt(schedule, 10) + ":" + strconv.FormatInt(tick.UnixMilli(), 10)
}
