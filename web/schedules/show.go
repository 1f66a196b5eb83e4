package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/history"
	"mooring/web/request"
)

// view shows schedules.
type view struct {
	store  *storage.Store
	engine *refresh.Engine
	log    *slog.Logger
	finder *finder
}

// edition is the version of a schedule that ETags name.
func edition(s *record.Schedule) request.Edition {
	return request.Edition{Kind: "schedule", Deployment: s.DeploymentID, ID: s.ID, CreatedAt: s.CreatedAt, Version: s.Version}
}

// shownFires is how many of a schedule's next fires are shown.
const shownFires = 5

// encode returns the wire form of a schedule, whose report is among reports.
func (v *view) encode(ctx context.Context, c *request.Call, found *record.Schedule, reports *access.Referred, shows []string) ([]byte, error) {
	report, err := reports.Report(ctx, found.Target.ReportID)
	if err != nil {
		return nil, err
	}
	fires := []string{}
	for _, at := range refresh.NextFires(found, time.Now(), shownFires) {
		fires = append(fires, placements.Time(at))
	}
	last := json.RawMessage("null")
	if found.LastRunID != "" {
		run, err := v.store.Queue().Runs.Get(ctx, c.At, found.LastRunID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		if run != nil {
			if err := history.HideAll(ctx, v.store, c, []*record.Run{run}); err != nil {
				return nil, err
			}
			if last, err = record.EncodeBytes(run); err != nil {
				return nil, err
			}
		}
	}
	names, err := namesOf(ctx, found, reports, shows)
	if err != nil {
		return nil, err
	}
	ticks, err := v.ticked(ctx, c, found, shows)
	if err != nil {
		return nil, err
	}
	return record.EncodeBytes(struct {
		*record.Schedule
		Owner     int64           `json:"owner"`
		Target    target          `json:"target"`
		NextFires []string        `json:"nextFires"`
		LastRun   json.RawMessage `json:"lastRun"`
		Names     *access.Titles  `json:"names,omitempty"`
		LastTicks []lastTick      `json:"lastTicks,omitzero"`
	}{found, found.Owner.ID, showTarget(found.Target, report), fires, last, names, ticks})
}

// namesOf returns the names of a schedule where shows includes them; nil too for one whose report is gone.
func namesOf(ctx context.Context, found *record.Schedule, reports *access.Referred, shows []string) (*access.Titles, error) {
	if !slices.Contains(shows, request.IncludeNames) {
		return nil, nil
	}
	names, err := reports.OfTarget(ctx, found.Target)
	if names != nil {
		names.Owner = new(found.Owner.User())
	}
	return names, err
}

// show answers with a schedule, its next fires and its last run.
func (v *view) show(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	shows, err := c.Included(request.IncludeNames, request.IncludeTicks)
	if err != nil {
		return nil, err
	}
	body, err := v.encode(ctx, c, found, access.ReferredBy(v.store, c), shows)
	return request.Tagged{Edition: edition(found), Effect: found.Effect, JSON: body}, err
}

// list answers with the schedules that the caller may read, by id.
func (v *view) list(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	q := record.ListQuery{First: first, After: c.Query("after")}
	if q.Schedules, err = filter(c); err != nil {
		return nil, err
	}
	shows, err := c.Included(request.IncludeNames, request.IncludeTicks)
	if err != nil {
		return nil, err
	}
	reports := access.ReferredBy(v.store, c)
	p, err := v.store.Schedules().List(ctx, c.At, q, v.visible(ctx, c, reports))
	if err != nil {
		return nil, err
	}
	return request.EncodedPage(p.Items, p.HasNextPage, p.EndCursor, func(one *record.Schedule) ([]byte, error) { return v.encode(ctx, c, one, reports, shows) })
}

// visible reports of schedules whether the caller may read them, asking once for each report and maker. One whose report cannot
// be read is logged and left out.
func (v *view) visible(ctx context.Context, c *request.Call, reports *access.Referred) func(*record.Schedule) (bool, error) {
	type asked struct{ report, maker int64 }
	known := map[asked]bool{}
	return func(one *record.Schedule) (bool, error) {
		key := asked{one.Target.ReportID, one.CreatedBy}
		if readable, ok := known[key]; ok {
			return readable, nil
		}
		have, err := reports.OnSchedule(ctx, one)
		if err != nil && request.AsError(err).Code == placements.CodeInternal {
			v.log.Error("report of a schedule cannot be read", "request", c.ID, "tenant", c.Caller.Tenant, "schedule", one.ID, "error", err)
			have, err = record.MayNothing, nil
		}
		known[key] = have >= record.MayRead
		return known[key], err
	}
}

// runs answers with the latest runs of a schedule, those of a deleted one too.
func (v *view) runs(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("scheduleId", "schedule")
	if err != nil {
		return nil, err
	}
	runs, err := v.store.Queue().Runs.OfSchedule(ctx, c.At, id)
	if err != nil {
		return nil, err
	}
	readable := v.visible(ctx, c, access.ReferredBy(v.store, c))
	mine := runs[:0]
	for _, run := range runs {
		made := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Target: run.Target()}, CreatedBy: run.RequestedBy.ID}
		ok, err := readable(made)
		if err != nil {
			return nil, err
		}
		if ok {
			mine = append(mine, run)
		}
	}
	if len(mine) == 0 {
		if _, err := v.finder.readable(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := history.HideAll(ctx, v.store, c, mine); err != nil {
		return nil, err
	}
	return history.Page(c, mine)
}

// filter reads the filters of a list of schedules. The older name of report is reportId.
func filter(c *request.Call) (f record.ScheduleFilter, err error) {
	for _, one := range []struct {
		name string
		into *int64
	}{{"reportId", &f.Report}, {"report", &f.Report}, {"owner", &f.Owner}} {
		id, err := c.QueryID(one.name)
		if err != nil {
			return f, err
		}
		if id != nil {
			*one.into = *id
		}
	}
	switch paused := c.Query("paused"); paused {
	case "":
	case "true", "false":
		f.Paused = placements.Sent(paused == "true")
	default:
		return f, placements.Errorf(placements.CodeParameter, "paused must be true or false.")
	}
	f.Key = c.Query("key")
	return f, nil
}
