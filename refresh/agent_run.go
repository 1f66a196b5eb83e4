package refresh

import (
	"context"
	"sync"
	"time"
)

// Run fires schedules, watches the data of sources, works on runs and delivers events until ctx ends. It then takes nothing new and waits
// for the runs at work and the events that it has taken for at most the configured drain limit; runs that have not ended go back to the
// queue, and events that are not delivered are another agent's once they are overdue. It returns when nothing of it is left.
func (e *Engine) Run(ctx context.Context) error {
	work, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abort(nil)
	a := &agent{Engine: e, name: agentName(), slots: make(chan struct{}, e.workers), looks: make(chan struct{}, looksAtOnce), work: work, since: time.Now()}
	if err := a.prepare(ctx); err != nil {
		return nil //nolint:nilerr // ctx ended before the storage answered: there is nothing to drain
	}
	e.log.Info("agent started", "agent", a.name, "workers", e.workers)
	left := a.tellPresence(ctx)
	var loops sync.WaitGroup
	rounds := []round{{do: a.dispatchDue}, {do: a.takeNew}, {a.takeOrphans, e.rhythm.Sweep}, {a.forgetDead, forgetEvery}}
	for _, c := range a.webhookSenders() {
		rounds = append(rounds, round{do: c.deliver})
	}
	for _, w := range a.watchers() {
		rounds = append(rounds, round{do: w.Round})
	}
	for _, r := range rounds {
		loops.Go(func() { a.forever(ctx, r) })
	}
	<-ctx.Done()
	limit := time.AfterFunc(e.drainLimit, func() {
		e.log.Warn("drain limit reached: runs at work go back to the queue", "runIds", e.AtWork())
		abort(errDraining)
	})
	defer limit.Stop()
	loops.Wait()
	a.running.Wait()
	left()
	e.log.Info("agent ended", "agent", a.name)
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := e.queue.Queue.Leave(leave, a.name); err != nil {
		e.log.Warn("agent not taken off the queues", "agent", a.name, "error", err)
	}
	return nil
}
