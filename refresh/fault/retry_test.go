package fault

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"mooring/placements"
)

func TestNextTry(t *testing.T) {
	const almost = 0.999999
	start := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	locked, held := placements.ReasonLocked, placements.ReasonHeld
	for _, tt := range []struct {
		name       string
		class      placements.Class
		reason     placements.Reason
		retryAfter time.Duration
		waited     time.Duration
		run        time.Duration // since its run began, if that is less
		jitter     float64
		wait       time.Duration // rounded up to seconds
		never      bool
		missing    bool
		err        error
	}{
		{name: "the first wait is at most 4 s", class: placements.Transient, jitter: almost, wait: 4 * time.Second},
		{name: "and at least half of that", class: placements.Transient, wait: 2 * time.Second},
		{name: "a later one at most twice what was waited", class: placements.Transient, waited: 20 * time.Second, jitter: almost, wait: 40 * time.Second},
		{name: "and at least as long", class: placements.Transient, waited: 20 * time.Second, wait: 20 * time.Second},
		{name: "no wait is longer than 2 minutes", class: placements.Transient, waited: 10 * time.Minute, jitter: almost, wait: 2 * time.Minute},
		{
			name: "a quota waits as long as the host asks", class: placements.Quota, retryAfter: 50 * time.Second, jitter: almost,
			wait: 50 * time.Second,
		},
		{name: "or longer", class: placements.Quota, retryAfter: time.Second, waited: 8 * time.Second, jitter: almost, wait: 16 * time.Second},
		{name: "beyond the horizon it is not", class: placements.Transient, waited: 14 * time.Minute, jitter: almost, never: true},
		{
			name: "unless a newer run tries it", class: placements.Transient, waited: 3 * time.Hour, run: time.Minute, jitter: almost,
			wait: 2 * time.Minute,
		},
		{name: "a quota is waited for beyond it", class: placements.Quota, waited: 20 * time.Hour, jitter: almost, wait: 2 * time.Minute},
		{name: "but not for ever", class: placements.Quota, waited: 24 * time.Hour, jitter: almost, never: true},
		{name: "whichever run tries it", class: placements.Quota, waited: 24 * time.Hour, run: time.Minute, jitter: almost, never: true},
		{name: "one that lifts only after two days is waited for", class: placements.Quota, retryAfter: 48 * time.Hour, wait: 48 * time.Hour},
		{name: "once", class: placements.Quota, retryAfter: 48 * time.Hour, waited: 48 * time.Hour, never: true},
		{
			name: "a locked document is waited for", class: placements.Transient, reason: locked, waited: 23 * time.Hour, jitter: almost,
			wait: 2 * time.Minute,
		},
		{name: "for a day", class: placements.Transient, reason: locked, waited: 24 * time.Hour, jitter: almost, never: true},
		{name: "one that a run writes is asked for often", class: placements.Transient, reason: held, waited: time.Hour, jitter: almost, wait: 30 * time.Second},
		{
			name: "a missing file is waited for as long", class: placements.Transient, missing: true, waited: 23 * time.Hour,
			jitter: almost, wait: 10 * time.Minute,
		},
		{name: "but no longer", class: placements.Transient, missing: true, waited: 24 * time.Hour, jitter: almost, never: true},
		{
			name: "a missing file of a source is a source that is down", class: placements.Transient, reason: placements.ReasonSource, err: fs.ErrNotExist,
			waited: 14 * time.Minute, jitter: almost, never: true,
		},
		{name: "auth is not tried again", class: placements.Auth, never: true},
		{name: "nor structure", class: placements.Structure, never: true},
		{name: "nor a conflict", class: placements.Conflict, never: true},
		{name: "nor what is permanent, whatever it asks for", class: placements.Permanent, retryAfter: time.Second, never: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := start.Add(tt.waited)
			f := &placements.Fault{Class: tt.class, Reason: tt.reason, RetryAfter: tt.retryAfter, Err: tt.err}
			if tt.missing {
				f.Reason, f.Err = placements.ReasonMissing, fs.ErrNotExist
			}
			w := Wait{Since: start, Began: start}
			if tt.run != 0 {
				w.Began = now.Add(-tt.run)
			}
			at, again := NextTry(f, w, now, tt.jitter)
			if again == tt.never {
				t.Fatalf("again is %t", again)
			}
			if got := at.Sub(now); again && (got > tt.wait || got < tt.wait-time.Second) {
				t.Errorf("the wait is %s, want %s", got, tt.wait)
			}
		})
	}
}

// Whatever the jitter, an outage of ten minutes is survived, with few attempts.
func TestRetriesSpanTheHorizon(t *testing.T) {
	start := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	for _, jitter := range []float64{0, 0.3, 0.7, 0.999} {
		now, attempts := start, 1
		for ; ; attempts++ {
			at, again := NextTry(&placements.Fault{Class: placements.Transient}, Wait{Since: start, Began: start}, now, jitter)
			if !again {
				break
			}
			now = at
		}
		if got := now.Sub(start); got < 10*time.Minute || got > RetryHorizon || attempts > 30 {
			t.Errorf("with jitter %.3f the last of %d attempts is after %s, want 10 to 15 minutes", jitter, attempts, got)
		}
	}
}

func TestWhatNobodyClassifiedIsTransientAndSaysNothing(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.7: refused")
	f := Of(cause)
	if f.Class != placements.Transient || !errors.Is(f, cause) {
		t.Errorf("fault is %+v", f)
	}
	known := &placements.Fault{Class: placements.Auth, Message: "no"}
	if got := Of(errors.Join(cause, known)); got != known {
		t.Errorf("a classified fault became %+v", got)
	}
	if f.Message == "" || f.Message == cause.Error() {
		t.Errorf("the message is %q", f.Message)
	}
}
