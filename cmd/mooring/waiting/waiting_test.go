//go:build unix

package waiting

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// TestWaiting lets a schedule tick each minute while documents come and go, for two ticks or MOORING_WAITING minutes.
func TestWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and waits for ticks")
	}
	ticks, whole := 2, os.Getenv("MOORING_WAITING") != ""
	seed := uint64(1)
	if whole {
		var err error
		ticks, err = strconv.Atoi(os.Getenv("MOORING_WAITING"))
		must(t, err)
		seed = uint64(time.Now().UnixNano())
		if text := os.Getenv("MOORING_WAITING_SEED"); text != "" {
			seed, err = strconv.ParseUint(text, 10, 64)
			must(t, err)
		}
	}
	w := &watch{site: newSite(t, seed), kinds: map[state]*figures{}, told: map[string]int{}}
	w.first()
	for n := range ticks {
		w.tick(n, ticks)
	}
	w.end()
	if whole {
		fmt.Printf("seed %d\n%s", seed, w.table())
	}
	if w.faults > 0 {
		t.Errorf("%d things were not as they should be\n%s", w.faults, w.table())
	}
}

// figures are those of the documents in one state.
type figures struct{ expected, done, late, wrong int }

// watch compares what was done to documents with what came of it.
type watch struct {
	*site
	next   time.Time // tick
	ticks  int
	made   int // of which had a run
	runs   []string
	kinds  map[state]*figures
	delays []time.Duration // from the tick until the source was asked, of each refresh
	faults int
	told   map[string]int // by kind
}

// examples is how many of the faults of one kind are told.
const examples = 5

func (w *watch) fault(format string, args ...any) {
	w.t.Helper()
	w.faults++
	if w.told[format]++; w.told[format] <= examples {
		fmt.Printf("%s: %s\n", time.Now().UTC().Format("15:04:05"), fmt.Sprintf(format, args...))
	}
}

// How long after a tick the site is looked at, and until when a refresh is not late.
const (
	lookAfter = 25 * time.Second
	lateAfter = 5 * time.Second
	turnAfter = 35 * time.Second // documents come and go
)

// first refreshes all once, so that the agents have seen each file, and makes the schedule.
func (w *watch) first() {
	w.t.Helper()
	w.ask()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		run := w.run(w.runs[0])
		if run.EndedAt != "" {
			break
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the first run has not ended: %s %s", run.State, run.Error)
		}
	}
	var made record.Schedule
	w.next = time.Now().Truncate(time.Minute).Add(time.Minute)
	if time.Until(w.next) < 5*time.Second { // the next one is near
		time.Sleep(time.Until(w.next))
		w.next = w.next.Add(time.Minute)
	}
	target := map[string]any{"reportId": reportID(w.report)}
	w.do(w.owner, "POST", w.schedules, map[string]any{"name": "each minute", "target": target, "cron": "* * * * *", "timezone": "UTC"}, &made)
	w.schedule = strconv.FormatInt(made.ID, 10)
	w.takeAll()
}

func reportID(path string) int64 {
	id, _ := strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
	return id
}

// ask asks for a run of all.
func (w *watch) ask() {
	w.t.Helper()
	var started struct{ RunID string }
	status, text := w.send(w.owner, http.MethodPost, w.report+"/refreshes", map[string]any{}, &started)
	if status != http.StatusAccepted {
		w.fault("a run is refused while others wait: %d %s", status, text)
		return
	}
	w.runs = append(w.runs, started.RunID)
}

func (w *watch) run(id string) (run record.Run) {
	w.t.Helper()
	w.do(w.owner, http.MethodGet, w.report+"/refreshes/"+id, nil, &run)
	return run
}

// tick waits for a tick and for what it does, looks at everything, and has documents come and go.
func (w *watch) tick(n, of int) {
	w.t.Helper()
	at := w.next
	w.next = at.Add(time.Minute)
	time.Sleep(time.Until(at.Add(lookAfter)))
	w.ticks++
	if id := w.runOf(at); id != "" {
		w.made++
		w.runs = append(w.runs, id)
		w.look(id, at)
	}
	if n%3 == 1 { // a person asks meanwhile
		w.ask()
	}
	time.Sleep(time.Until(at.Add(turnAfter)))
	if n == of/2 && of > 2 { // an agent dies, and another one comes
		w.agents[0].kill()
		w.addAgent()
	}
	w.turn(n >= of-2)
}

