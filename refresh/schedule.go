package refresh

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/cron"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// maxJitter bounds jitterSeconds: a tick that may come an hour late is hardly one any more.
const maxJitter = 3600

// Scheduler makes schedules and changes them, and makes their runs beside their ticks.
type Scheduler struct {
	queue   *work.Work
	records *storage.Store
	tenants tenants
}

// Create stores a schedule for the report that spec names, and when it first fires. Defaults are filled in. Errors:
// *placements.Error with every fault of spec, storage.ErrNotFound without such a report, the *placements.Error CodeScheduleLimit.
func (s *Scheduler) Create(
	ctx context.Context, d record.Deployment, spec record.ScheduleSpec, by record.Actor,
) (*record.Schedule, error) {
	times, err := s.check(d, &spec)
	if err != nil {
		return nil, err
	}
	now, err := s.queue.Queue.Clock(ctx)
	if err != nil {
		return nil, err
	}
	first := func(id int64) record.Tick {
		return comingTick(&record.Schedule{ID: id, ScheduleSpec: spec}, times, now)
	}
	return s.records.Schedules().Create(ctx, d, spec, by, first)
}

// comingTick is the first tick after now; none when the schedule is paused.
func comingTick(c *record.Schedule, times cron.Schedule, now time.Time) record.Tick {
	if c.Paused {
		return record.Tick{}
	}
	return nextTick(c, times, now)
}

// ComingTick is when a schedule fires next after a time; never while it is paused.
func ComingTick(c *record.Schedule, after time.Time) (record.Tick, error) {
	times, err := cron.Parse(c.Cron, c.Timezone)
	if err != nil {
		return record.Tick{}, err
	}
	return comingTick(c, times, after), nil
}

// Update changes a stored schedule as change says, which may refuse with an error of its own. A change of the target, and the end
// of a pause, make by its owner; any change by its owner renews what is known of their rights. A change that changes nothing leaves the
// version as it was. Errors are those of Create.
func (s *Scheduler) Update(
	ctx context.Context, d record.Deployment, id int64, by record.Actor, change func(*record.Schedule) error,
) (*record.Schedule, error) {
	now, err := s.queue.Queue.Clock(ctx)
	if err != nil {
		return nil, err
	}
	return s.records.Schedules().Update(ctx, d, id, by, func(c *record.Schedule) (record.Tick, error) {
		before := c.ScheduleSpec
		if err := change(c); err != nil {
			return record.Tick{}, err
		}
		times, err := s.check(d, &c.ScheduleSpec)
		if err != nil {
			return record.Tick{}, err
		}
		if c.Target != before.Target || before.Paused && !c.Paused || by.Is(c.Owner.ID) {
			c.Owner = by
		}
		return tickAfter(c, before, times, now), nil
	})
}

// Transfer makes the runs of a schedule another user's from now on, on whose behalf they then are asked for.
func (s *Scheduler) Transfer(ctx context.Context, d record.Deployment, id int64, by, owner record.Actor) (*record.Schedule, error) {
	now, err := s.queue.Queue.Clock(ctx)
	if err != nil {
		return nil, err
	}
	return s.records.Schedules().Update(ctx, d, id, by, func(c *record.Schedule) (record.Tick, error) {
		times, err := s.check(d, &c.ScheduleSpec)
		if err != nil {
			return record.Tick{}, err
		}
		c.Owner = owner
		return tickAfter(c, c.ScheduleSpec, times, now), nil
	})
}

// tickAfter is the next tick of a schedule that had another spec before.
func tickAfter(c *record.Schedule, before record.ScheduleSpec, times cron.Schedule, now time.Time) record.Tick {
	if sameTicks(before, c.ScheduleSpec) && !c.Next.IsZero() {
		// A tick that is overdue because no agent was there must not be lost to a new name.
		return nextTick(c, times, c.Next.Add(-time.Nanosecond))
	}
	return comingTick(c, times, now)
}

// Upsert creates the schedule of that key or changes the one that has it: change sees the stored schedule, or one with nothing but
// the key, may be asked again when another writer was faster, and its error is returned as it is. Errors are those of Create and
// Update.
func (s *Scheduler) Upsert(
	ctx context.Context, d record.Deployment, key string, by record.Actor, change func(*record.Schedule) error,
) (c *record.Schedule, err error) {
	const tries = 5
	for range tries {
		found, err := s.records.Schedules().ByKey(ctx, d, key)
		if err == nil {
			c, err = s.Update(ctx, d, found.ID, by, change)
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			return c, err
		}
		if !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		created := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Key: key}}
		if err := change(created); err != nil {
			return nil, err
		}
		c, err = s.Create(ctx, d, created.ScheduleSpec, by)
		if placements.CodeOf(err) != placements.CodeKeyTaken {
			return c, err
		}
	}
	return nil, storage.ErrBusy
}

// sameTicks reports whether two specs fire at the same times.
func sameTicks(a, b record.ScheduleSpec) bool {
	return a.Paused == b.Paused && a.Timezone == b.Timezone && slices.Equal(a.Cron, b.Cron)
}

// Run makes a run of the schedule now, beside its ticks, on behalf of by.
func (s *Scheduler) Run(ctx context.Context, d record.Deployment, c *record.Schedule, by record.Actor) (*record.Run, error) {
	return Request{Target: c.Target, Options: c.Options, By: by}.enqueue(ctx, s.queue, d, c.ID)
}

