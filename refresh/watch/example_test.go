package watch_test

import (
	"fmt"
	"time"

	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/watch"
)

// A source is asked each minute for the time of its last change, and does not say by itself that there is one.
func Example() {
	s := &watch.Watch{Freshness: watch.Freshness{
		Probe:  source.Probe{Query: "SELECT max(changed_at) FROM orders"},
		Timing: probe.Timing{Every: time.Minute},
	}}
	w := s.Watcher()
	fmt.Println(w.Asked, w.Listens, w.Timing.Every)
	// Output:
	// true false 1m0s
}