// runOf is the run of a tick, empty where there is none that refreshes.
func (w *watch) runOf(at time.Time) string {
	w.t.Helper()
	var page struct{ Items []record.Run }
	w.do(w.owner, http.MethodGet, w.schedules+"/"+w.schedule+"/runs", nil, &page)
	for _, run := range page.Items {
		if run.FireTime == placements.Time(at) {
			if run.State == placements.RunSkipped {
				w.fault("the tick of %s was skipped: %s", at.UTC().Format("15:04"), run.Error)
				return ""
			}
			return run.ID
		}
	}
	w.fault("the tick of %s has no run", at.UTC().Format("15:04"))
	return ""
}

// shown is a placement as the interface shows it.
type shown struct {
	ID, SyncStatus, AsOf string
	LastRun              *placements.LastRun
}

// look compares each document, and what is said of it, with what was done to it.
func (w *watch) look(id string, at time.Time) {
	w.t.Helper()
	run := w.run(id)
	var report struct{ ExternalWorkbookPlacements []shown }
	w.do(w.owner, http.MethodGet, w.report, nil, &report)
	for _, b := range w.books {
		f := w.kinds[b.now]
		if f == nil {
			f = new(figures)
			w.kinds[b.now] = f
		}
		f.expected++
		before := w.faults
		i := slices.IndexFunc(report.ExternalWorkbookPlacements, func(p shown) bool { return p.ID == b.placement })
		j := slices.IndexFunc(run.Placements, func(p record.RunPlacement) bool { return p.PlacementID == b.placement })
		if i < 0 || j < 0 {
			w.fault("%s (%s) is missing from the run, or from the report", b.name, b.now)
		} else {
			w.judge(b, run.Placements[j], report.ExternalWorkbookPlacements[i], at, f)
		}
		if w.faults > before {
			f.wrong++
		}
	}
	w.judgeRun(run)
	w.judgeOlder(run)
	var c record.Schedule
	if w.do(w.owner, http.MethodGet, w.schedules+"/"+w.schedule, nil, &c); c.Paused || c.PausedReason != "" {
		w.fault("the schedule is paused: %s", c.PausedReason)
	}
}

// judge judges what a tick did to a document, and what is said of it.
func (w *watch) judge(b *book, o record.RunPlacement, p shown, at time.Time, f *figures) {
	w.t.Helper()
	told, _ := time.Parse(time.RFC3339, p.AsOf)
	if told.Before(b.asOf) {
		w.fault("%s was as of %s, and is as of %q", b.name, b.asOf, p.AsOf)
	}
	b.asOf = told
	switch b.now {
	case reachable:
		w.judgeDone(b, o, p, at, f)
	case movedAway:
		w.judgeWait(b, o, p, placements.ReasonMissing, f)
	case leftOpen:
		w.judgeWait(b, o, p, placements.ReasonLocked, f)
	case broken:
		if o.State != placements.RunFailed || o.ErrorClass != placements.Structure || o.NextAttemptAt != "" || o.Error == "" || p.SyncStatus != "FAILED" {
			w.fault("%s is broken, the run says %s %s %q, next try %q, its status is %s", b.name, o.State, o.ErrorClass, o.Error, o.NextAttemptAt, p.SyncStatus)
			return
		}
		f.done++
	case addinOnly:
		if o.State != placements.RunSkipped || o.Reason != placements.ReasonAddinOnly || p.LastRun != nil || p.SyncStatus != "UNKNOWN" {
			w.fault("%s is reached by add-ins alone, the run says %s (%s) %q, its status is %s", b.name, o.State, o.Reason, o.Error, p.SyncStatus)
			return
		}
		f.done++
	}
}

// judgeDone judges a document that could be refreshed.
func (w *watch) judgeDone(b *book, o record.RunPlacement, p shown, at time.Time, f *figures) {
	w.t.Helper()
	asked := w.asked(b)
	if asked.Before(at) || o.State != placements.RunSucceeded {
		w.fault("%s can be reached and shows what the source said at %s; the run says %s (%s) %q", b.name, asked.Format("15:04:05"), o.State, o.Reason, o.Error)
		return
	}
	f.done++
	delay := asked.Sub(at)
	w.delays = append(w.delays, delay)
	if delay > lateAfter {
		f.late++
	}
	if p.SyncStatus != "UP_TO_DATE" || p.LastRun == nil || p.LastRun.State != placements.RunSucceeded || p.LastRun.NextAttemptAt != "" {
		w.fault("%s was refreshed, its status is %s, its last run %+v", b.name, p.SyncStatus, p.LastRun)
	}
	if b.asOf.Sub(asked).Abs() > 2*time.Second {
		w.fault("%s is said to be as of %q, and the source was asked at %s", b.name, p.AsOf, asked)
	}
}

