package refresh

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"mooring/placements"
	"mooring/refresh/cron"
	"mooring/storage/record"
)

const (
	onTime        = time.Minute    // a tick that fires later than this was missed
	catchUpWindow = 24 * time.Hour // a tick missed by more is not caught up
	maxMissed     = 100_000        // counted
)

// decision is a firing while it is decided.
type decision record.Firing

// decideTick decides what becomes of the tick c.Next now, and which tick is the next.
func decideTick(d record.Deployment, c *record.Schedule, times cron.Schedule, now time.Time) record.Firing {
	f := decision{Deployment: d, Schedule: c, Queue: c.Overlap == record.OverlapQueue}
	tick := c.Next
	jitter := time.Duration(c.JitterSeconds) * time.Second
	if tick.After(now) { // the schedule was changed since it became due
		f.Next = nextTick(c, times, tick.Add(-time.Nanosecond))
		return record.Firing(f)
	}
	if now.Sub(tick) <= onTime+jitter {
		f.Run, f.Next = newRun(c, tick, record.TriggerSchedule), nextTick(c, times, tick)
		return record.Firing(f)
	}
	first, found := firstRecent(times, tick, now)
	switch {
	case c.CatchUp == record.CatchUpSkip:
		f.skip(c, times, now, "after an outage the schedule skips what was missed")
	case !found:
		f.skip(c, times, now, fmt.Sprintf("what is older than %.0f hours is not caught up", catchUpWindow.Hours()))
	case c.CatchUp == record.CatchUpAll:
		f.Queue = true
		f.catchUp(c, times, tick, first)
	default:
		last := first
		for next := times.Next(last); !next.IsZero() && !next.After(now); next = times.Next(last) {
			last = next
		}
		f.catchUp(c, times, tick, last)
	}
	return record.Firing(f)
}

// skip records that the tick and all later ones until now were missed and are not caught up.
func (f *decision) skip(c *record.Schedule, times cron.Schedule, now time.Time, why string) {
	f.Run, f.Next = newRun(c, c.Next, record.TriggerSchedule), nextTick(c, times, now)
	f.Run.State, f.Missed = placements.RunSkipped, countTicks(times, c.Next, now.Add(1))
	f.Run.Error = fmt.Sprintf("missed: no agent was there for %s, and %s: run it now, or wait for the next tick", now.Sub(c.Next).Round(time.Second), why)
}

// catchUp makes the run of a missed tick, which stands for those missed since the first.
func (f *decision) catchUp(c *record.Schedule, times cron.Schedule, first, tick time.Time) {
	f.Run, f.Next = newRun(c, tick, record.TriggerCatchUp), nextTick(c, times, tick)
	f.Run.MissedFires = countTicks(times, first, tick)
	f.Missed = f.Run.MissedFires
}

// countTicks returns how many ticks there are from the first on before a time, at most maxMissed.
func countTicks(times cron.Schedule, first, before time.Time) (n int) {
	for at := first; !at.IsZero() && at.Before(before) && n < maxMissed; at = times.Next(at) {
		n++
	}
	return n
}

// firstRecent returns the first tick from tick on that is not too old to be caught up; false when there is none.
func firstRecent(times cron.Schedule, tick, now time.Time) (time.Time, bool) {
	oldest := now.Add(-catchUpWindow)
	if !tick.Before(oldest) {
		return tick, true
	}
	next := times.Next(oldest.Add(-time.Nanosecond))
	return next, !next.IsZero() && !next.After(now)
}

// nextTick returns the first tick after a time, with its jitter.
func nextTick(c *record.Schedule, times cron.Schedule, after time.Time) record.Tick {
	at := times.Next(after)
	if at.IsZero() {
		return record.Tick{}
	}
	return record.Tick{At: at, Due: at.Add(delay(c, at))}
}

// delay is the jitter of a tick: the same for every agent that asks.
func delay(c *record.Schedule, at time.Time) time.Duration {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(c.ID)), uint64(at.Unix())))
	ms := h.Sum64() % uint64(time.Duration(c.JitterSeconds)*time.Second/time.Millisecond+1)
	return time.Duration(ms) * time.Millisecond
}

func newRun(c *record.Schedule, tick time.Time, trigger record.Trigger) *record.Run {
	return &record.Run{
		ID: record.RunID(c.ID, tick), ScheduleID: c.ID, Trigger: trigger, State: placements.RunQueued,
		ReportID: c.Target.ReportID, PlacementID: c.Target.PlacementID, ExternalWorkbookID: c.Target.ExternalWorkbookID,
		Options: c.Options, RequestedBy: c.Owner, FireTime: placements.Time(tick), Due: tick.Add(delay(c, tick)),
		Placements: []record.RunPlacement{},
	}
}
