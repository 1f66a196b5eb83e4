package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"mooring/web/request"
)

// The time-outs of the HTTP server. A handler that needs longer extends its own.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// reachProvider looks for the provider of identities in the background, until the function that it returns is called.
func (s *Server) reachProvider(ctx context.Context) (stop func()) {
	if s.provider == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { s.provider.Run(ctx, s.log) })
	return func() {
		cancel()
		running.Wait()
	}
}

// Serve answers requests on l until ctx ends, then takes no new ones and lets those in flight finish, until grace after the server began to
// drain.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       request.WithConn,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	defer s.reachProvider(ctx)()
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(request.PacedListener{Listener: l}) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	drain, cancel := context.WithDeadline(context.WithoutCancel(ctx), s.frame.Flights.Since().Add(grace))
	defer cancel()
	err := h.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close()
	}
	<-ended
	select {
	case <-s.Drain(): // event streams have taken their connections from h
	case <-drain.Done():
	}
	return err
}
