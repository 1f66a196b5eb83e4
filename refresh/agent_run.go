package refresh

import (
	"context"
	"sync"
	"time"

	"mooring/refresh/notify"
	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/watch"
	"mooring/storage/record"
)

// Run fires schedules, watches the data of sources, works on runs and delivers events until ctx ends. It then takes nothing new and waits
// for the runs at work and the events that it has taken for at most the configured drain limit; runs that have not ended go back to the
// queue, and events that are not delivered are another agent's once they are overdue. It returns when nothing of it is left.
func (e *Engine) Run(ctx context.Context) error {
	work, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abort(nil)
	a := &agent{engine: e, name: agentName(), slots: make(chan struct{}, e.workers), looks: make(chan struct{}, looksAtOnce), work: work, since: time.Now()}
	a.contact.longest = 5 * e.rhythm.Sweep
	if err := a.prepare(ctx); err != nil {
		return nil //nolint:nilerr // ctx ended before the storage answered: there is nothing to drain
	}
	e.log.Info("agent started", "agent", a.name, "workers", e.workers)
	left := a.tellPresence(ctx)
	var loops sync.WaitGroup
	rounds := []round{{do: a.dispatchDue}, {do: a.takeNew}, {a.listen, e.rhythm.Sweep}, {a.takeOrphans, e.rhythm.Sweep}, {a.forgetDead, forgetEvery}}
	for _, s := range a.senders() {
		rounds = append(rounds, round{do: func(ctx context.Context) error { return s.Deliver(ctx, work) }})
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

// senders are those of every webhook in the configuration.
func (a *agent) senders() (list []*notify.Sender) {
	client := notify.NewClient()
	for tenant, t := range a.engine.tenants {
		for id, d := range t.Deployments {
			for _, hook := range d.Webhooks {
				list = append(list, &notify.Sender{
					Hook: hook, To: record.Subscription{Deployment: record.Deployment{Tenant: tenant, ID: id}, Name: hook.Name()}, Queue: a.engine.queue,
					Agent: a.name, Log: a.engine.log, Tracer: a.engine.tracer, Observe: a.engine.observe, Client: client, Patience: notify.Patience,
				})
			}
		}
	}
	return list
}

// watchers are those of every probe in the configuration.
func (a *agent) watchers() (list []*probe.Watcher) {
	for tenant, t := range a.engine.tenants {
		for id, d := range t.Deployments {
			prober, ok := d.Source.(source.Prober)
			if !ok {
				continue
			}
			for _, f := range d.Freshness {
				s := &watch.Watch{
					Freshness: f, Of: record.Deployment{Tenant: tenant, ID: id}, Prober: prober, Agent: a.name, Queue: a.engine.queue, Records: a.engine.records,
					Runs: a.engine.schedules, Log: a.engine.log, Calls: a.engine.calls, Limit: a.engine.attempts.runLimit,
				}
				list = append(list, s.Watcher())
			}
		}
	}
	return list
}
