package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// lookAgain is how often Execute asks whether its run has ended, when another agent has it.
const lookAgain = 100 * time.Millisecond

// Execute makes a run, works on it until it has ended, and returns it. It works on no other run, and no agent takes this one as long as
// the process lives. When ctx ends the run is stopped. Errors are those of Start, and the *placements.Error CodeNothing.
func (e *Engine) Execute(ctx context.Context, d record.Deployment, r Request) (*record.Run, error) {
	report, err := e.records.Reports().Get(ctx, d, r.Target.ReportID)
	if err != nil {
		return nil, err
	}
	aimed, err := e.records.Sites().Aim(ctx, d.Tenant, r.Target)
	if err != nil {
		return nil, err
	}
	if err := aimed.Refreshable(&report.Definition, report.Places()); err != nil {
		return nil, err
	}
	run := r.run(ctx, 0)
	if err := e.queue.Queue.Hold(ctx, d, run); err != nil {
		return nil, err
	}
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(errStopped) })()
	for {
		asked := time.Now()
		begun, err := e.beginHeld(ctx, d, run)
		if errors.Is(err, queue.ErrEnded) {
			return e.await(ctx, d, run.ID)
		}
		if err != nil {
			return run, err
		}
		wait, completed := e.attempts.perform(work, d, begun, asked, document.NewCohort(1)[0])
		if !completed {
			return e.await(ctx, d, run.ID)
		}
		if run = begun.Run; run.EndedAt != "" {
			return run, nil
		}
		e.attempts.progress(run)(fmt.Sprintf("trying again in %s", wait.Round(time.Second)))
		_ = fault.Sleep(work, wait) // the next attempt ends a run that was stopped meanwhile
	}
}

func (e *Engine) beginHeld(ctx context.Context, d record.Deployment, run *record.Run) (*queue.Attempt, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
	defer cancel()
	return e.queue.Queue.BeginHeld(ctx, d, run)
}

// await waits until a run that another agent has taken over has ended. It is stopped when ctx ends.
func (e *Engine) await(ctx context.Context, d record.Deployment, id string) (*record.Run, error) {
	for {
		run, err := e.queue.Queue.Runs.Get(ctx, d, id)
		if err != nil || run.EndedAt != "" {
			return run, err
		}
		if err := fault.Sleep(ctx, lookAgain); err != nil {
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
			defer cancel()
			return run, errors.Join(err, e.queue.Queue.Runs.Stop(stop, d, id))
		}
	}
}

// Stop asks a run to stop, and ends it at once when an add-in works on it. Errors are those of storage.Store.Stop.
func (e *Engine) Stop(ctx context.Context, d record.Deployment, run *record.Run) error {
	if run.Executor != record.ExecutorClient {
		return e.queue.Queue.Runs.Stop(ctx, d, run.ID)
	}
	return e.clients.stop(ctx, d, run)
}

// Start enqueues a run and returns it; any agent works on it. Errors: storage.ErrNotFound without such a report, the
// *placements.Error CodeRunning.
func (e *Engine) Start(ctx context.Context, d record.Deployment, r Request) (*record.Run, error) {
	return r.enqueue(ctx, e.queue, d, 0)
}

// RunOrder is a request in a deployment of a tenant.
type RunOrder struct {
	DeploymentID int64
	Request
}

// StartAll enqueues the runs of a tenant in one step, so that one agent may write them together. runs and refused are as long as list;
// refused says why there is no run, as Start's error does.
func (e *Engine) StartAll(ctx context.Context, tenant string, list []RunOrder) (runs []*record.Run, refused []error, err error) {
	orders := make([]record.Order, len(list))
	for i, o := range list {
		runs = append(runs, o.run(ctx, 0))
		orders[i] = record.Order{DeploymentID: o.DeploymentID, Run: runs[i]}
	}
	refused, err = e.queue.Queue.Runs.Enqueue(ctx, tenant, orders...)
	return runs, refused, err
}
