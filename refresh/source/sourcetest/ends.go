package sourcetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// patience is how long an endless query runs before something must end it. Nothing depends on its length.
const patience = 50 * time.Millisecond

// ends proves that a query ends with the statement timeout, and with its caller.
func (s Subject) ends(t *testing.T) {
	t.Run("a statement that takes too long", func(t *testing.T) {
		src := s.open(t, func(l *source.Limits) { l.StatementTimeout = patience })
		_, err := src.Query(context.Background(), s.Endless, new(checksum.Builder))
		s.wantFault(t, err, placements.Permanent)
		s.answersAgain(t, src)
	})
	t.Run("a client that went away", func(t *testing.T) {
		src := s.open(t, nil)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := src.Query(ctx, s.Endless, new(checksum.Builder))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		Table(t, src, s.Rows(1))
	})
	t.Run("a client that never was there", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.open(t, nil).Query(ctx, s.Rows(1), new(checksum.Builder)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	t.Run("a client that waits for a free connection", s.waits)
}

// answersAgain proves that src answers within its statement timeout, which a busy machine may need some tries for.
func (s Subject) answersAgain(t *testing.T, src source.Source) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if _, err = src.Query(context.Background(), s.Rows(1), new(checksum.Builder)); err == nil {
			return
		}
	}
	t.Errorf("after a query that took too long: %v", err)
}

// waits fills the source with endless queries; one more must wait, and go when its client does.
func (s Subject) waits(t *testing.T) {
	src := s.open(t, func(l *source.Limits) { l.MaxConnections = 1 })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			if _, err := src.Query(ctx, s.Endless, new(checksum.Builder)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		})
	}
	time.AfterFunc(patience, cancel)
	running.Wait()
	Table(t, src, s.Rows(1))
}