// Arrive makes a run of each of those schedules of d, because their data has changed, all in one step. A run is made as at a tick: with the
// rights of the schedule's owner, after the schedule's run before; but where overlap is skip none is made while one waits that will find
// the data, and none is lost to one that has begun. The same arrival told again makes no run and returns what it returned first.
func (s *Scheduler) Arrive(
	ctx context.Context, d record.Deployment, a record.Arrival, list ...*record.Schedule,
) ([]record.Arrived, error) {
	runs := make([]queue.ArrivalRun, len(list))
	for i, c := range list {
		reason, err := s.idle(ctx, d, c)
		if err != nil {
			return nil, err
		}
		run := Request{Target: c.Target, Options: c.Options, By: c.Owner}.run(ctx, c.ID)
		runs[i] = queue.ArrivalRun{Schedule: c, Run: run, Reason: reason}
	}
	return s.queue.Queue.Arrive(ctx, d, a, runs)
}

// ArriveByKey is Arrive for the schedule of that key; storage.ErrNotFound.
func (s *Scheduler) ArriveByKey(ctx context.Context, d record.Deployment, a record.Arrival, key string) (record.Arrived, error) {
	c, err := s.records.Schedules().ByKey(ctx, d, key)
	if err != nil {
		return record.Arrived{}, err
	}
	all, err := s.Arrive(ctx, d, a, c)
	if err != nil {
		return record.Arrived{}, err
	}
	return all[0], nil
}

// idle is a sentence that says why a run of c would have nothing to do; empty when it has.
func (s *Scheduler) idle(ctx context.Context, d record.Deployment, c *record.Schedule) (string, error) {
	if c.Paused {
		return queue.Paused, nil
	}
	report, err := s.records.Reports().Get(ctx, d, c.Target.ReportID)
	if errors.Is(err, storage.ErrNotFound) {
		return queue.Deleted, nil
	}
	if err != nil {
		return "", err
	}
	aimed, err := s.records.Sites().Aim(ctx, d.Tenant, c.Target)
	if err != nil {
		return "", err
	}
	if nothing, ok := errors.AsType[*placements.Error](aimed.Refreshable(&report.Definition, report.Places())); ok {
		return nothing.Message, nil
	}
	return "", nil
}

// NextFires lists the next n fire times after now, without their jitter; none for a paused schedule.
func NextFires(c *record.Schedule, now time.Time, n int) []time.Time {
	times, err := cron.Parse(c.Cron, c.Timezone)
	if err != nil || c.Paused {
		return nil
	}
	var fires []time.Time
	for at := times.Next(now); len(fires) < n && !at.IsZero(); at = times.Next(at) {
		fires = append(fires, at)
	}
	return fires
}

// check is CheckSchedule for a schedule in d, whose time zone is that of a spec without one.
func (s *Scheduler) check(d record.Deployment, spec *record.ScheduleSpec) (cron.Schedule, error) {
	spec.Timezone = cmp.Or(spec.Timezone, s.tenants.timezone(d))
	return CheckSchedule(spec)
}

// CheckSchedule fills in the defaults of a spec. The error is a *placements.Error with every fault.
func CheckSchedule(spec *record.ScheduleSpec) (cron.Schedule, error) {
	var faults []placements.Detail
	fault := func(pointer, message string) {
		faults = append(faults, placements.Detail{Pointer: pointer, Code: placements.CodeInvalid, Message: message})
	}
	choice := func(pointer string, value *string, names ...string) {
		for _, name := range names {
			if *value == name {
				return
			}
		}
		fault(pointer, "must be one of "+strings.Join(names, ", "))
	}
	spec.Complete("")
	choice("/catchUp", &spec.CatchUp, record.CatchUpLatest, record.CatchUpSkip, record.CatchUpAll)
	choice("/overlap", &spec.Overlap, record.OverlapSkip, record.OverlapQueue)
	if !spec.OnEdit.Or(placements.Keep).Valid() {
		fault("/onEdit", "must be one of keep, overwrite, stop")
	}
	if spec.JitterSeconds < 0 || spec.JitterSeconds > maxJitter {
		fault("/jitterSeconds", "must be between 0 and "+strconv.Itoa(maxJitter))
	}
	if spec.Target.ReportID <= 0 {
		fault("/target/reportId", "is required: send the id of a report")
	}
	if spec.Target.PlacementID != "" && spec.Target.ExternalWorkbookID != "" {
		fault("/target", "has placementId and externalWorkbookId: send one of them")
	}
	times, err := cron.Parse(spec.Cron, spec.Timezone)
	if bad, ok := errors.AsType[cron.Error](err); ok {
		faults = append(faults, cronFaults(bad)...)
	}
	spec.PerHour = times.PerHour()
	if len(faults) > 0 {
		return cron.Schedule{}, placements.Faulty(faults...)
	}
	return times, err
}

// cronFaults are the faults of a schedule's times, with their codes.
func cronFaults(bad cron.Error) []placements.Detail {
	faults := make([]placements.Detail, len(bad))
	for i, f := range bad {
		faults[i] = placements.Detail{Pointer: f.Pointer, Code: placements.CodeCron, Message: f.Message}
		if f.Pointer == "/timezone" {
			faults[i].Code = placements.CodeTimezone
		}
	}
	return faults
}
