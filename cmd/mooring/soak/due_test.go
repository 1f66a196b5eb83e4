//go:build linux

package soak

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// calendar says which schedules are due in which minute: a few each minute, one in twenty each hour, the others each day.
type calendar struct {
	schedules int
	always    int // that are due each minute, the first ones
}

func newCalendar(schedules int) calendar { return calendar{schedules, max(10, schedules/2000)} }

// cron is the spec of the i-th schedule, in UTC.
func (c calendar) cron(i int) string {
	hour, minute := c.at(i)
	switch {
	case i < c.always:
		return "* * * * *"
	case hour < 0:
		return fmt.Sprintf("%d * * * *", minute)
	}
	return fmt.Sprintf("%d %d * * *", minute, hour)
}

// at is when the i-th schedule is due: the hour is negative for each hour. It does not depend on the placement, which is i modulo their number.
func (c calendar) at(i int) (hour, minute int) {
	if i%20 == 7 {
		return -1, i / 20 % 60
	}
	return i / 60 % 24, i % 60
}

// due are the schedules that are due in the minute that begins at t.
func (c calendar) due(t time.Time) (list []int) {
	t = t.UTC()
	for i := range c.schedules {
		hour, minute := c.at(i)
		if i < c.always || minute == t.Minute() && (hour < 0 || hour == t.Hour()) {
			list = append(list, i)
		}
	}
	return list
}

func TestCalendar(t *testing.T) {
	c := newCalendar(100)
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time][]int{
		noon:                              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		noon.Add(time.Minute):             {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 27},
		noon.Add(4 * time.Minute):         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 87},
		noon.Add(-12*time.Hour + 59*60e9): {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 59},
		noon.Add(-11*time.Hour + 39*60e9): {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99},
	} {
		if diff := cmp.Diff(want, c.due(at)); diff != "" {
			t.Errorf("due at %v (-want +got):\n%s", at, diff)
		}
	}
	for i, want := range map[int]string{3: "* * * * *", 27: "1 * * * *", 59: "59 0 * * *", 99: "39 1 * * *"} {
		if got := c.cron(i); got != want {
			t.Errorf("schedule %d: %q, want %q", i, got, want)
		}
	}
}
