package fault

import (
	"sync"
	"time"
)

// Limit ends an attempt that has worked for too long. The time for which it waits for others does not count.
type Limit struct {
	mu    sync.Mutex
	left  time.Duration // of the time to work, when last paused
	since time.Time     // when it last went on; zero while it is paused
	timer *time.Timer
	end   func() // nil once stopped
}

// NewLimit returns a limit that goes on, and calls end after that much work.
func NewLimit(work time.Duration, end func()) *Limit {
	return &Limit{left: work, since: time.Now(), timer: time.AfterFunc(work, end), end: end}
}

func (l *Limit) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		return
	}
	l.timer.Stop()
	l.left -= time.Since(l.since)
	l.since = time.Time{}
}

func (l *Limit) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.since.IsZero() || l.end == nil {
		return
	}
	l.since = time.Now()
	l.timer = time.AfterFunc(l.left, l.end)
}

// Stop ends the limit itself.
func (l *Limit) Stop() {
	l.Pause()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = nil
}
