package refresh

import (
	"context"
	"time"

	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
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
