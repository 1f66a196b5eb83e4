package schedules

import (
	"context"

	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// wanted reads the body of a creation, which the caller may ask for.
func (a *API) wanted(ctx context.Context, c *request.Call) (spec record.ScheduleSpec, err error) {
	var in scheduleBody
	if err := a.finder.read(ctx, c, &in); err != nil {
		return spec, err
	}
	in.apply(&spec)
	if err := access.Hold(ctx, a.store, c, spec.Target.ReportID); err != nil {
		return spec, err
	}
	return spec, a.finder.mayAim(ctx, c, spec.Target)
}

// create makes a schedule for a report that the caller may edit, or for placements of their own.
func (a *API) create(ctx context.Context, c *request.Call, spec record.ScheduleSpec) (any, error) {
	made, err := a.engine.Schedules().Create(ctx, c.At, spec, c.Caller.Actor)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return a.view.written(ctx, c, made)
}

// showMade answers as create did that made the schedule, with what it is now.
func (a *API) showMade(ctx context.Context, c *request.Call, id int64) (any, error) {
	made, err := a.finder.byID(ctx, c, id, record.MayRead)
	if err != nil {
		return nil, err
	}
	made.Effect = record.Created
	return a.view.written(ctx, c, made)
}

// change is what a request makes of a schedule that its caller may edit.
type change struct {
	found *record.Schedule
	in    scheduleBody
}

// changed reads a change of the path's schedule.
func (a *API) changed(ctx context.Context, c *request.Call) (made change, err error) {
	if err := a.finder.read(ctx, c, &made.in); err != nil {
		return made, err
	}
	made.found, err = a.finder.editable(ctx, c)
	return made, err
}

// update changes the keys sent.
func (a *API) update(ctx context.Context, c *request.Call, made change) (any, error) {
	return a.change(ctx, c, made.found, func(now *record.Schedule) error { return a.rewrite(ctx, c, now, &made.in) })
}

// rewrite changes a stored schedule as the body says, if the caller may.
func (a *API) rewrite(ctx context.Context, c *request.Call, found *record.Schedule, in *scheduleBody) error {
	if err := request.ExpectVersion(in.expected, found.Version); err != nil {
		return err
	}
	before := found.Target
	in.apply(&found.ScheduleSpec)
	if found.Target.ReportID != before.ReportID {
		if err := access.Hold(ctx, a.store, c, found.Target.ReportID); err != nil {
			return err
		}
	}
	if found.Target != before {
		return a.finder.mayAim(ctx, c, found.Target)
	}
	_, err := a.finder.maySchedule(ctx, c, found.Target)
	return err
}

// pause and resume do what a PUT of paused does. Ticks that are missed meanwhile are not caught up.
func (a *API) pause(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	return a.change(ctx, c, found, func(now *record.Schedule) error {
		now.Paused = true
		return nil
	})
}

func (a *API) resume(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	return a.change(ctx, c, found, func(now *record.Schedule) error {
		now.Paused = false
		_, err := a.finder.maySchedule(ctx, c, now.Target)
		return err
	})
}

// change changes a schedule as stored, if it is still what the request is about.
func (a *API) change(ctx context.Context, c *request.Call, found *record.Schedule, to func(*record.Schedule) error) (any, error) {
	changed, err := a.engine.Schedules().Update(ctx, c.At, found.ID, c.Caller.Actor, func(now *record.Schedule) error {
		if err := c.Match(edition(now)); err != nil {
			return err
		}
		return to(now)
	})
	if err != nil {
		return nil, request.Absent(err, "schedule")
	}
	return a.view.written(ctx, c, changed)
}

// remove removes a schedule. Its runs stay in the histories.
func (a *API) remove(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	err := a.store.Schedules().Delete(ctx, c.At, found.ID, c.Caller.Actor, func(now *record.Schedule) error { return c.Match(edition(now)) })
	if err != nil {
		return nil, request.Absent(err, "schedule")
	}
	return request.Deleted{ID: found.ID}, nil
}

// run makes a run of a schedule now.
func (a *API) run(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	run, err := a.engine.Schedules().Run(ctx, c.At, found, c.Caller.Actor)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return started(run), nil
}

// started is the answer with a run of a schedule.
func started(run *record.Run) request.Accepted {
	return request.Accepted{Value: map[string]any{"runId": run.ID, "reportId": run.ReportID}}
}

// showStarted answers as run did that made the run.
func (a *API) showStarted(ctx context.Context, c *request.Call, id string) (any, error) {
	run, err := a.store.Queue().Runs.Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "run")
	}
	return started(run), nil
}

// upsert creates the schedule with the path's key, or changes the one that has it.
func (a *API) upsert(ctx context.Context, c *request.Call) (any, error) {
	var in scheduleBody
	if err := a.finder.read(ctx, c, &in); err != nil {
		return nil, err
	}
	change := func(found *record.Schedule) error { return a.upsertOn(ctx, c, found, &in) }
	written, err := a.engine.Schedules().Upsert(ctx, c.At, c.Param("key"), c.Caller.Actor, change)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return a.view.written(ctx, c, written)
}

// upsertOn changes what was found by the key, if the caller may: a stored schedule, or one with nothing but the key.
func (a *API) upsertOn(ctx context.Context, c *request.Call, found *record.Schedule, in *scheduleBody) error {
	if found.ID == 0 {
		return a.startSchedule(ctx, c, found, in)
	}
	have, err := access.ReferredBy(a.store, c).OnSchedule(ctx, found)
	if err != nil {
		return err
	}
	if have < record.MayRead {
		return a.takenKey(ctx, c, found.Key, in)
	}
	if err := access.Demand(have, record.MayEdit, "schedule"); err != nil {
		return err
	}
	if err := c.Match(edition(found)); err != nil {
		return err
	}
	return a.rewrite(ctx, c, found, in)
}

// takenKey refuses an upsert by the key of a schedule that the caller may not read as it would refuse to create one.
func (a *API) takenKey(ctx context.Context, c *request.Call, key string, in *scheduleBody) error {
	made := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Key: key}}
	if err := a.startSchedule(ctx, c, made, in); err != nil {
		return err
	}
	if _, err := refresh.CheckSchedule(&made.ScheduleSpec); err != nil {
		return err
	}
	return storage.KeyTaken(key)
}

// startSchedule fills in a schedule that is created, if the caller may.
func (a *API) startSchedule(ctx context.Context, c *request.Call, made *record.Schedule, in *scheduleBody) error {
	if err := c.ExpectNone(in.expected); err != nil {
		return err
	}
	in.apply(&made.ScheduleSpec)
	if made.Target.ReportID != 0 {
		if err := access.Hold(ctx, a.store, c, made.Target.ReportID); err != nil {
			return err
		}
	}
	return a.finder.mayAim(ctx, c, made.Target)
}
