package probe_test

import (
	"context"
	"fmt"
	"time"

	"mooring/refresh/probe"
)

// shop is a target of one watcher: a value that is another at each look, and no store.
type shop struct {
	value int
	kept  probe.Seen
	end   context.CancelFunc
}

func (s *shop) Hold(context.Context, time.Duration) (probe.Seen, bool, error) {
	return s.kept, true, nil
}

func (s *shop) Keep(_ context.Context, before probe.Seen, value string) (probe.Seen, error) {
	s.kept = probe.Seen{Value: value, Changes: before.Changes + 1}
	return s.kept, nil
}

func (s *shop) Leave(context.Context) { fmt.Println("left") }

func (s *shop) Look(context.Context) (string, bool) {
	s.value++
	return fmt.Sprint("value ", s.value), true
}

func (s *shop) Listen(context.Context, func()) {}

func (s *shop) Tell(_ context.Context, before probe.Seen, value string) error {
	fmt.Println(value, "after", before.Value)
	s.end()
	return nil
}

// The first value is kept, each other one told.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	w := probe.Watcher{
		Target: &shop{end: cancel},
		Timing: probe.Timing{Every: time.Hour, Debounce: time.Millisecond},
		Asked:  true,
	}
	w.Target.(*shop).kept = probe.Seen{Value: "value 0", Changes: 1} // by another watcher
	fmt.Println(w.Round(ctx))
	// Output:
	// value 1 after value 0
	// left
	// context canceled
}
