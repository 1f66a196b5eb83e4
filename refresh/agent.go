package refresh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/queue"
)

// The agent's rhythm.
const (
	forgetEvery = 10 * time.Minute // how often dead agents are taken off the queues
	deadAfter   = time.Hour        // how long an agent without entries may be silent
	dueLease    = 10 * time.Second // how long an agent that popped something may take to deal with it
	dueLimit    = 100              // popped at once from a partition
)

func agentName() string {
	name, err := os.Hostname()
	if err != nil {
		name = "agent"
	}
	return fmt.Sprintf("%s-%d-%s", name, os.Getpid(), rand.Text()[:8])
}

// prepare makes the queues, as soon as the storage takes writes.
func (a *agent) prepare(ctx context.Context) error {
	for out := false; ; {
		err := a.engine.queue.Queue.Prepare(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if out = a.engine.outage.Round(a.engine.log, out, err); err == nil {
			return nil
		}
		if !out {
			a.engine.log.Error("queues not made, trying again", "error", err)
		}
		if err := fault.Sleep(ctx, backOff); err != nil {
			return err
		}
	}
}

// round is what one of the agent's loops does again and again.
type round struct {
	do    func(context.Context) error
	every time.Duration // the pause after one that did not fail
}

// forever does rounds until ctx ends. An error that is no outage of the storage is logged once until it passes.
func (a *agent) forever(ctx context.Context, r round) {
	var out, failing bool
	for ctx.Err() == nil {
		err := r.do(ctx)
		if ctx.Err() != nil {
			return
		}
		if out = a.engine.outage.Round(a.engine.log, out, err); err == nil {
			failing = false
			_ = fault.Sleep(ctx, r.every)
			continue
		}
		if !out && !failing {
			a.engine.log.Error("agent loop failed, trying again", "error", err)
		}
		failing = !out
		_ = fault.Sleep(ctx, backOff)
		_ = a.engine.queue.Queue.Prepare(ctx) // a server that lost its data lost the consumer groups too
	}
}

// refuses returns why the storage takes no writes, if it did not let the last attempt begin: what is taken then has to wait until it counts
// as a dead agent's.
func (a *agent) refuses(ctx context.Context) error {
	if !a.refused.Load() {
		return nil
	}
	err := a.engine.records.Ready(ctx)
	if err == nil && a.refused.Swap(false) {
		a.engine.outage.Round(a.engine.log, true, nil)
	}
	return err
}

// notBegun logs that the storage did not let an attempt begin. During an outage, nothing is taken until it takes writes.
func (a *agent) notBegun(entry queue.Entry, err error) {
	level := slog.LevelError
	if errors.Is(err, storage.ErrUnavailable) {
		a.engine.outage.Round(a.engine.log, a.refused.Swap(true), err)
		level = slog.LevelDebug
	}
	a.engine.log.Log(a.work, level, "attempt not begun, another one will be", "run", entry.RunID, "error", err)
}

// takeNew takes entries as long as there are free slots, and starts an attempt for each.
func (a *agent) takeNew(ctx context.Context) error {
	if err := a.refuses(ctx); err != nil {
		return err
	}
	if err := a.slot(ctx); err != nil {
		return err
	}
	<-a.slots
	asked := time.Now()
	list, err := a.engine.queue.Queue.Take(ctx, a.name, cap(a.slots)-len(a.slots), a.engine.rhythm.Take)
	a.start(ctx, list, asked)
	return err
}

// takeOrphans does the same with the entries of agents that died.
func (a *agent) takeOrphans(ctx context.Context) error {
	if err := a.refuses(ctx); err != nil {
		return err
	}
	if err := a.slot(ctx); err != nil {
		return err
	}
	<-a.slots
	until, may := a.contact.judges()
	if !may {
		return nil
	}
	asked := time.Now()
	list, err := a.engine.queue.Queue.Orphans(ctx, a.name, orphanAfter, until, max(1, (cap(a.slots)-len(a.slots))/4))
	a.start(ctx, list, asked)
	return err
}

// forgetDead takes the names of agents that died off the queues.
func (a *agent) forgetDead(ctx context.Context) error {
	return a.engine.queue.Queue.ForgetDead(ctx, deadAfter)
}

// slot waits for a free slot and takes it.
func (a *agent) slot(ctx context.Context) error {
	select {
	case a.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start starts an attempt for each entry taken after asked, when a slot is free; those that start together are a cohort. Those that
// wait too long are left: they are found as orphans, by this agent too, and would be worked on twice.
func (a *agent) start(ctx context.Context, list []queue.Entry, asked time.Time) {
	for len(list) > 0 {
		n := a.free(ctx, len(list))
		if n == 0 {
			return // Leave hands the rest to the others
		}
		if time.Since(asked) >= orphanAfter {
			for range n {
				<-a.slots
			}
			return
		}
		for i, m := range document.NewCohort(n) {
			entry := list[i]
			a.running.Go(func() {
				defer func() { <-a.slots }()
				a.begin(a.work, entry, m)
			})
		}
		list = list[n:]
	}
}

// free waits for a free slot and takes up to limit of them. It returns 0 when ctx ends.
func (a *agent) free(ctx context.Context, limit int) int {
	if a.slot(ctx) != nil {
		return 0
	}
	for n := 1; n < limit; n++ {
		select {
		case a.slots <- struct{}{}:
		default:
			return n
		}
	}
	return limit
}

// agent is one worker process: it fires what is due and works on what is queued.
type agent struct {
	engine  *Engine
	name    string
	slots   chan struct{} // one a run at work
	looks   chan struct{} // one a document that is looked for
	running sync.WaitGroup
	since   time.Time
	contact contact
	refused atomic.Bool     // the storage did not let the last attempt begin
	work    context.Context // of what the agent has begun: ends when the drain limit is over
}

// begin works on an entry.
func (a *agent) begin(ctx context.Context, entry queue.Entry, m *document.Peer) {
	defer m.Ready()
	asked := time.Now()
	taken := a.engine.attempts.keeper.keep(ctx, a.engine.queue.Queue.Pulse(a.name, entry), func(error) {}) // to begin may take long where many do
	begun, err := a.engine.queue.Queue.Begin(ctx, a.name, entry)
	taken()
	if errors.Is(err, queue.ErrEnded) {
		return
	}
	if err != nil {
		a.notBegun(entry, err)
		return
	}
	a.engine.observeBegin(begun)
	defer a.engine.present.begin(entry.Deployment, begun.Run)()
	a.engine.attempts.perform(ctx, entry.Deployment, begun, asked, m)
	a.engine.attempts.results.Runs.Collect()
}
