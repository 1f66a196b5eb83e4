package record

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"mooring/placements"
)

// ScheduleSpec is what a client says of a schedule (decisions.md §7).
type ScheduleSpec struct {
	Key           string    `json:"key,omitempty"` // names it portably within its deployment, permanently; empty: none assigned yet
	Name          string    `json:"name"`
	Target        RunTarget `json:"target"`
	Cron          []string  `json:"cron"`
	Timezone      string    `json:"timezone"`
	CatchUp       string    `json:"catchUp"` // latest, skip, all
	Overlap       string    `json:"overlap"` // skip, queue
	JitterSeconds int       `json:"jitterSeconds"`
	Paused        bool      `json:"paused"`
	placements.Options

	PerHour int `json:"-"` // how often its cron fires in an hour, at most; for who stores the schedule to say
}

// KeepsKey refuses a key that would change the one that s has: the *placements.Error CodeKeyFixed.
func (s ScheduleSpec) KeepsKey(sent string) error {
	if s.Key == "" || sent == s.Key {
		return nil
	}
	return placements.Faulty(placements.Detail{
		Pointer: "/key", Code: placements.CodeKeyFixed,
		Message: "The key of this schedule is " + s.Key + " and cannot be changed: leave it out.",
	})
}

// SameTimes reports whether both have the same ticks. One that is paused has none.
func (s *ScheduleSpec) SameTimes(o *ScheduleSpec) bool {
	times := func(cron []string) []string { return slices.Compact(slices.Sorted(slices.Values(cron))) }
	return !s.Paused && !o.Paused && s.Timezone == o.Timezone && slices.Equal(times(s.Cron), times(o.Cron))
}

// What a schedule does with ticks that it missed, and with one whose predecessor still runs (decisions.md §7). The first of each is the
// default.
const (
	CatchUpLatest = "latest"
	CatchUpSkip   = "skip"
	CatchUpAll    = "all"

	OverlapSkip  = "skip"
	OverlapQueue = "queue"
)

// Complete fills in the defaults of what s leaves out; timezone is the deployment's, and empty for UTC.
func (s *ScheduleSpec) Complete(timezone string) {
	s.Timezone = cmp.Or(s.Timezone, timezone, "UTC")
	s.CatchUp = cmp.Or(s.CatchUp, CatchUpLatest)
	s.Overlap = cmp.Or(s.Overlap, OverlapSkip)
}

// Schedule is a stored schedule. Owner is who wrote its target or resumed it last, as their token last said: its runs may do what they may.
type Schedule struct {
	ID           int64 `json:"id"`
	DeploymentID int64 `json:"deploymentId"`
	ScheduleSpec
	PausedReason string      `json:"pausedReason,omitempty"` // why the service itself paused it
	CreatedAt    string      `json:"createdAt"`
	UpdatedAt    string      `json:"updatedAt"`
	CreatedBy    int64       `json:"createdBy"`
	UpdatedBy    *User       `json:"updatedBy,omitempty"` // who made this version; nil: before it was kept
	Version      int64       `json:"version"`
	ManagedBy    *ManagedBy  `json:"managedBy,omitempty"`
	Owner        Actor       `json:"-"`
	Next         time.Time   `json:"-"` // the tick that comes next; zero when there is none
	Effect       WriteEffect `json:"-"` // of the write that returned it
	LastRunID    string      `json:"-"`
	Active       string      `json:"-"` // the run of this schedule that has not ended
	Failures     int         `json:"-"` // runs in a row that failed permanently
}

// Due is something that must be looked at now: a schedule whose tick has come, or a run whose next attempt has.
type Due struct {
	Deployment Deployment
	RunID      string    // empty for another thing
	Identity   string    // of a document to look for, in any deployment; empty for another thing
	ScheduleID int64     // 0 for a run
	Schedule   *Schedule // nil when it is gone or cannot be read
	Err        error     // the schedule is there but cannot be read
}

// IsSchedule reports whether d is a schedule's.
func (d *Due) IsSchedule() bool { return d.RunID == "" && d.Identity == "" }

// Tick is a fire time, and when it is due after its jitter.
type Tick struct{ At, Due time.Time }

// TickOutcome is what became of a tick of a schedule.
type TickOutcome string

// The outcomes of ticks. Each tick has one of the first three, when it is decided; TickSuperseded is counted beside them, when the run of a
// tick has ended and left a placement to a newer run.
const (
	TickFired      TickOutcome = "fired"      // it has a run, at once or behind the one before
	TickSkipped    TickOutcome = "skipped"    // the schedule's earlier run had not ended
	TickMissed     TickOutcome = "missed"     // no agent was there in time
	TickSuperseded TickOutcome = "superseded" // beside its first outcome
)

// TickOutcomes lists them.
func TickOutcomes() []TickOutcome {
	return []TickOutcome{TickFired, TickSkipped, TickMissed, TickSuperseded}
}

// Firing is what becomes of a tick of a schedule.
type Firing struct {
	Deployment Deployment
	Schedule   *Schedule
	Next       Tick // the one after it
	Run        *Run // nil: the tick makes no run
	Queue      bool // wait for the schedule's active run; else a run that meets one is recorded as SKIPPED
	Missed     int  // ticks that were missed and are not made good: its Run stands for them, and is made as SKIPPED if its own is one
}

// Arrival is word that the data of a deployment has changed.
type Arrival struct {
	Trigger Trigger       // TriggerHook or TriggerChange
	ID      string        // names it within its deployment: told again, it makes no run; empty: it is told once only
	Keep    time.Duration // how long ID is kept
}

// Arrived is what became of an arrival at one schedule.
type Arrived struct {
	ScheduleID int64
	RunID      string // which refreshes the data that arrived: made for it, or one that waits already; empty: none
	Reason     string // a sentence for the user: why no run was made
}

// RunID names the one run of a schedule's tick.
func RunID(schedule int64, tick time.Time) string {
	return strconv.FormatInt(schedule, 10) + ":" + strconv.FormatInt(tick.UnixMilli(), 10)
}
