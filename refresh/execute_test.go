package refresh

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
)

// now refreshes the i-th report as mooring refresh does, and returns the lines of its progress.
func (d *desk) now(ctx context.Context, i int) (*record.Run, string) {
	d.Helper()
	return d.nowUntil(ctx, i, "\n", func() {})
}

// nowUntil does the same and calls then for each line that begins with mark.
func (d *desk) nowUntil(ctx context.Context, i int, mark string, then func()) (*record.Run, string) {
	d.Helper()
	var mu sync.Mutex
	var lines []string
	d.engine.attempts.watch = func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
		if strings.HasPrefix(line, mark) {
			then()
		}
	}
	run, err := d.engine.Execute(ctx, deskDeployment, Request{Target: record.RunTarget{ReportID: d.reports[i]}, By: record.Actor{ID: 7}})
	must(d.T, err)
	mu.Lock()
	defer mu.Unlock()
	return run, strings.Join(lines, "\n")
}

func TestNowWorksOnItsOwnRunOnly(t *testing.T) {
	eachDesk(t, 2, func(d *desk) {
		other := d.ask(1, Request{})
		run, lines := d.now(d.Context(), 0)
		if run.State != placements.RunSucceeded || run.Attempt != 1 || run.RowsWritten != 3 {
			d.Errorf("the run is %+v", run)
		}
		if want := "querying the source\nthe result has 3 rows and 2 columns\nData!A1 in book: 3 rows written (6 cells)"; lines != want {
			d.Errorf("it said\n%s\nwant\n%s", lines, want)
		}
		if run := d.run(other); run.State != placements.RunQueued || run.Attempt != 0 {
			d.Errorf("the other run is %s, attempt %d", run.State, run.Attempt)
		}
		d.shows(0, 1)
	})
}

func TestNowSaysForWhomItWaits(t *testing.T) {
	t.Parallel()
	eachDesk(t, 1, func(d *desk) {
		release := d.lock("book")
		defer release()
		run, lines := d.nowUntil(d.Context(), 0, "waiting for book", release)
		if run.State != placements.RunSucceeded || run.Attempt != 1 {
			d.Errorf("the run is %s after attempt %d", run.State, run.Attempt)
		}
		if !strings.Contains(lines, "waiting for book: another agent (") {
			d.Errorf("it said\n%s", lines)
		}
		d.quiet()
	})
}

func TestNowTriesAgainByItself(t *testing.T) {
	t.Parallel()
	eachDesk(t, 1, func(d *desk) {
		tries := 0
		d.books.refuse = func(host.Patch) *placements.Fault {
			if tries++; tries > 1 {
				return nil
			}
			return &placements.Fault{Class: placements.Transient, Message: "the file is open"}
		}
		run, lines := d.now(d.Context(), 0)
		if run.State != placements.RunSucceeded || run.Attempt != 2 || !strings.Contains(lines, "trying again in") {
			d.Errorf("the run is %s after attempt %d:\n%s", run.State, run.Attempt, lines)
		}
	})
}

func TestNowThatIsInterruptedStopsItsRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string // of the progress when it is interrupted
		prepare    func(d *desk)
	}{
		{"while it queries", "querying the source", func(d *desk) { d.tables.lag = map[string]time.Duration{"q0": time.Hour} }},
		{"while it waits", "waiting for book", func(d *desk) { d.Cleanup(d.lock("book")) }},
		{"between two attempts", "trying again in", func(d *desk) {
			d.books.refuse = func(host.Patch) *placements.Fault {
				return &placements.Fault{Class: placements.Quota, Message: "not now", RetryAfter: time.Hour}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachDesk(t, 1, func(d *desk) {
				tt.prepare(d)
				ctx, interrupt := context.WithCancel(d.Context())
				defer interrupt()
				run, _ := d.nowUntil(ctx, 0, tt.line, interrupt)
				if stored := d.run(run.ID); stored.State != placements.RunStopped {
					d.Errorf("the run is left %s", stored.State)
				}
				if depth, err := d.store.Work().Queue.Depth(d.Context()); depth != 0 || err != nil {
					d.Errorf("%d entries are left, %v", depth, err)
				}
			})
		})
	}
}

func TestNowWhoseRunWasTakenOverWaitsForItsEnd(t *testing.T) {
	t.Parallel()
	eachDesk(t, 1, func(d *desk) {
		release := d.lock("book")
		defer release()
		go func() {
			d.waiting(d.engine, 1)
			runs, err := d.store.Queue().Runs.OfReport(d.Context(), deskDeployment, d.reports[0])
			if err != nil || len(runs) != 1 {
				d.Errorf("runs are %v, %v", runs, err)
				return
			}
			// As agents do with a run whose holder was silent for too long.
			if err := d.store.Work().Queue.Ticks.Requeue(d.Context(), []record.Due{{Deployment: deskDeployment, RunID: runs[0].ID}}); err != nil {
				d.Error(err)
			}
			b := d.agent(d.another(), "b")
			list, err := d.store.Work().Queue.Take(d.Context(), b.name, 1, time.Second)
			if err != nil {
				d.Error(err)
			}
			b.start(d.Context(), list, time.Now())
			for begun := 0; begun < 2 && d.Context().Err() == nil; time.Sleep(10 * time.Millisecond) {
				run, err := d.store.Queue().Runs.Get(d.Context(), deskDeployment, runs[0].ID)
				if err != nil {
					d.Error(err)
					break
				}
				begun = run.Attempt
			}
			release()
			b.running.Wait()
		}()
		run, _ := d.now(d.Context(), 0)
		if run.State != placements.RunSucceeded || run.Attempt != 2 {
			d.Errorf("the run is %s after attempt %d (%s)", run.State, run.Attempt, run.Error)
		}
		if got := d.books.count("book"); got[2] != 1 {
			d.Errorf("the document was written %d times", got[2])
		}
	})
}
