package watch

import (
	"testing"
	"time"
)

func TestComplaintsAreRepeatedNowAndThen(t *testing.T) {
	start, c := time.Now(), new(complaint)
	for _, row := range []struct {
		fact    string
		text    string
		after   time.Duration
		settled bool
		want    bool
	}{
		{"a first one", "broken", 0, false, true},
		{"the same", "broken", time.Second, false, false},
		{"another", "gone", 2 * time.Second, false, true},
		{"the same after a while", "gone", 2*time.Second + complaintEvery, false, true},
		{"the same when all was well meanwhile", "gone", 3*time.Second + complaintEvery, true, true},
	} {
		if row.settled {
			c.settle()
		}
		if got := c.new(row.text, start.Add(row.after)); got != row.want {
			t.Errorf("%s: said %t", row.fact, got)
		}
	}
}
