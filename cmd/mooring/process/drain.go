package process

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"
)

// grace is how long requests and runs in flight may take after a signal.
const grace = 20 * time.Second

// drainEvery is how often the log says what a drain waits for.
const drainEvery = 5 * time.Second

// Serve answers requests on l, and works as an agent too if wanted, until ctx ends and both have drained. If one of them fails, the other
// is ended. Probes are answered until both have.
func (svc *Service) Serve(ctx context.Context, l net.Listener, agent bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open, shut := context.WithCancel(context.WithoutCancel(ctx))
	defer shut()
	served := make(chan error, 1)
	go func() {
		defer cancel()
		served <- svc.server.Serve(open, l, grace)
	}()
	var worked chan error
	if agent {
		worked = svc.work(ctx, cancel)
	}
	<-ctx.Done()
	err := svc.drain(worked)
	shut()
	return errors.Join(err, <-served)
}

// serveNothing works as an agent until ctx ends and the agent has drained.
func (svc *Service) serveNothing(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	worked := svc.work(ctx, cancel)
	<-ctx.Done()
	return svc.drain(worked)
}

// work starts the agent, and returns where it says how it ended.
func (svc *Service) work(ctx context.Context, ended func()) chan error {
	worked := make(chan error, 1)
	go func() {
		defer ended()
		worked <- svc.Engine.Run(ctx)
	}()
	return worked
}

// drain waits for the agent, nil for none, and for the requests in flight, for these no longer than grace. The log says what it waits for.
func (svc *Service) drain(worked <-chan error) (err error) {
	began := time.Now()
	svc.log.Info("draining", svc.inFlight()...)
	var idle <-chan struct{}
	if svc.server != nil {
		idle = svc.server.Drain()
	}
	if svc.operations != nil { // its /readyz says so too
		svc.operations.server.Drain()
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	ticker := time.NewTicker(drainEvery)
	defer ticker.Stop()
	cut := 0
	for worked != nil || idle != nil {
		select {
		case err = <-worked:
			worked = nil
		case <-idle:
			idle = nil
		case <-limit.C:
			if idle != nil {
				svc.log.Warn("drain limit reached: what is left of requests is cut", svc.inFlight()...)
				requests, streams := svc.server.InFlight()
				cut, idle = requests+streams, nil
			}
		case <-ticker.C:
			svc.log.Info("draining", svc.inFlight()...)
		}
	}
	svc.log.Info("drained", "cutRequests", cut, "durationMs", time.Since(began).Milliseconds())
	return err
}

// inFlight says what a drain waits for.
func (svc *Service) inFlight() []any {
	var attrs []any
	if svc.server != nil {
		requests, streams := svc.server.InFlight()
		attrs = append(attrs, slog.Int("requests", requests), slog.Int("streams", streams))
	}
	runs := svc.Engine.AtWork()
	return append(attrs, slog.Int("runs", len(runs)), slog.Any("runIds", runs))
}
