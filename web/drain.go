package web

import (
	"time"

	"mooring/placements"
)

func newFlights() *flights {
	return &flights{closing: make(chan struct{}), idle: make(chan struct{})}
}

// draining reports whether the server takes no new requests any more.
func (f *flights) draining() bool {
	select {
	case <-f.closing:
		return true
	default:
		return false
	}
}

// begin counts a request; end must be called when it is answered.
func (f *flights) begin() { f.requests.Add(1) }

func (f *flights) end() {
	if f.requests.Add(-1) == 0 && f.draining() {
		f.ended.Do(func() { close(f.idle) })
	}
}

// Drain makes the server take no new requests: open event streams end, /readyz says so, and a client that comes is told to try again. idle
// is closed when no request is left. It may be called again.
func (s *Server) Drain() (idle <-chan struct{}) {
	f := s.flights
	f.drained.Do(func() {
		f.since = time.Now()
		close(f.closing)
	})
	if f.requests.Load() == 0 {
		f.ended.Do(func() { close(f.idle) })
	}
	return f.idle
}

// InFlight returns how many requests are being answered, without probes and streams, and how many event streams are open.
func (s *Server) InFlight() (requests, streams int) {
	streams = int(s.flights.streams.Load())
	return max(0, int(s.flights.requests.Load())-streams), streams
}

// drainRetry is how long a client of a draining server waits before it retries: that reaches another instance, or the next one here.
const drainRetry = time.Second

func shuttingDown() *placements.Error {
	e := placements.Errorf(placements.CodeUnavailable, "This instance of the service is shutting down: nothing was changed; try again.")
	e.RetryAfter = drainRetry
	return e
}
