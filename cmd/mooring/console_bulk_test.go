package main

import (
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

// A person retries and stops all that a filter matches, once they have seen how many that are; when it is another number by then,
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
	c.until(`document.querySelector("#notice").textContent.includes("Done for")`)
	c.looksRight("done")
	c.size(1280, 800)
	c.click("Dismiss")
	queued := s.items("refreshes?state=QUEUED")
	if len(queued) <= waiting {
		t.Error("nothing was retried")
	}

	c.goTo("runs?state=QUEUED")
	c.click(c.bulk("Stop all", len(queued), "runs"))
	c.done(fmt.Sprintf("Done for %d runs.", len(queued)))
}

// Schedules are paused, resumed and handed over together.
func TestConsoleBulkOfSchedules(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "schedules")
	active := len(s.items("refresh-schedules?paused=false"))
	c.click(c.bulk("Pause all", active, "schedules"))
	c.done(fmt.Sprintf("Done for %d schedules.", active))
	if n := len(s.items("refresh-schedules?paused=false")); n != 0 {
		t.Errorf("%d schedules are not paused", n)
	}
	c.goTo("schedules?paused=true")
	all := len(s.filled.Schedules)
	c.click(c.bulk("Resume all", all, "schedules"))
	c.done(fmt.Sprintf("Done for %d schedules.", all))

	c.goTo("schedules")
	c.click("Transfer")
	c.fill("New owner", "102") // who is known to read some of the reports only
	c.click(fmt.Sprintf("Transfer (%d schedules)", all))
	c.until(`document.querySelector("#notice").textContent.includes("Done for")`)
	theirs := len(s.items("refresh-schedules?owner=102"))
	c.done(fmt.Sprintf("Done for %d schedules; %d w", theirs, all-theirs)) // was or were refused
	if theirs == 0 || theirs == all {
		t.Errorf("%d of %d schedules are user 102's", theirs, all)
	}
}

// done waits until the console says what was done, and dismisses it.
func (c *console) done(sentence string) {
	c.t.Helper()
	c.until(fmt.Sprintf(`document.querySelector("#notice").textContent.includes(%q)`, sentence))
	c.click("Dismiss")
}
