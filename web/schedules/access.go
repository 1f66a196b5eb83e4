package schedules

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// finder finds schedules, and judges what the caller may do with them and their targets.
type finder struct{ store *storage.Store }

// mayAim is maySchedule for a target that is new: its placement must be there.
func (f *finder) mayAim(ctx context.Context, c *request.Call, t record.RunTarget) error {
	if t.ReportID == 0 {
		return nil // the engine says what is missing, with everything else
	}
	report, err := f.maySchedule(ctx, c, t)
	if err != nil {
		return err
	}
	if !c.Caller.MaySchedule() {
		return placements.Errorf(placements.CodeForbidden,
			"This device or key was made for less than ReportEdit, and makes no schedules: sign in again with that, or refresh the report yourself.")
	}
	if err := access.OneTarget(t); err != nil || t.PlacementID == "" {
		return err
	}
	if _, ok := report.Find(t.PlacementID); !ok {
		return request.NotFound("placement")
	}
	return nil
}

// maySchedule is the access check of what makes a schedule refresh a target: edit access to its report, or read access when it names only
// placements of the caller (decisions.md §3). What of others stands in those, no run of the schedule overwrites.
func (f *finder) maySchedule(ctx context.Context, c *request.Call, t record.RunTarget) (*storage.Report, error) {
	caller := c.Caller
	report, err := f.store.Reports().Get(ctx, c.At, t.ReportID)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	if err := access.MayRead(caller, report); err != nil {
		return nil, err
	}
	if t, err = f.store.Sites().Aim(ctx, c.At.Tenant, t); err != nil {
		return nil, err
	}
	if caller.Level(&report.Definition) < record.MayEdit && t.NamesOthers(report.Places(), caller.ID) {
		return nil, placements.Errorf(placements.CodeForbidden,
			"Another person placed report %d there: a schedule for that needs edit access to the report; "+
				"name a placement of your own as placementId.", report.ID)
	}
	return report, nil
}

// readable loads the path's schedule if the caller may read it.
func (f *finder) readable(ctx context.Context, c *request.Call) (*record.Schedule, error) {
	return f.find(ctx, c, record.MayRead)
}

// editable loads the path's schedule if the caller may edit it.
func (f *finder) editable(ctx context.Context, c *request.Call) (*record.Schedule, error) {
	return f.find(ctx, c, record.MayEdit)
}

// runnable loads the path's schedule for a caller who may have its target refreshed.
func (f *finder) runnable(ctx context.Context, c *request.Call) (*record.Schedule, error) {
	return f.aimed(ctx, c, record.MayRead)
}

// resumable loads the path's schedule for a caller who may edit it, and have its target refreshed.
func (f *finder) resumable(ctx context.Context, c *request.Call) (*record.Schedule, error) {
	return f.aimed(ctx, c, record.MayEdit)
}

// keyed loads the schedule that has the path's key, if the caller may read it.
func (f *finder) keyed(ctx context.Context, c *request.Call) (*record.Schedule, error) {
	found, err := f.store.Schedules().ByKey(ctx, c.At, c.Param("key"))
	if err != nil {
		return nil, request.Absent(err, "schedule")
	}
	return f.judged(ctx, c, found, record.MayRead)
}

// aimed loads the path's schedule for a caller with that level on it, who may have its target refreshed.
func (f *finder) aimed(ctx context.Context, c *request.Call, want record.Level) (*record.Schedule, error) {
	found, err := f.find(ctx, c, want)
	if err != nil {
		return nil, err
	}
	_, err = f.maySchedule(ctx, c, found.Target)
	return found, err
}

// find loads the path's schedule for a caller with that level on it.
func (f *finder) find(ctx context.Context, c *request.Call, want record.Level) (*record.Schedule, error) {
	id, err := c.PathID("scheduleId", "schedule")
	if err != nil {
		return nil, err
	}
	return f.byID(ctx, c, id, want)
}

// byID loads the schedule with that id for a caller with that level on it.
func (f *finder) byID(ctx context.Context, c *request.Call, id int64, want record.Level) (*record.Schedule, error) {
	found, err := f.store.Schedules().Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "schedule")
	}
	return f.judged(ctx, c, found, want)
}

// judged is a schedule for a caller with that level on it.
func (f *finder) judged(ctx context.Context, c *request.Call, found *record.Schedule, want record.Level) (*record.Schedule, error) {
	have, err := access.ReferredBy(f.store, c).OnSchedule(ctx, found)
	if err != nil {
		return nil, err
	}
	return found, access.Demand(have, want, "schedule")
}
