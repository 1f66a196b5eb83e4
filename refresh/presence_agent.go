package refresh

import (
	"context"
	"os"
	"sync"
	"time"

	"mooring/storage/record"
)

// AtWork returns the ids of the runs that agents of this process work on, the longest first.
func (e *Engine) AtWork() []string {
	ids := []string{}
	for _, run := range e.present.atWork() {
		ids = append(ids, run.RunID)
	}
	return ids
}

// about is what the agent tells of itself now.
func (a *agent) about() *record.Agent {
	host, _ := os.Hostname() // empty where there is none
	return &record.Agent{
		ID: a.name, Host: host, Version: a.engine.version, StartedAt: a.since, Capacity: cap(a.slots), Runs: a.engine.present.atWork(),
	}
}

// tellPresence tells now and then that the agent is there; once ctx has ended, that it drains. left ends that, and tells that the agent has
// left.
func (a *agent) tellPresence(ctx context.Context) (left func()) {
	lasting := context.WithoutCancel(ctx)
	beating, end := context.WithCancel(lasting)
	var told sync.WaitGroup
	told.Go(func() {
		drains := ctx.Done()
		ticker := time.NewTicker(a.engine.rhythm.Beat)
		defer ticker.Stop()
		for beating.Err() == nil {
			now := a.about()
			now.Draining = ctx.Err() != nil
			a.beat(beating, now)
			select {
			case <-ticker.C:
			case <-drains:
				drains = nil
			case <-beating.Done():
			}
		}
	})
	return func() {
		end()
		told.Wait()
		last := a.about()
		last.Left = true
		ctx, cancel := context.WithTimeout(lasting, goodbye)
		defer cancel()
		a.beat(ctx, last)
	}
}

// beat tells about the agent. That the storage does not answer, the agent's loops say.
func (a *agent) beat(ctx context.Context, about *record.Agent) {
	if err := a.engine.queue.Queue.Agents.Beat(ctx, about); err != nil {
		a.engine.log.DebugContext(ctx, "agent's presence not told", "error", err)
	}
}
