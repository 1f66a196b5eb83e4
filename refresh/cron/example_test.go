package cron_test

import (
	"fmt"
	"time"

	"mooring/refresh/cron"
)

// Clocks in Berlin skip from 2:00 to 3:00 on the 29th: the schedule fires at the end of the gap.
func Example() {
	s, err := cron.Parse([]string{"30 2 * * *"}, "Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	for range 2 {
		at = s.Next(at)
		fmt.Println(at.Format(time.RFC3339))
	}
	// Output:
	// 2026-03-29T01:00:00Z
	// 2026-03-30T00:30:00Z
}
