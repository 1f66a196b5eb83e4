package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// siteOfStates is a site with a block in each state that the console distinguishes, of one report, which is the first of s.filled.
func siteOfStates(t *testing.T) *consoleSite {
	t.Helper()
	s := newConsoleSite(t, storagetest.Amounts{Reports: 2, Placements: 2, Documents: 2, Runs: 8, Schedules: 2})
	ago := func(d time.Duration) string { return placements.Time(time.Now().Add(-d)) }
	waits := func(reason placements.Reason, sentence string) *placements.LastRun {
		return &placements.LastRun{
			RunID: "waits", State: placements.RunQueued, Reason: reason, Error: sentence, Since: ago(20 * time.Minute), StartedAt: ago(2 * time.Minute),
			NextAttemptAt: ago(-12 * time.Minute),
		}
	}
	down := waits(placements.ReasonSource, "The database warehouse does not answer: connection refused.")
	down.ErrorClass = placements.Transient
	failed := func(class placements.Class, sentence string) *placements.LastRun {
		clash := map[placements.Class]*placements.Clash{placements.Conflict: {Overwrite: true}}[class]
		return &placements.LastRun{
			Clash: clash,
			RunID: "failed", State: placements.RunFailed, ErrorClass: class, Error: sentence, EndedAt: ago(30 * time.Minute),
			NextAttemptAt: ago(2 * time.Minute), // as a run says whose other blocks wait
		}
	}
	runs := map[string]*placements.LastRun{
		"open.xlsx": waits(placements.ReasonLocked, "open.xlsx is open in a program: close it."), "moved.xlsx": waits(placements.ReasonMissing, "moved.xlsx is not in its folder: put it back."),
		"busy.xlsx": waits(placements.ReasonQuota, ""), "held.xlsx": waits(placements.ReasonHeld, ""),
		"typo.xlsx": failed(placements.Structure, "The query names no column mile: correct it."), "met.xlsx": failed(placements.Conflict, "B2 was changed: undo that."),
		"pane.xlsx": {RunID: "left-out", State: placements.RunSkipped, Reason: placements.ReasonAddinOnly, EndedAt: ago(time.Hour)},
		"good.xlsx": {RunID: "good", State: placements.RunSucceeded, EndedAt: ago(time.Hour)},
	}
	for i := range 13 {
		runs[fmt.Sprintf("down-%02d.xlsx", i)] = down
	}
	var list []storage.Placed
	for document, run := range runs {
		list = append(list, storage.Placed{LastRun: run, Placement: placements.Placement{
			ID: strings.TrimSuffix(document, ".xlsx"), WorkbookID: document, Host: placements.SheetsB, ResultLocation: "Data!A1", PlacedAt: ago(48 * time.Hour),
			PlacedByUserID: 1, QueryChecksum: "an earlier query", RefreshedAt: ago(24 * time.Hour), AsOf: ago(26 * time.Hour),
		}})
	}
	importRefreshed(t, s.redis, s.filled.Reports[0], list)
	return s
}

// importRefreshed imports placements of a report, and leaves their ages and last runs on them as a run does: an import has no age.
func importRefreshed(t *testing.T, redis string, report int64, list []storage.Placed) {
	t.Helper()
	fine := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := storagetest.Open(t, redis)
	fine(storagetest.Import(t.Context(), s, consoleDeployment, report, list))
	agents, run := s.Work(), &record.Run{ReportID: report, ExternalWorkbookID: "imported", RequestedBy: record.Actor{ID: 1}, Placements: []record.RunPlacement{}}
	fine(agents.Queue.Hold(t.Context(), consoleDeployment, run))
	a, err := agents.Queue.BeginHeld(t.Context(), consoleDeployment, run)
	fine(err)
	r, err := agents.Load(t.Context(), a)
	fine(err)
	var o work.Outcome
	for _, p := range list {
		before := r.Placements[slices.IndexFunc(r.Placements, func(now storage.Placed) bool { return now.ID == p.ID })]
		one := work.PlacementOutcome{Placement: before.Placement, Before: before, LastRun: *p.LastRun, Written: true, Rows: []byte("fingerprints")}
		one.Placement.AsOf = p.AsOf
		o.Placements = append(o.Placements, one)
	}
	a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(time.Now())
	fine(agents.Complete(t.Context(), a, o))
}

// block is the address of one of siteOfStates's blocks.
func (s *consoleSite) block(id string) string {
	return fmt.Sprintf("placements/%d/%s", s.filled.Reports[0], id)
}