// judgeWait judges a document that waits.
func (w *watch) judgeWait(b *book, o record.RunPlacement, p shown, reason placements.Reason, f *figures) {
	w.t.Helper()
	next, _ := time.Parse(time.RFC3339, o.NextAttemptAt)
	since, _ := time.Parse(time.RFC3339, o.Since)
	switch {
	case o.State != placements.RunQueued || o.Reason != reason || o.Error == "":
		w.fault("%s is %s, the run says %s (%s) %s %q", b.name, b.now, o.State, o.Reason, o.ErrorClass, o.Error)
	case !next.After(time.Now()) && !next.After(since):
		w.fault("%s waits for a next try at %q", b.name, o.NextAttemptAt)
	case since.IsZero() || b.since != "" && b.since != o.Since:
		w.fault("%s waits since %q, before since %q", b.name, o.Since, b.since)
	case p.LastRun == nil || p.LastRun.Reason != reason || p.LastRun.Since != o.Since || p.SyncStatus == "UP_TO_DATE":
		w.fault("%s waits, its status is %s, its last run %+v", b.name, p.SyncStatus, p.LastRun)
	default:
		f.done++
	}
	b.since = o.Since
}

// judgeRun judges the state of a run, which its placements make.
func (w *watch) judgeRun(run record.Run) {
	w.t.Helper()
	has := func(state placements.RunState) bool {
		return slices.ContainsFunc(run.Placements, func(o record.RunPlacement) bool { return o.State == state })
	}
	want := placements.RunSucceeded
	switch {
	case has(placements.RunQueued):
		want = placements.RunQueued
	case has(placements.RunFailed):
		want = placements.RunFailed
	}
	if run.State != want || (run.EndedAt == "") != (want == placements.RunQueued) {
		w.fault("run %s is %s, ended %q, want %s", run.ID, run.State, run.EndedAt, want)
	}
}

// judgeOlder checks that older runs have ended, and name the newer run where they waited.
func (w *watch) judgeOlder(run record.Run) {
	w.t.Helper()
	for i, id := range w.runs[:max(0, len(w.runs)-1)] {
		older := w.run(id)
		if older.EndedAt == "" {
			w.fault("run %s is %s beside the newer run %s", id, older.State, run.ID)
		}
		for _, o := range older.Placements {
			if o.State == placements.RunQueued || o.State == placements.RunSuperseded && o.SupersededBy != w.runs[i+1] {
				w.fault("run %s says of %s: %s, superseded by %q, want by %s", id, o.PlacementID, o.State, o.SupersededBy, w.runs[i+1])
			}
		}
	}
	w.runs = w.runs[len(w.runs)-1:]
}

// end checks, after a tick to which every document was there again, that nothing is left.
func (w *watch) end() {
	w.t.Helper()
	for _, id := range w.runs {
		if run := w.run(id); run.EndedAt == "" {
			w.fault("every document is there again, and run %s is %s", id, run.State)
		}
	}
}

// table is what was found.
func (w *watch) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ticks, %d with a run; %d files, %d of which come and go; 2 agents\n\n", w.ticks, w.made, files, trouble)
	fmt.Fprintf(&b, "%-26s %9s %9s %6s %12s\n", "a document that is", "expected", "as it is", "late", "false states")
	for _, kind := range []state{reachable, movedAway, leftOpen, broken, addinOnly} {
		if f := w.kinds[kind]; f != nil {
			fmt.Fprintf(&b, "%-26s %9d %9d %6d %12d\n", kind, f.expected, f.done, f.late, f.wrong)
		}
	}
	if n := len(w.delays); n > 0 {
		slices.Sort(w.delays)
		fmt.Fprintf(&b, "\nfrom the tick until the source was asked: p50 %s, p99 %s, longest %s\n", w.delays[n/2].Round(time.Millisecond),
			w.delays[n*99/100].Round(time.Millisecond), w.delays[n-1].Round(time.Millisecond))
	}
	return b.String()
}
