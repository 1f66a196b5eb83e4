package document

import (
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/result"
)

func TestAnAgeGoesBackOnlyWithTheClock(t *testing.T) {
	at := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		fact        string
		before, now time.Duration // of the age before, and of the end of the refresh
		want        time.Duration
	}{
		{"an older one grows", -time.Minute, time.Minute, 0},
		{"a newer one stays", time.Second, time.Minute, time.Second},
		{"one of the future is wrong", time.Hour, time.Minute, 0},
	} {
		b := &target{task: &Task{Table: &result.Answer{AsOf: at}}}
		b.now.AsOf = placements.Time(at.Add(tt.before))
		if got, want := b.asOf(placements.Time(at.Add(tt.now))), placements.Time(at.Add(tt.want)); got != want {
			t.Errorf("%s: %s, want %s", tt.fact, got, want)
		}
	}
}
