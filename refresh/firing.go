package refresh

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"mooring/placements"
	"mooring/storage"
)

const (
	onTime        = time.Minute    // a tick that fires later than this was missed
	catchUpWindow = 24 * time.Hour // a tick missed by more is not made good
	maxMissed     = 100_000        // counted
)

// The policies of a schedule (decisions.md §7); the first of each is the default.
const (
	CatchUpLatest = "latest"
	CatchUpSkip   = "skip"
	CatchUpAll    = "all"
	OverlapSkip   = "skip"
	OverlapQueue  = "queue"
)

// nextTick is what comes after a tick, with its jitter.
func nextTick(c *storage.Schedule, cron Cron, after time.Time) storage.Tick {
	at := cron.Next(after)
	if at.IsZero() {
		return storage.Tick{}
	}
	return storage.Tick{At: at, Due: at.Add(delay(c, at))}
}

// delay is the jitter of a tick: the same for every agent that asks.
func delay(c *storage.Schedule, at time.Time) time.Duration {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(c.ID)), uint64(at.Unix())))
	ms := h.Sum64() % uint64(time.Duration(c.JitterSeconds)*time.Second/time.Millisecond+1)
	return time.Duration(ms) * time.Millisecond
}

// firing is what a tick comes to while it is decided.
type firing storage.Firing

// fire decides what the tick c.Next comes to now, and which tick comes next.
func fire(d storage.Deployment, c *storage.Schedule, cron Cron, now time.Time) storage.Firing {
	f := firing{Deployment: d, Schedule: c, Queue: c.Overlap == OverlapQueue}
	tick := c.Next
	jitter := time.Duration(c.JitterSeconds) * time.Second
	if tick.After(now) { // the schedule was changed since it became due
		f.Next = nextTick(c, cron, tick.Add(-time.Nanosecond))
		return storage.Firing(f)
	}
	if now.Sub(tick) <= onTime+jitter {
		f.Run, f.Next = newRun(c, tick, storage.TriggerSchedule), nextTick(c, cron, tick)
		return storage.Firing(f)
	}
	first, found := within(cron, tick, now)
	switch {
	case c.CatchUp == CatchUpSkip:
		f.skip(c, cron, now, "catchUp is skip")
	case !found:
		f.skip(c, cron, now, fmt.Sprintf("what is older than %.0f hours is not made good", catchUpWindow.Hours()))
	case c.CatchUp == CatchUpAll:
		f.Queue = true
		f.catchUp(c, cron, tick, first)
	default:
		last := first
		for next := cron.Next(last); !next.IsZero() && !next.After(now); next = cron.Next(last) {
			last = next
		}
		f.catchUp(c, cron, tick, last)
	}
	return storage.Firing(f)
}

// skip records that the tick and all that came since were missed and are not made good.
func (f *firing) skip(c *storage.Schedule, cron Cron, now time.Time, why string) {
	f.Run, f.Next = newRun(c, c.Next, storage.TriggerSchedule), nextTick(c, cron, now)
	f.Run.State = placements.RunSkipped
	f.Run.Error = fmt.Sprintf("missed: no agent was there for %s, and %s", now.Sub(c.Next).Round(time.Second), why)
}

// catchUp makes the run of the tick made good, which stands for those missed since the first.
func (f *firing) catchUp(c *storage.Schedule, cron Cron, first, tick time.Time) {
	f.Run, f.Next = newRun(c, tick, storage.TriggerCatchUp), nextTick(c, cron, tick)
	for at := first; at.Before(tick) && f.Run.MissedFires < maxMissed; at = cron.Next(at) {
		f.Run.MissedFires++
	}
}

// within is the first tick from tick on that is not too old to be made good; false when there is none.
func within(cron Cron, tick, now time.Time) (time.Time, bool) {
	oldest := now.Add(-catchUpWindow)
	if !tick.Before(oldest) {
		return tick, true
	}
	next := cron.Next(oldest.Add(-time.Nanosecond))
	return next, !next.IsZero() && !next.After(now)
}

func newRun(c *storage.Schedule, tick time.Time, trigger storage.Trigger) *storage.Run {
	return &storage.Run{
		ID: storage.RunID(c.ID, tick), ScheduleID: c.ID, Trigger: trigger, State: placements.RunQueued,
		ReportID: c.Target.ReportID, PlacementID: c.Target.PlacementID, ExternalWorkbookID: c.Target.ExternalWorkbookID,
		Options: c.Options, ShiftRows: c.ShiftRows, RequestedBy: c.Owner, FireTime: placements.Time(tick),
	}
}
