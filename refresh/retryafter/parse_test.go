package retryafter_test

import (
	"fmt"
	"testing"
	"time"

	"mooring/refresh/retryafter"
)

func ExampleParse() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(retryafter.Parse("120", now), retryafter.Parse("Sun, 01 Mar 2026 12:00:30 GMT", now))
	// Output: 2m0s 30s
}

func TestParse(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		fact, header string
		want         time.Duration
	}{
		{"none", "", 0},
		{"seconds", "120", 2 * time.Minute},
		{"broken seconds", " 1.5 ", 1500 * time.Millisecond},
		{"a date to come", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		{"a date gone by", "Sun, 01 Mar 2026 11:59:00 GMT", 0},
		{"negative", "-3", 0},
		{"absurd", "1e30", 0},
		{"words", "soon", 0},
	} {
		if got := retryafter.Parse(row.header, now); got != row.want {
			t.Errorf("%s: %q is %v, want %v", row.fact, row.header, got, row.want)
		}
	}
}
