package main

import (
	"context"
	"sync"

	"mooring/refresh"
)

// demoAgent is the demo's agent, which its user stops and starts.
type demoAgent struct {
	engine *refresh.Engine

	mu    sync.Mutex
	stop  context.CancelFunc // nil: stopped
	ended chan error
}

// start starts the agent unless it runs.
func (a *demoAgent) start(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return
	}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	a.ended = ended
	go func() { ended <- a.engine.Run(ctx) }()
}

// halt stops the agent, if it runs, and waits until it has ended what it does.
func (a *demoAgent) halt() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		return nil
	}
	a.stop()
	a.stop = nil
	return <-a.ended
}

func (a *demoAgent) running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stop != nil
}
