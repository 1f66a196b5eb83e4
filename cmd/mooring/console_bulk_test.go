package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"mooring/placements"
)

// bulk presses a button that means all of a list, and returns what confirms it: the button that names how many there are.
func (c *console) bulk(button string, n int, noun string) (confirm string) {
	c.t.Helper()
	c.click(button)
	c.until(`document.querySelector("dialog[open]")`)
	confirm = fmt.Sprintf("%s (%d %s)", button, n, noun)
	c.until("!!" + named(confirm))
	return confirm
}

// A person retries, stops and pauses all that a filter matches, once they have seen how many that are; when it is another number by then,
// they are asked again.
func TestConsoleBulk(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	runs, report := s.runs(), s.filled.Reports[0]
	c := s.open(s.token, "runs?state=FAILED")
	c.allow("status of 409")
	failed := len(s.items("refreshes?state=FAILED"))
	confirm := c.bulk("Retry all", failed, "runs")
	c.looksRight("confirm")
	c.size(1280, 800)
	c.click("Cancel")
	if n := len(s.items("refreshes?state=FAILED")); n != failed {
		t.Errorf("%d failed runs after nothing was confirmed, want %d", n, failed)
	}
	c.bulk("Retry all", failed, "runs")
	runs.ended(report, placements.RunFailed)
	waiting := len(s.items("refreshes?state=QUEUED"))
	c.click(confirm)
	c.shows(fmt.Sprintf("The filter matches another number now: %d runs.", failed+1))
	if n := len(s.items("refreshes?state=QUEUED")); n != waiting {
		t.Errorf("%d runs were made although the number had changed", n-waiting)
	}
	c.click(fmt.Sprintf("Retry all (%d runs)", failed+1))
	c.shows("Done for")
	c.looksRight("done")
	c.size(1280, 800)
	queued := s.items("refreshes?state=QUEUED")
	if len(queued) <= waiting {
		t.Error("nothing was retried")
	}

	c.goTo("runs?state=QUEUED")
	c.click(c.bulk("Stop all", len(queued), "runs"))
	c.shows(fmt.Sprintf("Done for %d runs.", len(queued)))

	c.goTo("schedules")
	active := len(s.items("refresh-schedules?paused=false"))
	c.click(c.bulk("Pause all", active, "schedules"))
	c.shows(fmt.Sprintf("Done for %d schedules.", active))
	if n := len(s.items("refresh-schedules?paused=false")); n != 0 {
		t.Errorf("%d schedules are not paused", n)
	}
	c.goTo("schedules?paused=true")
	c.click(c.bulk("Resume all", len(s.filled.Schedules), "schedules"))
	c.shows(fmt.Sprintf("Done for %d schedules.", len(s.filled.Schedules)))

	c.goTo("schedules")
	c.click("Transfer")
	c.fill("New owner's user id", "102")
	c.click(fmt.Sprintf("Transfer (%d schedules)", len(s.filled.Schedules)))
	c.shows(fmt.Sprintf("Done for %d schedules.", len(s.filled.Schedules)))
	for _, text := range s.items("refresh-schedules") {
		var schedule struct{ CreatedBy int }
		if err := json.Unmarshal(text, &schedule); err != nil || schedule.CreatedBy != 102 {
			t.Fatalf("%s, %v: want it to belong to user 102", text, err)
		}
	}
}
