package refresh

import (
	"context"

	"mooring/storage/record"
)

// Plan is storage.Store.Plan for a deployment with its time zone.
func (e *Engine) Plan(ctx context.Context, d record.Deployment, b *record.Bundle, by record.Actor) (*record.Plan, *record.Writes, error) {
	return e.records.Plan(ctx, d, b, by, e.timezone(d))
}

// ApplyPlan is storage.Store.ApplyPlan for a deployment with its time zone: the schedules that it writes fire when their times say.
func (e *Engine) ApplyPlan(ctx context.Context, d record.Deployment, id string, by record.Actor) (*record.PlanResult, error) {
	now, err := e.queue.Clock(ctx)
	if err != nil {
		return nil, err
	}
	next := func(c, before *record.Schedule) (record.Tick, error) {
		times, err := e.checkSchedule(d, &c.ScheduleSpec)
		switch {
		case err != nil:
			return record.Tick{}, err
		case before == nil:
			return comingTick(c, times, now), nil
		}
		return tickAfter(c, before.ScheduleSpec, times, now), nil
	}
	return e.records.ApplyPlan(ctx, d, id, by, e.timezone(d), next)
}
