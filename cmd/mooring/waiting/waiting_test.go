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

// TestWaiting has a schedule tick each minute while documents become unavailable and available again, for two ticks or MOORING_WAITING minutes.
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
	w := &checker{site: newSite(t, seed), kinds: map[state]*figures{}, reported: map[string]int{}}
	w.begin()
	for n := range ticks {
		w.tick(n, ticks)
	}
	w.checkEnd()
	if whole {
		fmt.Printf("seed %d\n%s", seed, w.table())
	}
	if w.mismatches > 0 {
		t.Errorf("%d mismatches\n%s", w.mismatches, w.table())
	}
}

// figures are those of the documents in one state.
type figures struct{ expected, done, late, wrong int }

// checker compares what was done to documents with what the files and the interface show.
type checker struct {
	*site
	next       time.Time // tick
	ticks      int
	made       int // of which had a run
	runs       []string
	kinds      map[state]*figures
	delays     []time.Duration // from the tick until the source was queried, of each refresh
	mismatches int
	reported   map[string]int // by kind
}

// maxReported is how many mismatches of one kind are printed.
const maxReported = 5

func (w *checker) mismatch(format string, args ...any) {
	w.t.Helper()
	w.mismatches++
	if w.reported[format]++; w.reported[format] <= maxReported {
		fmt.Printf("%s: %s\n", time.Now().UTC().Format("15:04:05"), fmt.Sprintf(format, args...))
	}
}

// How long after a tick its run is checked, a refresh counts as late, and documents are changed.
const (
	checkAfter  = 25 * time.Second
	lateAfter   = 5 * time.Second
	changeAfter = 35 * time.Second
)

// begin refreshes all once, so that the agents have seen each file, and makes the schedule.
func (w *checker) begin() {
	w.t.Helper()
	w.requestRun()
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
	if time.Until(w.next) < 5*time.Second { // too near to begin with
		time.Sleep(time.Until(w.next))
		w.next = w.next.Add(time.Minute)
	}
	target := map[string]any{"reportId": reportID(w.report)}
	w.do(w.owner, "POST", w.schedules, map[string]any{"name": "each minute", "target": target, "cron": "* * * * *", "timezone": "UTC"}, &made)
	w.schedule = strconv.FormatInt(made.ID, 10)
	w.makeAllUnavailable()
}

func reportID(path string) int64 {
	id, _ := strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
	return id
}

// requestRun requests a run of all placements.
func (w *checker) requestRun() {
	w.t.Helper()
	var started struct{ RunID string }
	status, text := w.send(w.owner, http.MethodPost, w.report+"/refreshes", map[string]any{}, &started)
	if status != http.StatusAccepted {
		w.mismatch("a run is refused while others wait: %d %s", status, text)
		return
	}
	w.runs = append(w.runs, started.RunID)
}

func (w *checker) run(id string) (run record.Run) {
	w.t.Helper()
	w.do(w.owner, http.MethodGet, w.report+"/refreshes/"+id, nil, &run)
	return run
}

// tick waits for a tick and its run, checks them, and changes which documents are available.
func (w *checker) tick(n, of int) {
	w.t.Helper()
	at := w.next
	w.next = at.Add(time.Minute)
	time.Sleep(time.Until(at.Add(checkAfter)))
	w.ticks++
	if id := w.runOf(at); id != "" {
		w.made++
		w.runs = append(w.runs, id)
		w.checkTick(id, at)
	}
	if n%3 == 1 { // a user requests a run meanwhile
		w.requestRun()
	}
	time.Sleep(time.Until(at.Add(changeAfter)))
	if n == of/2 && of > 2 { // an agent is killed, and another one started
		w.agents[0].Kill()
		w.addAgent()
	}
	w.changeDocuments(n >= of-2)
}

// runOf is the run of a tick, empty where there is none that refreshes.
func (w *checker) runOf(at time.Time) string {
	w.t.Helper()
	var page struct{ Items []record.Run }
	w.do(w.owner, http.MethodGet, w.schedules+"/"+w.schedule+"/runs", nil, &page)
	for _, run := range page.Items {
		if run.FireTime == placements.Time(at) {
			if run.State == placements.RunSkipped {
				w.mismatch("the tick of %s was skipped: %s", at.UTC().Format("15:04"), run.Error)
				return ""
			}
			return run.ID
		}
	}
	w.mismatch("the tick of %s has no run", at.UTC().Format("15:04"))
	return ""
}

// checkEnd checks, after a tick at which every document was available again, that every run has ended.
func (w *checker) checkEnd() {
	w.t.Helper()
	for _, id := range w.runs {
		if run := w.run(id); run.EndedAt == "" {
			w.mismatch("every document is available again, and run %s is %s", id, run.State)
		}
	}
}

// table returns the figures of all documents.
func (w *checker) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ticks, %d with a run; %d files, %d of which are unavailable at times; 2 agents\n\n", w.ticks, w.made, files, unavailable)
	fmt.Fprintf(&b, "%-26s %9s %9s %6s %12s\n", "a document that is", "expected", "as it is", "late", "false states")
	for _, kind := range []state{reachable, movedAway, leftOpen, broken, addinOnly} {
		if f := w.kinds[kind]; f != nil {
			fmt.Fprintf(&b, "%-26s %9d %9d %6d %12d\n", kind, f.expected, f.done, f.late, f.wrong)
		}
	}
	if n := len(w.delays); n > 0 {
		slices.Sort(w.delays)
		fmt.Fprintf(&b, "\nfrom the tick until the source was queried: p50 %s, p99 %s, longest %s\n", w.delays[n/2].Round(time.Millisecond),
			w.delays[n*99/100].Round(time.Millisecond), w.delays[n-1].Round(time.Millisecond))
	}
	return b.String()
}
