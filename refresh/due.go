package refresh

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mooring/storage"
)

// fireDue deals with what is due, and waits for the next.
func (a *agent) fireDue(ctx context.Context) error {
	list, now, next, err := a.store.PopDue(ctx, dueLimit, dueLease)
	if len(list) > 0 {
		return errors.Join(err, a.fire(ctx, list, now))
	}
	if err != nil {
		return err
	}
	wait := dueWait
	if !next.IsZero() {
		wait = max(time.Millisecond, min(wait, next.Sub(now)))
	}
	return sleep(ctx, wait)
}

// fire turns due schedules into runs and gives due runs their next attempt. What an error leaves undone is due again when its lease ends.
func (a *agent) fire(ctx context.Context, list []storage.Due, now time.Time) error {
	var runs, schedules []storage.Due
	for _, d := range list {
		if d.RunID != "" {
			runs = append(runs, d)
		} else {
			schedules = append(schedules, d)
		}
	}
	return errors.Join(a.store.Requeue(ctx, runs), a.fireSchedules(ctx, schedules, now))
}

func (a *agent) fireSchedules(ctx context.Context, list []storage.Due, now time.Time) error {
	due, err := a.store.DueSchedules(ctx, list)
	if err != nil {
		return err
	}
	var firings []storage.Firing
	var gone []storage.Due
	for _, d := range due {
		switch f, err := a.decide(d, now); {
		case err != nil:
			a.log.Error("stored schedule cannot be read", "tenant", d.Deployment.Tenant, "schedule", d.ScheduleID, "error", err)
		case f == nil:
			gone = append(gone, d.Due)
		default:
			firings = append(firings, *f)
		}
	}
	made, err := a.store.Fire(ctx, firings)
	for i, f := range firings {
		if made[i] {
			a.observe.Fired(f.Deployment.Tenant, now.Sub(f.Schedule.Next.Add(delay(f.Schedule, f.Schedule.Next))))
		}
	}
	return errors.Join(err, a.store.Forget(ctx, gone))
}

// decide says what a due schedule comes to; nil when it has no tick.
func (a *agent) decide(d storage.DueSchedule, now time.Time) (*storage.Firing, error) {
	c := d.Schedule
	if d.Err != nil || c == nil || c.Paused || c.Next.IsZero() {
		return nil, d.Err
	}
	cron, err := a.crons.parse(c.Cron, c.Timezone)
	if err != nil {
		return nil, err
	}
	f := fire(d.Deployment, c, cron, now)
	return &f, nil
}

// maxCrons bounds the cache of parsed expressions.
const maxCrons = 4096

// crons remembers parsed expressions: reading a time zone takes longer than all else about a tick.
type crons struct {
	mu     sync.Mutex
	parsed map[string]Cron
}

func (c *crons) parse(specs []string, zone string) (Cron, error) {
	key := zone + "\n" + strings.Join(specs, "\n")
	c.mu.Lock()
	known, ok := c.parsed[key]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	cron, err := ParseCron(specs, zone)
	if err != nil {
		return Cron{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil || len(c.parsed) >= maxCrons {
		c.parsed = map[string]Cron{}
	}
	c.parsed[key] = cron
	return cron, nil
}
