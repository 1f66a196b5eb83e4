package web

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
)

// flights counts what is being answered. A draining server is idle when nothing is.
type flights struct {
	requests atomic.Int64  // without probes
	streams  atomic.Int64  // of events, each a request too
	closing  chan struct{} // closed when the server drains: open streams end
	idle     chan struct{} // closed when it drains and the last request has ended
	drained  sync.Once
	ended    sync.Once
	since    time.Time // when it began to drain
}

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

// refuse answers requests that come while the server drains.
func (s *Server) refuse(c *gin.Context) {
	if !s.flights.draining() || probing(c) {
		return
	}
	c.Header("Connection", "close")
	current(c).refused = true
	writeError(c, shuttingDown())
	c.Abort()
}

func shuttingDown() *placements.Error {
	e := placements.Errorf(placements.CodeUnavailable, "This instance of the service is shutting down: nothing was changed; try again.")
	e.RetryAfter = drainRetry
	return e
}
