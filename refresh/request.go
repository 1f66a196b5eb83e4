package refresh

import (
	"context"

	"mooring/storage"
)

// Request asks for a run now.
type Request struct {
	Target    storage.RunTarget
	OnEdit    OnEdit // empty: Keep
	ShiftRows bool   // rows of cells may be inserted and deleted where the host can
	By        storage.Actor
}

// Start enqueues a run and returns it; any agent works on it. Errors: storage.ErrNotFound without such a report, *storage.Conflict
// run_in_progress.
func (e *Engine) Start(ctx context.Context, d storage.Deployment, r Request) (*storage.Run, error) {
	return e.start(ctx, d, 0, r)
}

// start is Start for a run that belongs to the history of a schedule, 0 for none.
func (e *Engine) start(ctx context.Context, d storage.Deployment, schedule int64, r Request) (*storage.Run, error) {
	run := newManual(schedule, r)
	return run, e.store.Enqueue(ctx, d, run)
}

// newManual is the run that r asks for.
func newManual(schedule int64, r Request) *storage.Run {
	run := &storage.Run{
		ScheduleID: schedule,
		ReportID:   r.Target.ReportID, PlacementID: r.Target.PlacementID, ExternalWorkbookID: r.Target.ExternalWorkbookID,
		OnEdit: string(r.OnEdit), ShiftRows: r.ShiftRows, RequestedBy: r.By, Placements: []storage.RunPlacement{},
	}
	if run.OnEdit == "" {
		run.OnEdit = string(Keep)
	}
	return run
}
