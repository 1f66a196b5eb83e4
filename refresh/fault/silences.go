package fault

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Silences are the times for which sources and hosts of spreadsheets do not answer: each is one line in the log when it begins and one, with
// a count, when it is over, whatever fails because of it meanwhile.
type Silences struct {
	mu sync.Mutex
	of map[string]*silence
}

// silence is one of them.
type silence struct {
	since  time.Time
	failed int
	asked  map[string]bool // what did not answer: queries of a source, documents of a host
}

// Failed counts that what was asked of a source or host got no answer, and reports whether that begins a silence.
func (s *Silences) Failed(subject, asked string) (begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[subject]
	if begins = one == nil; begins {
		if s.of == nil {
			s.of = map[string]*silence{}
		}
		one = &silence{since: time.Now(), asked: map[string]bool{}}
		s.of[subject] = one
	}
	one.failed++
	one.asked[asked] = true
	return begins
}

// Answered notes that what was asked got an answer, and logs the end of the silence that it failed in. One in which other things of the same
// source or host failed goes on.
func (s *Silences) Answered(ctx context.Context, log *slog.Logger, subject, asked string) {
	s.mu.Lock()
	one := s.of[subject]
	over := one != nil && one.asked[asked]
	if over {
		delete(s.of, subject)
	}
	s.mu.Unlock()
	if over {
		log.LogAttrs(ctx, slog.LevelInfo, "answers again", slog.String("subject", subject), slog.Int("failed", one.failed),
			slog.Int64("durationMs", time.Since(one.since).Milliseconds()))
	}
}
