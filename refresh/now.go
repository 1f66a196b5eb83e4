package refresh

import (
	"context"
	"time"

	"mooring/storage"
)

// lookAgain is how often Now asks whether its run has ended.
const lookAgain = 100 * time.Millisecond

// Now makes a run, works as an agent until that run has ended, and returns it. Another agent may take the run; other runs may be worked on
// meanwhile. When ctx ends first, the run goes on by itself and ctx's error is returned. Errors are those of Start, and *storage.Conflict
// nothing_to_refresh.
func (e *Engine) Now(ctx context.Context, d storage.Deployment, r Request) (*storage.Run, error) {
	report, err := e.store.Report(ctx, d, r.Target.ReportID)
	if err != nil {
		return nil, err
	}
	if err := r.Target.Refreshable(report); err != nil {
		return nil, err
	}
	run, err := e.Start(ctx, d, r)
	if err != nil {
		return nil, err
	}
	agent, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(agent) }()
	run, err = e.await(ctx, d, run.ID)
	end()
	<-ended
	return run, err
}

// await waits until a run has ended.
func (e *Engine) await(ctx context.Context, d storage.Deployment, id string) (*storage.Run, error) {
	for {
		run, err := e.store.Run(ctx, d, id)
		if err != nil || run.EndedAt != "" {
			return run, err
		}
		if err := sleep(ctx, lookAgain); err != nil {
			return run, err
		}
	}
}
