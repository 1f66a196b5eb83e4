package record_test

import (
	"testing"
	"time"

	"mooring/storage/record"
)

// What a quantile says is never shorter than what was counted, and at most 10 % longer.
func TestQuantilesOfLateness(t *testing.T) {
	for _, ms := range []int64{0, 1, 2, 3, 9, 10, 11, 99, 100, 1_000, 12_345, 3_600_000, 90 * 86_400_000} {
		l := record.Lateness{record.LatenessBucket(time.Duration(ms) * time.Millisecond): 1}
		if got := *l.Quantile(0.5); got < ms || float64(got) > 1.1*float64(ms) {
			t.Errorf("%d ms is shown as %d", ms, got)
		}
	}
	l := record.Lateness{}
	for ms := range 100 {
		l[record.LatenessBucket(time.Duration(ms+1)*time.Millisecond)]++
	}
	for share, want := range map[float64]int64{0.5: 50, 0.99: 99, 1: 100} {
		if got := *l.Quantile(share); got < want || float64(got) > 1.1*float64(want) {
			t.Errorf("share %v of 1 to 100 ms: %d", share, got)
		}
	}
	if got := (record.Lateness{}).Quantile(0.5); got != nil {
		t.Errorf("without runs: %d", *got)
	}
}
