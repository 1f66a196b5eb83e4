package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/queue"
)

func TestOneAgentAsksAProbe(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		q, p := s.Queue(), queue.Probe{Deployment: shop, Name: "counter"}
		hold := func(agent string, lease time.Duration) (queue.Seen, bool) {
			t.Helper()
			seen, held, err := q.Probes.Hold(t.Context(), p, agent, lease)
			if err != nil {
				t.Fatal(err)
			}
			return seen, held
		}
		for _, row := range []struct {
			fact, agent string
			held        bool
		}{
			{"the first has it", "a", true}, {"the other does not", "b", false}, {"it prolongs it", "a", true},
		} {
			if seen, held := hold(row.agent, time.Hour); held != row.held || seen != (queue.Seen{}) {
				t.Errorf("%s: %t, %+v", row.fact, held, seen)
			}
		}
		if _, held, err := q.Probes.Hold(t.Context(), queue.Probe{Deployment: shop, Name: "another"}, "b", time.Hour); !held || err != nil {
			t.Errorf("another probe is held with it: %v", err)
		}
		first, err := q.Probes.Keep(t.Context(), p, "a", queue.Seen{}, "one")
		if err != nil || first != (queue.Seen{Value: "one", Changes: 1}) {
			t.Fatalf("kept %+v, %v", first, err)
		}
		for fact, keep := range map[string]func() (queue.Seen, error){
			"an agent without the lease": func() (queue.Seen, error) { return q.Probes.Keep(t.Context(), p, "b", first, "two") },
			"one that knows less":        func() (queue.Seen, error) { return q.Probes.Keep(t.Context(), p, "a", queue.Seen{}, "two") },
		} {
			if _, err := keep(); !errors.Is(err, storage.ErrLockLost) {
				t.Errorf("%s keeps a value: %v", fact, err)
			}
		}
		if err := q.Probes.Leave(t.Context(), p, "b"); err != nil {
			t.Fatal(err)
		}
		if _, held := hold("b", time.Hour); held {
			t.Error("an agent gives up the lease of another")
		}
		if err := q.Probes.Leave(t.Context(), p, "a"); err != nil {
			t.Fatal(err)
		}
		if seen, held := hold("b", time.Millisecond); !held || seen != first {
			t.Errorf("after it left: %t, %+v", held, seen)
		}
		for held := false; !held; _, held = hold("c", time.Hour) {
			wait(t.Context(), time.Millisecond)
		}
	})
}

// wait pauses between two looks at what takes its time.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
