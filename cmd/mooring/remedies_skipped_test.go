package main

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// scheduled makes a schedule of the block alone, which skips what was missed, and returns its id.
func (b *remediedBlock) scheduled() int64 {
	b.t.Helper()
	made := b.must(http.MethodPost, "/api/v1/deployments/1/refresh-schedules", fmt.Sprintf(
		`{"name": "Mornings", "cron": ["0 7 * * *"], "catchUp": "skip", "target": {"reportId": %d, "placementId": %q}}`, b.report, b.id))
	id, err := strconv.ParseInt(b.member(made, "id"), 10, 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// missed edits the report, has a tick of each schedule pass an hour ago while no agent was there, and opens the console that says so.
func (s *site) missed(c *console, ids ...int64) *console {
	s.t.Helper()
	for _, part := range []string{"503", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED", "ERR_INVALID_CHUNKED"} {
		c.allow(part) // of the console that was open meanwhile
	}
	s.server.terminate()
	due := time.Now().Add(-time.Hour)
	for _, id := range ids {
		_, err := storagetest.Open(s.t, s.redis).Schedules().Update(s.t.Context(), consoleDeployment, id, record.Actor{ID: 7}, func(c *record.Schedule) (record.Tick, error) {
			c.Name += " again" // what changes nothing is not written
			return record.Tick{At: due, Due: due}, nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.serve()
	return s.console("overview")
}

// succeeded waits until the console shows a run other than the one before, which succeeds.
func (c *console) succeeded(before string) {
	c.t.Helper()
	c.until(fmt.Sprintf(`location.hash.includes("/runs/") && location.hash !== %q && document.querySelector("#main .status.good")?.innerText.includes("Succeeded")`, before))
}

// A tick that was missed while no agent was there is told with its reason, in the run and beside its schedule, and a click from there makes up for
// it; what the schedule does after the next outage is changed where its ticks are told.
func TestConsoleRemediesOfSkippedTicks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.console("overview")
	one, other := s.block(c, "one", "SELECT name, amount FROM t"), s.block(c, "other", "SELECT name, amount FROM t")
	first, second := one.scheduled(), other.scheduled()
	edit := func(by int, list ...*remediedBlock) {
		t.Helper()
		for _, b := range list {
			s.must(http.MethodPut, b.path, fmt.Sprintf(`{"sqlQuery": "SELECT name, amount + %d AS amount FROM t"}`, by))
		}
	}
	edit(1, one, other)
	c = s.missed(c, first, second)
	one.c, other.c = c, c
	button := func(schedule int64) string { return fmt.Sprintf(`document.getElementById("run-%d")`, schedule) }

	c.until(figure("runs?", "skipped") + " === 2")
	c.clickOn(`[...document.querySelectorAll("a.figure")].find((a) => a.href.includes("state=SKIPPED"))`)
	c.until(`location.hash.includes("/runs?") && location.hash.includes("state=SKIPPED") && document.querySelector("#main h2").textContent === "Runs"`)
	c.settled()
	if n := c.rows(); n != 2 {
		t.Errorf("%d runs were skipped, want 2", n)
	}
	c.clickOn(fmt.Sprintf(`[...document.querySelectorAll("#main tbody tr")].find((row) => row.querySelector('a[href$="/placements/%d/one"]'))?.querySelector("a.when")`, one.report))
	c.until(`location.hash.includes("/runs/") && document.querySelector("#main h2").textContent.startsWith("Run of")`)
	c.settled()
	c.shows("Skipped Missed: no agent was there for 1h")
	c.shows("after an outage the schedule skips what was missed: run it now")
	c.looksRight("run")
	c.size(1280, 800)
	skipped := evalAs[string](c.page, "location.hash")
	c.click("Run now")
	c.succeeded(skipped)
	one.shown()
	one.mended()
	c.eval(fmt.Sprintf("(location.hash = %q, null)", skipped))
	c.shows("Missed: no agent was there")
	c.settled()
	if evalAs[bool](c.page, "!!"+button(first)) {
		t.Error("what was made up for is still offered")
	}

	c.goTo("schedules")
	c.until(`document.querySelector(".tick.SKIPPED[title*=skipped]") && !` + button(first))
	c.until(fmt.Sprintf(`%s?.closest("tr").innerText.includes("Missed: no agent was there")`, button(second)))
	c.looksRight("schedules")
	c.size(1280, 800)
	c.clickOn(button(second))
	c.succeeded(skipped)
	other.shown()
	other.mended()

	c.goTo(fmt.Sprintf("schedules/%d", second))
	c.choose("catch-up", "latest")
	c.shows("Saved.")
	c.looksRight("schedule")
	c.size(1280, 800)
	edit(2, other)
	other.shown("Report edited")
	other.c = s.missed(c, second)
	other.shown()
	other.mended()
	other.c.goTo(fmt.Sprintf("schedules/%d", second))
	other.c.shows("caught up")
}
