package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

// lookAgain is how often Execute asks whether its run has ended, when another agent has it.
const lookAgain = 100 * time.Millisecond

// beginLimit bounds how long Execute waits for a storage that does not answer.
const beginLimit = 10 * time.Second

// Execute makes a run, works on it until it has ended, and returns it. It works on no other run, and no agent takes this one as long as
// the process lives. When ctx ends the run is stopped. Errors are those of Start, and the *placements.Error CodeNothing.
func (e *Engine) Execute(ctx context.Context, d storage.Deployment, r Request) (*record.Run, error) {
	report, err := e.records.Report(ctx, d, r.Target.ReportID)
	if err != nil {
		return nil, err
	}
	if err := r.Target.Refreshable(&report.Definition, report.Places()); err != nil {
		return nil, err
	}
	run := r.run(0)
	if err := e.queue.Hold(ctx, d, run); err != nil {
		return nil, err
	}
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(errStopped) })()
	for {
		begun, err := e.beginHeld(ctx, d, run)
		if errors.Is(err, storage.ErrEnded) {
			return e.await(ctx, d, run.ID)
		}
		if err != nil {
			return run, err
		}
		wait, completed := e.perform(work, d, begun, newCohort(1)[0])
		if !completed {
			return e.await(ctx, d, run.ID)
		}
		if run = begun.Run; run.EndedAt != "" {
			return run, nil
		}
		e.progress(run)(fmt.Sprintf("trying again in %s", wait.Round(time.Second)))
		_ = sleep(work, wait) // the next attempt ends a run that was stopped meanwhile
	}
}

func (e *Engine) beginHeld(ctx context.Context, d storage.Deployment, run *record.Run) (*storage.RunAttempt, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
	defer cancel()
	return e.queue.BeginHeld(ctx, d, run)
}

// await waits until a run that another agent has taken over has ended. It is stopped when ctx ends.
func (e *Engine) await(ctx context.Context, d storage.Deployment, id string) (*record.Run, error) {
	for {
		run, err := e.records.Run(ctx, d, id)
		if err != nil || run.EndedAt != "" {
			return run, err
		}
		if err := sleep(ctx, lookAgain); err != nil {
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
			defer cancel()
			return run, errors.Join(err, e.records.Stop(stop, d, id))
		}
	}
}
