package redis

import "testing"

func TestDeliveredBefore(t *testing.T) {
	for last, want := range map[string]string{
		"7-3":        "7-3", // nothing pending: what was delivered last
		"before 7-3": "7-2",
		"before 7-0": "6-18446744073709551615",
		"before 0-1": "0-0",
		"before 0-0": "0-0",
	} {
		if got := deliveredBefore(last); got != want {
			t.Errorf("%s: %s, want %s", last, got, want)
		}
	}
}
