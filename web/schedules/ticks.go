package schedules

import (
	"context"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// tickList is when schedules fire next.
type tickList struct {
	Items []tick `json:"items"` // the soonest first; never nil
}

// tick is the next one of a schedule.
type tick struct {
	ScheduleID int64            `json:"scheduleId"`
	Name       string           `json:"name"`
	Cron       []string         `json:"cron"`
	Timezone   string           `json:"timezone"`
	At         string           `json:"at"`
	Target     record.RunTarget `json:"target"`
	Names      *access.Titles   `json:"names,omitempty"` // nil: the report is gone
}

// ticks answers with the next tick of each of the schedules that fire soonest, of those that the caller may read.
func (v *view) ticks(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	list, err := v.store.Schedules().Upcoming(ctx, c.At)
	if err != nil {
		return nil, err
	}
	reports, out := access.ReferredBy(v.store, c), tickList{Items: []tick{}}
	readable := v.visible(ctx, c, reports)
	for _, one := range list {
		if len(out.Items) == first {
			break
		}
		if ok, err := readable(one); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, at := range refresh.NextFires(one, time.Now(), 1) {
			names, err := reports.OfTarget(ctx, one.Target)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, tick{one.ID, one.Name, one.Cron, one.Timezone, placements.Time(at), one.Target, names})
		}
	}
	return out, nil
}

// lastTick is what became of a tick.
type lastTick struct {
	RunID       string              `json:"runId"`
	FireTime    string              `json:"fireTime"`
	Trigger     record.Trigger      `json:"trigger"`
	State       placements.RunState `json:"state"`
	ErrorClass  placements.Class    `json:"errorClass,omitempty"`
	Error       string              `json:"error,omitempty"`
	MissedFires int                 `json:"missedFires,omitempty"`
}

// maxTicked is how many ticks of a schedule are told of; among so many runs they are looked for.
const (
	maxTicked   = 10
	maxTickedOf = 20
)

// ticked returns what became of a schedule's latest ticks where shows includes them, the latest first; nil else.
func (v *view) ticked(ctx context.Context, c *request.Call, found *record.Schedule, shows []string) ([]lastTick, error) {
	if !slices.Contains(shows, request.IncludeTicks) {
		return nil, nil
	}
	runs, err := v.store.Queue().Runs.LatestOfSchedule(ctx, c.At, found.ID, maxTickedOf)
	out := []lastTick{}
	for _, run := range runs {
		if len(out) < maxTicked && (run.Trigger == record.TriggerSchedule || run.Trigger == record.TriggerCatchUp) {
			out = append(out, lastTick{run.ID, run.FireTime, run.Trigger, run.State, run.ErrorClass, run.Error, run.MissedFires})
		}
	}
	return out, err
}