// pauseFor pauses a schedule as the service does, for a reason.
func (s *consoleSite) pauseFor(schedule int64, reason string) {
	s.t.Helper()
	options, err := redis.ParseURL(s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	rdb := redis.NewClient(options)
	defer rdb.Close()
	keys, err := rdb.Keys(s.t.Context(), fmt.Sprintf("*d:1:schedule:%d", schedule)).Result()
	if err != nil || len(keys) != 1 {
		s.t.Fatalf("keys %v: %v", keys, err)
	}
	if err := rdb.HSet(s.t.Context(), keys[0], "pausedReason", reason).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// What waits is listed by its cause, with since when, until when, and what helps; what needs the user comes first.
func TestConsoleWaiting(t *testing.T) {
	t.Parallel()
	s := siteOfStates(t)
	schedule := s.filled.Schedules[0].ID
	s.send("POST", fmt.Sprintf("1/refresh-schedules/%d/pause", schedule), "")
	s.pauseFor(schedule, "five runs in a row failed: Data!A1 of board.xlsx cannot be written")
	c := s.open(s.token, "overview")
	c.allow("/refreshes/waits") // the run of the blocks that wait, which is not kept
	c.shows("The source does not answer")
	c.shows("13 blocks in 13 documents · next try")
	c.shows("The file is open in a program")
	c.shows("The query names no column mile")
	c.shows("The file cannot be found")
	c.shows("five runs in a row failed")
	c.shows("Correct what it says, then resume.")
	c.until(figure("placements?stance=NEEDS_YOU", "need you") + " === 4")
	c.until(figure("placements?stance=WAITS", "wait") + " === 16")
	c.shows("4 need you, 16 wait")
	c.wallTellsWaitingFromFailed()
	c.looksRight("overview")
	c.size(1280, 2800)
	c.keep("overview-whole")
	c.size(1280, 800)
	c.click("Resume")
	c.shows("The schedule goes on.")
	c.until(`!document.querySelector("#main").innerText.includes("five runs in a row failed")`)

	for id, says := range map[string][]string{
		"open": {"Waiting: the file is open", "Close the file", "Try now", "next try"}, "moved": {"Waiting: the file is not there", "Put the file back", "Try now"},
		"busy": {"Waiting: the quota is used up", "Nothing to do"}, "held": {"Waiting: another refresh is writing", "Nothing to do"},
		"down-00": {"Waiting: the source does not answer", "connection refused", "It goes on by itself"},
		"typo":    {"Failed", "Correct the report", "Retry"}, "met": {"Needs a decision", "Write over the changes", "Retry"},
		"pane": {"refreshed by the add-in only", "Open the spreadsheet and refresh there"}, "good": {"Report edited, data as of"},
	} {
		c.goTo(s.block(id))
		for _, words := range says {
			c.shows(words)
		}
		shown := c.text("#main")
		buttons := evalAs[string](c.page, `[...document.querySelectorAll("#main .card .head button, #main .card .head a")].map((b) => b.textContent).join(", ")`)
		if want := map[string]string{
			"open": "Try now", "moved": "Try now", "typo": "Open the report, Retry", "met": "Write over the changes, Retry", "good": "Refresh",
		}[id]; buttons != want {
			t.Errorf("%s: offers %q, want %q", id, buttons, want)
		}
		for words, wrong := range map[string]bool{
			"Retry":    id != "typo" && id != "met", // only what can help is offered
			"next try": id == "typo" || id == "met" || id == "pane" || id == "good",
		} {
			if wrong && strings.Contains(shown, words) {
				t.Errorf("%s: %q in\n%s", id, words, shown)
			}
		}
		c.looksRight("block-" + id)
		c.size(1280, 800)
	}
	c.goTo("placements?status=WAITING&reason=source")
	if n := c.rows(); n != 13 {
		t.Errorf("%d blocks wait for the source, want 13", n)
	}
	c.looksRight("list")
	c.size(1280, 800)
	c.goTo("placements?status=FAILED")
	c.looksRight("failed")
}

// wallTellsWaitingFromFailed checks the wall over siteOfStates: documents whose blocks wait for a source that is down are marked as what waits, in
// another colour than what failed, which stands before them.
func (c *console) wallTellsWaitingFromFailed() {
	c.t.Helper()
	for id, want := range map[string]string{
		"down-00.xlsx": "WAITING, down-00.xlsx: Waiting, 1 of 1 block", "open.xlsx": "WAITING, open.xlsx: Waiting, 1 of 1 block",
		"typo.xlsx": "FAILED, typo.xlsx: Failed, 1 of 1 block", "met.xlsx": "CONFLICT, met.xlsx: Needs a decision, 1 of 1 block",
	} {
		said := fmt.Sprintf(`((e) => e.classList[1] + ", " + e.getAttribute("aria-label"))(document.getElementById("tile-%s"))`, id)
		if got := evalAs[string](c.page, said); got != want {
			c.t.Errorf("the tile of %s is %q, want %q", id, got, want)
		}
	}
	colour := func(id string) string {
		return evalAs[string](c.page, fmt.Sprintf(`window.getComputedStyle(document.getElementById("tile-%s").querySelector("rect")).fill`, id))
	}
	if failed := colour("typo.xlsx"); failed == colour("down-00.xlsx") || failed == colour("open.xlsx") {
		c.t.Errorf("what waits has the colour of what failed, %s", failed)
	}
	const order = `["met", "typo", "down-00", "good"].map((id) => [...document.querySelectorAll(".tile")].findIndex((e) => e.id === "tile-" + id + ".xlsx"))`
	if got := evalAs[[]int](c.page, order); !slices.IsSorted(got) || got[0] < 0 {
		c.t.Errorf("the tiles stand at %v, the worst is to come first", got)
	}
}

// A run is described in each of its states, and so are ticks that were skipped and runs that newer ones took over.
func TestConsoleRunStates(t *testing.T) {
	t.Parallel()
	s := siteOfStates(t)
	runs, report := s.runs(), s.filled.Reports[0]
	newer := runs.ended(report, placements.RunSucceeded)
	skipped := runs.ended(report, placements.RunSkipped, "the schedule's earlier run had not ended when this one was due")
	superseded := runs.endedWith(report, placements.RunSuperseded, record.RunPlacement{
		PlacementID: "open", State: placements.RunSuperseded, SupersededBy: newer, Reason: placements.ReasonLocked, Since: placements.Time(time.Now()),
	})
	several := runs.endedWith(report, placements.RunFailed,
		record.RunPlacement{PlacementID: "pane", State: placements.RunSkipped, Reason: placements.ReasonAddinOnly},
		record.RunPlacement{PlacementID: "typo", State: placements.RunFailed, ErrorClass: placements.Structure, Error: "No such column."},
		record.RunPlacement{
			PlacementID: "open", State: placements.RunQueued, Reason: placements.ReasonLocked, Since: placements.Time(time.Now().Add(-time.Hour)),
			NextAttemptAt: placements.Time(time.Now().Add(time.Hour)),
		})
	unknown := runs.endedWith(report, "DREAMING", record.RunPlacement{PlacementID: "open", State: "DREAMING"})
	c := s.open(s.token, "overview")
	c.allow("/refreshes/waits")
	c.until(figure("runs?", "taken over by a newer run") + " === 1")
	for id, says := range map[string][]string{
		skipped: {"Skipped", "had not ended"}, superseded: {"Taken over by a newer run", "The newer run"},
		several: {"refreshed by the add-in only", "Open the spreadsheet", "Correct the report", "Waiting: the file is open", "Close the file", "next try"},
		unknown: {"DREAMING"},
	} {
		c.goTo("runs/" + url.PathEscape(id))
		for _, words := range says {
			c.shows(words)
		}
	}
	c.goTo("runs/" + url.PathEscape(several))
	c.looksRight("several")
	c.size(1280, 800)
	c.goTo("runs/" + url.PathEscape(skipped))
	c.looksRight("skipped")
	c.size(1280, 800)
	c.goTo("runs/" + url.PathEscape(superseded))
	c.looksRight("superseded")
	c.size(1280, 800)
	c.click("Run")
	c.until(fmt.Sprintf("location.hash.includes(%q)", url.PathEscape(newer)))
	c.settled()
	c.goTo("runs?state=SUPERSEDED")
	if n := c.rows(); n != 1 {
		t.Errorf("%d runs were taken over, want 1", n)
	}
	c.goTo(s.block("open")) // with all of these in its strip
	c.shows("Last runs")
	c.looksRight("strip")
}

// endedWith makes a run and ends it with what it did to placements.
func (r *runs) endedWith(report int64, state placements.RunState, list ...record.RunPlacement) string {
	r.t.Helper()
	r.outcomes = list
	defer func() { r.outcomes = nil }()
	return r.ended(report, state)
}
