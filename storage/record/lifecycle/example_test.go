package lifecycle_test

import (
	"fmt"

	"mooring/placements"
	"mooring/storage/record/lifecycle"
)

// Only the latest attempt of a run that is being refreshed may end it.
func Example() {
	fmt.Println(lifecycle.Complete.Allows(placements.RunRunning, lifecycle.Latest))
	fmt.Println(lifecycle.Complete.Allows(placements.RunRunning, 0))
	fmt.Println(lifecycle.Complete.Allows(placements.RunStopped, lifecycle.Latest))
	// Output:
	// true
	// false
	// false
}

// A run waits as long as one of its placements does.
func ExampleEnd() {
	rule, state := lifecycle.End([]placements.RunState{placements.RunSucceeded, placements.RunQueued}, placements.RunSkipped)
	fmt.Println(rule, state)
	rule, state = lifecycle.End([]placements.RunState{placements.RunSucceeded, placements.RunFailed}, placements.RunSkipped)
	fmt.Println(rule, state)
	// Output:
	// Retry QUEUED
	// Complete FAILED
}

// A script in Redis has the predicates that it asks.
func ExampleLua() {
	fmt.Println(lifecycle.Lua("return mayRenew(state, fence, own)"))
	// Output:
	// local function mayRenew(state, fence, own) return state == 'RUNNING' and fence == own end
	// return mayRenew(state, fence, own)
}
