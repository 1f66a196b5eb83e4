package request

import (
	"sync"
	"sync/atomic"
	"time"

	"mooring/placements"
)

// Flights counts what is being answered. A draining server is idle when nothing is.
type Flights struct {
	requests atomic.Int64  // without probes
	streams  atomic.Int64  // of events, each a request too
	closing  chan struct{} // closed when the server drains: open streams end
	idle     chan struct{} // closed when it drains and the last request has ended
	drained  sync.Once
	ended    sync.Once
	since    time.Time // when it began to drain
}

// NewFlights returns one that counts nothing yet.
func NewFlights() *Flights {
	return &Flights{closing: make(chan struct{}), idle: make(chan struct{})}
}

// Draining reports whether the server takes no new requests any more.
func (f *Flights) Draining() bool {
	select {
	case <-f.closing:
		return true
	default:
		return false
	}
}

// begin counts a request; End must be called when it is answered.
func (f *Flights) begin() { f.requests.Add(1) }

// End counts a request as answered.
func (f *Flights) End() {
	if f.requests.Add(-1) == 0 && f.Draining() {
		f.ended.Do(func() { close(f.idle) })
	}
}

// Closing is closed when the server drains.
func (f *Flights) Closing() <-chan struct{} { return f.closing }

// Since is when the server began to drain.
func (f *Flights) Since() time.Time { return f.since }

// Stream counts an event stream as one more or, with -1, as one less.
func (f *Flights) Stream(n int64) { f.streams.Add(n) }

// Drain makes the server take no new requests: open event streams end, /readyz says so, and a client that comes is told to try again. idle
// is closed when no request is left. It may be called again.
func (f *Flights) Drain() (idle <-chan struct{}) {
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
func (f *Flights) InFlight() (requests, streams int) {
	streams = int(f.streams.Load())
	return max(0, int(f.requests.Load())-streams), streams
}

// drainRetry is how long a client of a draining server waits before it retries: that reaches another instance, or the next one here.
const drainRetry = time.Second

// ShuttingDown is the 503 of a draining server.
func ShuttingDown() *placements.Error {
	e := placements.Errorf(placements.CodeUnavailable, "This instance of the service is shutting down: nothing was changed; try again.")
	e.RetryAfter = drainRetry
	return e
}
