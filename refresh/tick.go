package refresh

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"mooring/placements"
	"mooring/refresh/cron"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
)

const (
	onTime        = time.Minute    // a tick that fires later than this was missed
	catchUpWindow = 24 * time.Hour // a tick missed by more is not caught up
	maxMissed     = 100_000        // counted
)

// dispatchDue dispatches what is due, or waits until something is.
func (a *agent) dispatchDue(ctx context.Context) error {
	list, now, next, err := a.engine.queue.PopDue(ctx, dueLimit, dueLease)
	if len(list) > 0 {
		return storage.Join(err, a.dispatch(ctx, list, now))
	}
	if err != nil {
		return err
	}
	wait := a.engine.rhythm.Due
	if !next.IsZero() {
		wait = max(time.Millisecond, min(wait, next.Sub(now)))
	}
	return fault.Sleep(ctx, wait)
}

// dispatch fires due schedules, puts due runs back into their queues, and looks for documents. What an error leaves undone is due again when its lease ends.
func (a *agent) dispatch(ctx context.Context, list []record.Due, now time.Time) error {
	var runs, schedules, looks []record.Due
	for _, d := range list {
		switch {
		case d.RunID != "":
			runs = append(runs, d)
		case d.Identity != "":
			looks = append(looks, d)
		default:
			schedules = append(schedules, d)
		}
	}
	a.lookSoon(looks)
	return storage.Join(a.engine.queue.Queue.Ticks.Requeue(ctx, runs), a.fire(ctx, schedules, now))
}

// fire makes the runs of due schedules.
func (a *agent) fire(ctx context.Context, list []record.Due, now time.Time) error {
	var firings []record.Firing
	var gone []record.Due
	for _, d := range list {
		switch f, err := a.firing(d, now); {
		case err != nil:
			a.engine.log.Error("stored schedule cannot be read", "tenant", d.Deployment.Tenant, "schedule", d.ScheduleID, "error", err)
		case f == nil:
			gone = append(gone, d)
		default:
			firings = append(firings, *f)
		}
	}
	made, err := a.engine.queue.Queue.Ticks.Fire(ctx, firings)
	for i, f := range firings {
		if made[i] {
			a.engine.observeTicks(f)
			a.engine.logSkipped(ctx, f)
		}
	}
	return storage.Join(err, a.engine.queue.Queue.Ticks.Forget(ctx, gone))
}

// firing is what a due schedule does now; nil when it has no tick.
func (a *agent) firing(d record.Due, now time.Time) (*record.Firing, error) {
	c := d.Schedule
	if d.Err != nil || c == nil || c.Paused || c.Next.IsZero() {
		return nil, d.Err
	}
	times, err := a.engine.crons.parse(c.Cron, c.Timezone)
	if err != nil {
		return nil, err
	}
	f := decideTick(d.Deployment, c, times, now)
	return &f, nil
}

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
		f.skip(c, times, now, "catchUp is skip")
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
	f.Run.Error = fmt.Sprintf("missed: no agent was there for %s, and %s", now.Sub(c.Next).Round(time.Second), why)
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

// looksAtOnce is how many documents an agent looks for at once.
const looksAtOnce = 4

// lookSoon looks for the documents that are due, each by itself: a look may take long. One for which there is no room is due again.
func (a *agent) lookSoon(list []record.Due) {
	for _, d := range list {
		select {
		case a.looks <- struct{}{}:
			a.running.Go(func() {
				defer func() { <-a.looks }()
				if err := a.engine.links.Look(a.work, d.Deployment.Tenant, d.Identity); err != nil && a.work.Err() == nil {
					a.engine.log.Warn("document not looked for, trying again", "tenant", d.Deployment.Tenant, "document", d.Identity, "error", err)
				}
			})
		default:
		}
	}
}
