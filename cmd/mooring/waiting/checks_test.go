//go:build unix

package waiting

import (
	"net/http"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// shown is a placement as the interface shows it.
type shown struct {
	ID, SyncStatus, AsOf string
	LastRun              *placements.LastRun
}

// checkTick compares each document, and what is shown of it, with what was done to it.
func (w *checker) checkTick(id string, at time.Time) {
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
		before := w.mismatches
		i := slices.IndexFunc(report.ExternalWorkbookPlacements, func(p shown) bool { return p.ID == b.placement })
		j := slices.IndexFunc(run.Placements, func(p record.RunPlacement) bool { return p.PlacementID == b.placement })
		if i < 0 || j < 0 {
			w.mismatch("%s (%s) is missing from the run, or from the report", b.name, b.now)
		} else {
			w.checkDocument(b, run.Placements[j], report.ExternalWorkbookPlacements[i], at, f)
		}
		if w.mismatches > before {
			f.wrong++
		}
	}
	w.checkRunState(run)
	w.checkOlderRuns(run)
	var c record.Schedule
	if w.do(w.owner, http.MethodGet, w.schedules+"/"+w.schedule, nil, &c); c.Paused || c.PausedReason != "" {
		w.mismatch("the schedule is paused: %s", c.PausedReason)
	}
}

// checkDocument checks what a tick did to a document, and what is shown of it.
func (w *checker) checkDocument(b *book, o record.RunPlacement, p shown, at time.Time, f *figures) {
	w.t.Helper()
	asOf, _ := time.Parse(time.RFC3339, p.AsOf)
	if asOf.Before(b.asOf) {
		w.mismatch("%s was as of %s, and is as of %q", b.name, b.asOf, p.AsOf)
	}
	b.asOf = asOf
	switch b.now {
	case reachable:
		w.checkRefreshed(b, o, p, at, f)
	case movedAway:
		w.checkWaiting(b, o, p, placements.ReasonMissing, f)
	case leftOpen:
		w.checkWaiting(b, o, p, placements.ReasonLocked, f)
	case broken:
		if o.State != placements.RunFailed || o.ErrorClass != placements.Structure || o.NextAttemptAt != "" || o.Error == "" || p.SyncStatus != "FAILED" {
			w.mismatch("%s is broken, the run says %s %s %q, next try %q, its status is %s", b.name, o.State, o.ErrorClass, o.Error, o.NextAttemptAt, p.SyncStatus)
			return
		}
		f.done++
	case addinOnly:
		if o.State != placements.RunSkipped || o.Reason != placements.ReasonAddinOnly || p.SyncStatus != "UNKNOWN" ||
			p.LastRun == nil || string(p.LastRun.Reason) != string(o.Reason) || p.LastRun.NextAttemptAt != "" {
			w.mismatch("%s is reached by add-ins alone, the run says %s (%s) %q, its status is %s", b.name, o.State, o.Reason, o.Error, p.SyncStatus)
			return
		}
		f.done++
	}
}

// checkRefreshed checks a document that could be refreshed.
func (w *checker) checkRefreshed(b *book, o record.RunPlacement, p shown, at time.Time, f *figures) {
	w.t.Helper()
	queried := w.queriedAt(b)
	if queried.Before(at) || o.State != placements.RunSucceeded {
		w.mismatch("%s can be reached and shows what the source said at %s; the run says %s (%s) %q", b.name, queried.Format("15:04:05"), o.State, o.Reason, o.Error)
		return
	}
	f.done++
	delay := queried.Sub(at)
	w.delays = append(w.delays, delay)
	if delay > lateAfter {
		f.late++
	}
	if p.SyncStatus != "UP_TO_DATE" || p.LastRun == nil || p.LastRun.State != placements.RunSucceeded || p.LastRun.NextAttemptAt != "" {
		w.mismatch("%s was refreshed, its status is %s, its last run %+v", b.name, p.SyncStatus, p.LastRun)
	}
	if b.asOf.Sub(queried).Abs() > 2*time.Second {
		w.mismatch("%s is said to be as of %q, and the source was queried at %s", b.name, p.AsOf, queried)
	}
}

// checkWaiting checks a document that waits.
func (w *checker) checkWaiting(b *book, o record.RunPlacement, p shown, reason placements.Reason, f *figures) {
	w.t.Helper()
	next, _ := time.Parse(time.RFC3339, o.NextAttemptAt)
	since, _ := time.Parse(time.RFC3339, o.Since)
	switch {
	case o.State != placements.RunQueued || o.Reason != reason || o.Error == "":
		w.mismatch("%s is %s, the run says %s (%s) %s %q", b.name, b.now, o.State, o.Reason, o.ErrorClass, o.Error)
	case !next.After(time.Now()) && !next.After(since):
		w.mismatch("%s waits for a next try at %q", b.name, o.NextAttemptAt)
	case since.IsZero() || b.since != "" && b.since != o.Since:
		w.mismatch("%s waits since %q, before since %q", b.name, o.Since, b.since)
	case p.LastRun == nil || p.LastRun.Reason != reason || p.LastRun.Since != o.Since || p.SyncStatus == "UP_TO_DATE":
		w.mismatch("%s waits, its status is %s, its last run %+v", b.name, p.SyncStatus, p.LastRun)
	default:
		f.done++
	}
	b.since = o.Since
}

// checkRunState checks that the state of a run follows from those of its placements.
func (w *checker) checkRunState(run record.Run) {
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
		w.mismatch("run %s is %s, ended %q, want %s", run.ID, run.State, run.EndedAt, want)
	}
}

// checkOlderRuns checks that older runs have ended, and name the newer run where they waited.
func (w *checker) checkOlderRuns(run record.Run) {
	w.t.Helper()
	for i, id := range w.runs[:max(0, len(w.runs)-1)] {
		older := w.run(id)
		if older.EndedAt == "" {
			w.mismatch("run %s is %s beside the newer run %s", id, older.State, run.ID)
		}
		for _, o := range older.Placements {
			if o.State == placements.RunQueued || o.State == placements.RunSuperseded && o.SupersededBy != w.runs[i+1] {
				w.mismatch("run %s says of %s: %s, superseded by %q, want by %s", id, o.PlacementID, o.State, o.SupersededBy, w.runs[i+1])
			}
		}
	}
	w.runs = w.runs[len(w.runs)-1:]
}
