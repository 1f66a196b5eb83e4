package fault_test

import (
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
)

// What no driver classified is retried, later and later, and its text is not told.
func Example() {
	f := fault.Of(errors.New("dial tcp 10.0.0.7: refused"))
	began := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	for _, waited := range []time.Duration{0, time.Minute, time.Hour} {
		now := began.Add(waited)
		at, again := fault.NextTry(f, fault.Wait{Since: began, Began: began}, now, 0)
		fmt.Println(f.Class, at.Sub(now), again)
	}
	fmt.Println(fault.Retryable(&placements.Fault{Class: placements.Auth}))
	// Output:
	// transient 2s true
	// transient 1m0s true
	// transient 1m0s false
	// false
}
