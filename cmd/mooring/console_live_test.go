package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// smallSite is a site with some of everything.
func smallSite(t *testing.T) *consoleSite {
	t.Helper()
	return newConsoleSite(t, storagetest.Amounts{Reports: 40, Placements: 80, Documents: 20, Runs: 400, Schedules: 12})
}

// figure is the number that the overview's link with those words and that address has, as an expression.
func figure(screen, words string) string {
	return fmt.Sprintf(`Number([...document.querySelectorAll("a.figure")].find((a) => a.getAttribute("href").includes(%q) &&
		a.querySelector("b + span").textContent.trim() === %q).querySelector("b").textContent.replaceAll(",", ""))`, "/"+screen, words)
}

// showsSoon waits until a change is shown: long before the console reads everything again, after a minute. Where figures are wanted
// (scripts/bench-overview), it must be shown within a second.
func (c *console) showsSoon(what string, change func(), shown func() string) {
	c.t.Helper()
	expression := shown()
	change()
	begun := time.Now()
	c.until(expression)
	took := time.Since(begun)
	c.t.Logf("| shown: %s | after %d ms | <= 1 s |", what, took.Milliseconds())
	if os.Getenv("MOORING_BENCH_CONSOLE") != "" && took > time.Second {
		c.t.Errorf("%s: shown after %s, want a second at most", what, took)
	}
}

// rises is the expression that is true when a number has risen by one from now on.
func (c *console) rises(number string) func() string {
	return func() string {
		c.t.Helper()
		return fmt.Sprintf("%s === %d", number, evalAs[int](c.page, number)+1)
	}
}

// runs makes runs and ends them, in the place of an agent.
type runs struct {
	t    *testing.T
	work *work.Work
	n    int

	outcomes []record.RunPlacement // what the next runs did
}

// ended makes a manual run of a report, ends it in a state, for a reason if there is one, and returns its id.
func (r *runs) ended(report int64, state placements.RunState, reason ...string) string {
	r.t.Helper()
	r.n++
	run := &record.Run{
		ReportID: report, ExternalWorkbookID: fmt.Sprint("ended-", r.n), RequestedBy: record.Actor{ID: 1, Email: "ana@example.com"}, Placements: []record.RunPlacement{},
	}
	if err := storagetest.Enqueue(r.t.Context(), r.work, consoleDeployment, run); err != nil {
		r.t.Fatal(err)
	}
	r.end(run.ID, state, strings.Join(reason, " "))
	return run.ID
}

// end ends a run that waits.
func (r *runs) end(id string, state placements.RunState, reason string) {
	r.t.Helper()
	entries, err := r.work.Queue.Take(r.t.Context(), "tester", 1000, -1)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range entries {
		if e.RunID != id {
			continue
		}
		a, err := r.work.Queue.Begin(r.t.Context(), "tester", e)
		if err != nil {
			r.t.Fatal(err)
		}
		a.Run.State, a.Run.Error, a.Run.EndedAt = state, reason, placements.Time(time.Now())
		a.Run.Placements = append(a.Run.Placements, r.outcomes...)
		if err := r.work.Complete(r.t.Context(), a, work.Outcome{}); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	r.t.Fatalf("run %s is not in the queue", id)
}

func (s *consoleSite) runs() *runs {
	return &runs{t: s.t, work: storagetest.Open(s.t, s.redis).Work()}
}

// A change that is made elsewhere is on the screen within a second, without a reload.
func TestConsoleIsLive(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	runs, report := s.runs(), s.filled.Reports[0]
	place := func(n int) {
		s.send("PUT", fmt.Sprintf("1/reports/%d/connect-workbook", report), fmt.Sprintf(
			`{"externalWorkbookId": "elsewhere-%d", "resultLocation": "Data!B2", "host": "SHEETS_A", "addressOnly": true}`, n))
	}
	next := func() func() int {
		n := 0
		return func() int { n++; return n }
	}
	c := s.open(s.token, "overview")
	c.eval("(window.loadedOnce = true, null)")
	c.showsSoon("a run that succeeds, in the overview",
		func() { runs.ended(report, placements.RunSucceeded) }, c.rises(figure("runs?", "succeeded")))
	c.showsSoon("a run that fails, in the overview",
		func() { runs.ended(report, placements.RunFailed) }, c.rises(figure("runs?", "failed")))
	paused := next()
	c.showsSoon("a schedule that is paused, in the overview", func() {
		s.send("POST", fmt.Sprintf("1/refresh-schedules/%d/pause", s.filled.Schedules[paused()].ID), "")
	}, c.rises(figure("schedules?", "paused")))
	placed := next()
	c.showsSoon("a placement, in the overview", func() { place(placed()) }, c.rises(figure("placements?stance=UNKNOWN", "not refreshed yet")))

	c.goTo("runs?" + url.Values{"report": {fmt.Sprint(report)}}.Encode())
	const rows = `document.querySelectorAll("#main tbody tr:not(:has(.empty))").length`
	c.showsSoon("a run, in the list", func() { runs.ended(report, placements.RunSucceeded) }, c.rises(rows))
	c.goTo(fmt.Sprintf("placements?report=%d", report))
	c.showsSoon("a placement, in the list", func() { place(placed()) }, c.rises(rows))
	c.goTo("schedules?paused=true")
	c.showsSoon("a schedule, in the list", func() {
		s.send("POST", fmt.Sprintf("1/refresh-schedules/%d/pause", s.filled.Schedules[paused()].ID), "")
	}, c.rises(rows))
	if !evalAs[bool](c.page, "!!window.loadedOnce") {
		t.Error("the page was loaded again")
	}
}

// A screen is busy until it has been read, also when the answer to the one that was left for it comes meanwhile.
func TestConsoleLeavesAScreenThatIsRead(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "overview")
	c.eval(`(() => {
		const fetch = window.fetch;
		window.held = [];
		window.fetch = async (input, init) => {
			if (window.released || !/\/(refreshes|refresh-schedules)\?include=names/.test(String(input))) return fetch(input, init);
			const answer = await fetch(input, { ...init, signal: null });
			return new Promise((resolve) => window.held.push(() => resolve(answer)));
		}; })()`)
	for i, screen := range []string{"runs", "schedules"} {
		c.eval(fmt.Sprintf(`(location.hash = "#/1/%s", null)`, screen))
		c.until(fmt.Sprintf("window.held.length === %d", i+1))
	}
	c.eval("(window.held[0](), new Promise((soon) => setTimeout(soon)))")
	if !evalAs[bool](c.page, `!!document.querySelector("#main[aria-busy]")`) {
		t.Error("a screen whose answer is awaited is not busy")
	}
	c.eval("(window.released = true, window.held[1](), null)")
	c.settled()
	if n := c.rows(); n == 0 {
		t.Error("no schedule is shown")
	}
}
