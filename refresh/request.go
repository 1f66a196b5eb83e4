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
	run := &storage.Run{
		ReportID: r.Target.ReportID, PlacementID: r.Target.PlacementID, ExternalWorkbookID: r.Target.ExternalWorkbookID,
		OnEdit: string(r.OnEdit), ShiftRows: r.ShiftRows, RequestedBy: r.By, Placements: []storage.RunPlacement{},
	}
	if run.OnEdit == "" {
		run.OnEdit = string(Keep)
	}
	return run, e.store.Enqueue(ctx, d, run)
}
