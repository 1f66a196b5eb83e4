package code_test

import (
	"fmt"

	"mooring/storage/code"
)

// Plans are kept for a day, and a few of each user.
func Example() {
	fmt.Println(code.PlanLifetime, code.MaxPlans)
	// Output: 24h0m0s 20
}
