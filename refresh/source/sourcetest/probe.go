package sourcetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/source"
)

// probe proves that a probe tells a change, whatever process asks, and nothing but a change.
func (s Subject) probe(t *testing.T) {
	src := s.open(t, nil)
	p, ok := src.(source.Prober)
	if !ok {
		t.Fatalf("%T is no Prober", src)
	}
	for key, probe := range s.NoProbes {
		t.Run("refused for its "+key, func(t *testing.T) {
			if err := p.Probes(probe); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
				t.Errorf("got %v, want an error that begins with %s", err, key)
			}
		})
	}
	t.Run("a query tells a change", func(t *testing.T) { s.probeTells(t, text(s.Cheap)) })
	if s.Keeps {
		t.Run("the source itself tells a change", func(t *testing.T) { s.probeTells(t, "") })
	}
	t.Run("the whole result counts, which is small", func(t *testing.T) {
		if s.value(t, p, text(s.Rows(99))) == s.value(t, p, text(s.Rows(100))) {
			t.Error("the last row is not looked at")
		}
		_, err := p.Probe(t.Context(), text(s.Rows(101)))
		s.wantFault(t, err, placements.Structure)
	})
	t.Run("a query that fails", func(t *testing.T) {
		_, err := p.Probe(t.Context(), text(s.Broken))
		s.wantFault(t, err, placements.Structure)
	})
	t.Run("a query that takes too long", func(t *testing.T) {
		slow := s.open(t, func(l *source.Limits) { l.StatementTimeout = patience })
		_, err := slow.(source.Prober).Probe(t.Context(), text(s.Endless))
		s.wantFault(t, err, placements.Permanent)
	})
	t.Run("statements that write", func(t *testing.T) { s.probeWrites(t, p) })
	t.Run("a client that never was there", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Probe(ctx, text(s.Cheap)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	for name, u := range s.Unreachable {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t, u.Config).(source.Prober).Probe(t.Context(), text(s.Cheap))
			s.wantFault(t, err, u.Class)
		})
	}
}

// text is a query as a probe has it.
func text(q source.Query) string { return q.SQL + q.JSON }

func (s Subject) value(t *testing.T, p source.Prober, query string) string {
	t.Helper()
	value, err := p.Probe(t.Context(), query)
	if err != nil || value == "" {
		t.Fatalf("probe %s: %q, %v", query, value, err)
	}
	return value
}

// probeTells changes the data some times, and looks from two sources.
func (s Subject) probeTells(t *testing.T, query string) {
	one, two := s.open(t, nil).(source.Prober), s.open(t, nil).(source.Prober)
	if err := one.Probes(source.Probe{Query: query}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 3 {
		before := s.value(t, one, query)
		if seen[before] {
			t.Error("a change is not told")
		}
		seen[before] = true
		Table(t, one.(source.Source), s.Rows(1)) // reading changes nothing
		if after := s.value(t, two, query); after != before {
			t.Errorf("%s became %s without a change", before, after)
		}
		s.Change(t)
	}
}

func (s Subject) probeWrites(t *testing.T, p source.Prober) {
	for _, sql := range s.Writes {
		_, err := p.Probe(t.Context(), sql)
		s.wantFault(t, err, placements.Structure)
	}
	if s.Unchanged != nil {
		s.Unchanged(t)
	}
}

// listen proves that announcements are heard until the listener goes.
func (s Subject) listen(t *testing.T) {
	if s.Announce == nil {
		return
	}
	src := s.open(t, nil)
	l, ok := src.(source.Listener)
	if !ok {
		t.Fatalf("%T is no Listener", src)
	}
	const channel = `Data "changed"; --ü`
	if err := src.(source.Prober).Probes(source.Probe{Listen: channel}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	heard, ended := make(chan struct{}), make(chan error)
	go func() { ended <- l.Listen(ctx, channel, func() { heard <- struct{}{} }) }()
	next := func() {
		t.Helper()
		select {
		case <-heard:
		case err := <-ended:
			t.Fatalf("the listener ended: %v", err)
		}
	}
	next() // it listens
	for range 3 {
		s.Announce(t, "another")
		s.Announce(t, channel)
		next()
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	for name, u := range s.Unreachable {
		t.Run(name, func(t *testing.T) {
			err := Open(t, u.Config).(source.Listener).Listen(t.Context(), channel, func() { t.Error("it hears") })
			s.wantFault(t, err, u.Class)
		})
	}
}
