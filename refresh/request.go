package refresh

import (
	"context"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Request asks for a run now.
type Request struct {
	Target   record.RunTarget
	Executor record.Executor
	placements.Options
	WriteOver bool   // see record.Run
	Restores  string // the run whose change is to be put back; empty: none
	By        record.Actor
}

// enqueue makes the run of r, in the history of a schedule, 0 for none.
func (r Request) enqueue(ctx context.Context, q *work.Work, d record.Deployment, schedule int64) (*record.Run, error) {
	run := r.run(ctx, schedule)
	refused, err := q.Queue.Runs.Enqueue(ctx, d.Tenant, record.Order{DeploymentID: d.ID, Run: run})
	if err != nil {
		return nil, err
	}
	return run, refused[0]
}

// run is what r asks for, in the trace of ctx.
func (r Request) run(ctx context.Context, schedule int64) *record.Run {
	return &record.Run{
		ScheduleID: schedule, Trace: trace.Parent(ctx),
		ReportID: r.Target.ReportID, PlacementID: r.Target.PlacementID, ExternalWorkbookID: r.Target.ExternalWorkbookID,
		Executor: r.Executor, Options: r.Options, WriteOver: r.WriteOver, Restores: r.Restores, RequestedBy: r.By, Placements: []record.RunPlacement{},
	}
}
