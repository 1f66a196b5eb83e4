package refresh

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// Request asks for a run now.
type Request struct {
	Target record.RunTarget
	placements.Options
	ShiftRows bool // rows of cells may be inserted and deleted where the host can
	By        record.Actor
}

// Start enqueues a run and returns it; any agent works on it. Errors: storage.ErrNotFound without such a report, the
// *placements.Error CodeRunning.
func (e *Engine) Start(ctx context.Context, d storage.Deployment, r Request) (*record.Run, error) {
	return e.start(ctx, d, 0, r)
}

// Order is a request in a deployment of a tenant.
type Order struct {
	DeploymentID int64
	Request
}

// StartAll enqueues the runs of a tenant in one step, so that one agent may write them together. runs and refused are as long as list;
// refused says why there is no run, as Start's error does.
func (e *Engine) StartAll(ctx context.Context, tenant string, list []Order) (runs []*record.Run, refused []error, err error) {
	orders := make([]record.Order, len(list))
	for i, o := range list {
		runs = append(runs, o.run(0))
		orders[i] = record.Order{DeploymentID: o.DeploymentID, Run: runs[i]}
	}
	refused, err = e.queue.EnqueueAll(ctx, tenant, orders)
	return runs, refused, err
}

// start is Start for a run that belongs to the history of a schedule, 0 for none.
func (e *Engine) start(ctx context.Context, d storage.Deployment, schedule int64, r Request) (*record.Run, error) {
	run := r.run(schedule)
	return run, e.queue.Enqueue(ctx, d, run)
}

// run is what r asks for.
func (r Request) run(schedule int64) *record.Run {
	return &record.Run{
		ScheduleID: schedule,
		ReportID:   r.Target.ReportID, PlacementID: r.Target.PlacementID, ExternalWorkbookID: r.Target.ExternalWorkbookID,
		Options: r.Options, ShiftRows: r.ShiftRows, RequestedBy: r.By, Placements: []record.RunPlacement{},
	}
}
