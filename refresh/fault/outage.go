package fault

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"mooring/storage"
)

// Outage is the time for which the storage does not answer: one line in the log when it begins and one when it is over, whatever fails
// because of it meanwhile.
type Outage struct {
	mu     sync.Mutex
	since  time.Time // zero: there is none
	loops  int       // of the agent, whose last rounds failed because of it
	failed int       // rounds and attempts
}

// Caused reports whether the storage does not answer is what err says. It is counted then, and the first one is logged.
func (o *Outage) Caused(log *slog.Logger, err error) bool {
	if !errors.Is(err, storage.ErrUnavailable) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed++; o.since.IsZero() {
		o.since = time.Now()
		log.Error("agent waits for the storage", "error", err)
	}
	return true
}

// Level is that of a line about an error: the line of the outage stands for those that it caused.
func (o *Outage) Level(log *slog.Logger, err error) slog.Level {
	if o.Caused(log, err) {
		return slog.LevelDebug
	}
	return slog.LevelError
}

// Round notes how a round of a loop ended, by the outage or not, as the one before did. The outage is over when no loop fails because of it any more.
func (o *Outage) Round(log *slog.Logger, before bool, err error) (out bool) {
	out = o.Caused(log, err)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case out && !before:
		o.loops++
	case before && !out:
		o.loops--
	}
	if o.loops == 0 && !o.since.IsZero() {
		log.Info("storage answers again", "failed", o.failed, "durationMs", time.Since(o.since).Milliseconds())
		o.since, o.failed = time.Time{}, 0
	}
	return out
}
