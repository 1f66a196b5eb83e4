package refresh_test

import (
	"fmt"
	"time"

	"mooring/refresh"
	"mooring/storage/record"
)

func ExampleNextFires() {
	c := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Cron: []string{"0 7 * * 1-5"}, Timezone: "Europe/Berlin"}}
	for _, at := range refresh.NextFires(c, time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC), 2) { // clocks go forward on the Sunday between
		fmt.Println(at.UTC().Format(time.RFC3339))
	}
	// Output:
	// 2026-03-30T05:00:00Z
	// 2026-03-31T05:00:00Z
}
