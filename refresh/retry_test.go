package refresh

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"mooring/placements"
)

func TestNextAttempt(t *testing.T) {
	const almost = 0.999999
	first := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		class      placements.Class
		retryAfter time.Duration
		after      time.Duration // since the first attempt
		attempt    int
		jitter     float64
		wait       time.Duration // rounded up to seconds
		never      bool
		missing    bool
	}{
		{name: "the first wait is at most 4 s", class: placements.Transient, attempt: 1, jitter: almost, wait: 4 * time.Second},
		{name: "the second at most 8 s", class: placements.Transient, attempt: 2, jitter: almost, wait: 8 * time.Second},
		{name: "full jitter may wait not at all", class: placements.Transient, attempt: 5, jitter: 0},
		{name: "half the jitter waits half the bound", class: placements.Transient, attempt: 3, jitter: 0.5, wait: 8 * time.Second},
		{name: "no wait is longer than 2 minutes", class: placements.Transient, attempt: 40, jitter: almost, wait: 2 * time.Minute},
		{
			name: "a quota waits as long as it was told", class: placements.Quota, retryAfter: 50 * time.Second, attempt: 1, jitter: almost,
			wait: 50 * time.Second,
		},
		{name: "or longer", class: placements.Quota, retryAfter: time.Second, attempt: 3, jitter: almost, wait: 16 * time.Second},
		{
			name: "ten minutes later it is still tried again", class: placements.Transient, after: 10 * time.Minute, attempt: 12,
			jitter: almost, wait: 2 * time.Minute,
		},
		{
			name: "beyond the horizon it is not", class: placements.Transient, after: 14 * time.Minute, attempt: 14, jitter: almost,
			never: true,
		},
		{
			name: "a quota is waited for beyond it", class: placements.Quota, after: 20 * time.Hour, attempt: 99, jitter: almost,
			wait: 2 * time.Minute,
		},
		{name: "but not for ever", class: placements.Quota, after: 24 * time.Hour, attempt: 99, jitter: almost, never: true},
		{
			name: "one that lifts only after two days is waited for", class: placements.Quota, retryAfter: 48 * time.Hour, attempt: 1,
			wait: 48 * time.Hour,
		},
		{name: "once", class: placements.Quota, retryAfter: 48 * time.Hour, after: 48 * time.Hour, attempt: 2, never: true},
		{
			name: "a missing file is waited for as long", class: placements.Transient, missing: true, after: 23 * time.Hour, attempt: 99,
			jitter: almost, wait: 10 * time.Minute,
		},
		{name: "after growing pauses", class: placements.Transient, missing: true, attempt: 6, jitter: almost, wait: 128 * time.Second},
		{
			name: "but no longer", class: placements.Transient, missing: true, after: 24 * time.Hour, attempt: 99, jitter: almost,
			never: true,
		},
		{name: "auth is not tried again", class: placements.Auth, attempt: 1, never: true},
		{name: "nor structure", class: placements.Structure, attempt: 1, never: true},
		{name: "nor a conflict", class: placements.Conflict, attempt: 1, never: true},
		{
			name: "nor what is permanent, whatever it asks for", class: placements.Permanent, retryAfter: time.Second, attempt: 1,
			never: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := first.Add(tt.after)
			f := &placements.Fault{Class: tt.class, RetryAfter: tt.retryAfter}
			if tt.missing {
				f.Err = fs.ErrNotExist
			}
			at, again := nextAttempt(f, first, now, tt.attempt, tt.jitter)
			if again == tt.never {
				t.Fatalf("again is %t", again)
			}
			if got := at.Sub(now); again && (got > tt.wait || got < tt.wait-time.Second) {
				t.Errorf("the wait is %s, want %s", got, tt.wait)
			}
		})
	}
}

// However the dice fall, an outage of ten minutes is survived.
func TestRetriesSpanTheHorizon(t *testing.T) {
	first := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	for _, dice := range []float64{0.01, 0.3, 0.7, 0.999} {
		now, attempts := first, 1
		for ; ; attempts++ {
			at, again := nextAttempt(&placements.Fault{Class: placements.Transient}, first, now, attempts, dice)
			if !again {
				break
			}
			now = at
		}
		if got := now.Sub(first); got < 10*time.Minute || got > retryHorizon {
			t.Errorf("with jitter %.3f the last of %d attempts is after %s, want 10 to 15 minutes", dice, attempts, got)
		}
	}
}

func TestWhatNobodyClassifiedIsTransientAndSaysNothing(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.7: refused")
	f := asFault(cause)
	if f.Class != placements.Transient || !errors.Is(f, cause) {
		t.Errorf("fault is %+v", f)
	}
	known := &placements.Fault{Class: placements.Auth, Message: "no"}
	if got := asFault(errors.Join(cause, known)); got != known {
		t.Errorf("a classified fault became %+v", got)
	}
	if f.Message == "" || f.Message == cause.Error() {
		t.Errorf("the message is %q", f.Message)
	}
}
