package refresh

import (
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// checkAge checks that the age which a placement shows never goes back.
func (d *simulatedDay) checkAge(p *trackedPlacement) {
	d.Helper()
	asOf := shownTime(d.placement(p.report, p.id).AsOf)
	if asOf.Before(p.asOf) {
		d.mismatch("%s was as of %s and is as of %s", p.document, p.asOf, asOf)
	}
	p.asOf = asOf
}

// checkRefreshed checks a placement that was refreshed.
func (d *simulatedDay) checkRefreshed(p *trackedPlacement, run *record.Run, at time.Time) {
	d.Helper()
	d.stats.done++
	p.waitingRun = ""
	clear(p.since)
	d.checkAge(p)
	stored, queriedAt := d.placement(p.report, p.id), d.queriedAt(p.report, p.document)
	switch {
	case p.asOf.Before(at):
		d.mismatch("%s was refreshed by the tick of %s and is as of %q", p.document, at.Format("15:04"), stored.AsOf)
	case strings.HasPrefix(dayReports[p.report].query, steady): // its rows do not say the exact time
	case queriedAt.Sub(p.asOf).Abs() > time.Second:
		d.mismatch("%s is said to be as of %s and shows what the source said at %s", p.document, stored.AsOf, queriedAt)
	}
	if stored.LastRun == nil || stored.LastRun.RunID != run.ID || stored.LastRun.State != placements.RunSucceeded || stored.LastRun.NextAttemptAt != "" {
		d.mismatch("%s was refreshed by run %s, its last run is %+v", p.document, run.ID, stored.LastRun)
	}
}

// checkWaiting checks a placement that waits: since the first attempt in that downtime, until an attempt in the future.
func (d *simulatedDay) checkWaiting(p *trackedPlacement, run *record.Run, o record.RunPlacement, want expectation) {
	d.Helper()
	d.stats.waited++
	since, now := shownTime(o.Since), time.Now()
	shown, waited := p.since[want.downtime.from]
	switch {
	case o.Error == "":
		d.mismatch("%s waits (%s) without an error message", p.document, o.Reason)
	case since.Before(want.downtime.from) && p.waitingRun == "" || since.After(now): // if it waited before, then for the source, and since then
		d.mismatch("%s waits since %q, its downtime began %s", p.document, o.Since, want.downtime.from)
	case waited && shown != o.Since:
		d.mismatch("%s waited since %s, and now since %s", p.document, shown, o.Since)
	}
	if !shownTime(o.NextAttemptAt).After(now) {
		d.mismatch("%s waits for a next try at %q", p.document, o.NextAttemptAt)
	}
	p.since[want.downtime.from] = o.Since
	if stored := d.placement(p.report, p.id); stored.LastRun == nil || stored.LastRun.RunID != run.ID ||
		stored.LastRun.Reason != o.Reason || stored.LastRun.Since != o.Since || stored.LastRun.NextAttemptAt != o.NextAttemptAt {
		d.mismatch("%s waits as %+v, and shows %+v", p.document, o, stored.LastRun)
	}
	d.track(p, run, o)
}

// checkFinal checks a placement that is not retried before the next tick.
func (d *simulatedDay) checkFinal(p *trackedPlacement, run *record.Run, o record.RunPlacement, at time.Time, want expectation) {
	d.Helper()
	p.waitingRun = ""
	stored := d.placement(p.report, p.id)
	if o.NextAttemptAt != "" || o.Since != "" && want.class == "" {
		d.mismatch("%s is %s, and has a next try at %q, since %q", p.document, o.State, o.NextAttemptAt, o.Since)
	}
	if want.state == placements.RunSkipped {
		d.stats.skipped++
		if last := stored.LastRun; last == nil || last.State != want.state || last.Reason != placements.ReasonAddinOnly || stored.AsOf != "" {
			d.mismatch("the status of %s, which only an add-in reaches, has changed: %+v", p.document, stored.LastRun)
		}
		return
	}
	d.stats.failed++
	if o.Error == "" || stored.LastRun == nil || stored.LastRun.State != placements.RunFailed ||
		stored.LastRun.RunID != run.ID || stored.LastRun.NextAttemptAt != "" {
		d.mismatch("%s failed permanently (%q), its last run is %+v", p.document, o.Error, stored.LastRun)
	}
	if n := d.host.opened(p.document, at); n != 1 {
		d.mismatch("%s was looked for %d times by a tick that gave it up", p.document, n)
	}
	d.checkAge(p)
}

// checkOlderRun checks that the older run in which a placement waited leaves it to run, which is newer.
func (d *simulatedDay) checkOlderRun(p *trackedPlacement, run *record.Run, now record.RunPlacement) {
	d.Helper()
	if p.waitingRun == "" || p.waitingRun == run.ID {
		return
	}
	older := d.outcome(d.run(p.waitingRun), p.id)
	switch {
	case older.State == placements.RunQueued || older.State == placements.RunRunning:
		d.mismatch("%s still is %s in run %s, and %s in the newer run %s", p.document, older.State, p.waitingRun, now.State, run.ID)
	case older.State == placements.RunSuperseded && older.SupersededBy != run.ID:
		d.mismatch("%s is SUPERSEDED in run %s by %q, want %s", p.document, p.waitingRun, older.SupersededBy, run.ID)
	case older.State == placements.RunSuperseded && older.NextAttemptAt != "":
		d.mismatch("%s is SUPERSEDED in run %s, and has a next try", p.document, p.waitingRun)
	case older.State != placements.RunSuperseded && now.State == placements.RunQueued && now.Since != "" && now.Since == p.lastSince():
		d.mismatch("%s has waited since %s; in the older run %s it is %s, want SUPERSEDED", p.document, now.Since, p.waitingRun, older.State)
	}
}

// lastSince returns the latest time since when p was shown to wait.
func (p *trackedPlacement) lastSince() (since string) {
	for _, shown := range p.since {
		since = max(since, shown)
	}
	return since
}

// checkRetry checks that a placement was retried when its run said.
func (d *simulatedDay) checkRetry(p *trackedPlacement, runID string, tried time.Time) {
	d.Helper()
	if p.waitingRun != runID || p.moved.After(tried) {
		return
	}
	d.stats.retried++
	run := d.run(runID)
	o := d.outcome(run, p.id)
	if o.State != placements.RunQueued {
		return
	}
	if !shownTime(o.NextAttemptAt).After(tried) {
		d.mismatch("%s was to be tried at %s in run %s, and was not: the run is %s until %q, the placement %s until %q", p.document, tried, runID, run.State,
			run.NextAttemptAt, o.State, o.NextAttemptAt)
		return
	}
	if want := d.expected(p, tried); want.state == placements.RunSucceeded {
		d.mismatch("%s can be reached since before %s, when it was to be tried in run %s; it still is %s until %s", p.document, tried, runID, o.State,
			o.NextAttemptAt)
	}
	d.track(p, run, o)
}

// checkRunState checks that the state of a run follows from those of its placements.
func (d *simulatedDay) checkRunState(run *record.Run) {
	d.Helper()
	has := map[placements.RunState]bool{}
	for _, o := range run.Placements {
		has[o.State] = true
	}
	var want placements.RunState
	switch {
	case has[placements.RunRunning]:
		want = placements.RunRunning
	case has[placements.RunQueued]:
		want = placements.RunQueued
	case has[placements.RunFailed]:
		want = placements.RunFailed
	case has[placements.RunSucceeded]:
		want = placements.RunSucceeded
	case has[placements.RunSuperseded]:
		want = placements.RunSuperseded
	case has[placements.RunStopped]:
		want = placements.RunStopped
	default:
		want = placements.RunSkipped
	}
	if ended := want != placements.RunQueued && want != placements.RunRunning; run.State != want || (run.EndedAt != "") != ended {
		d.mismatch("run %s is %s, ended %q, want %s; its placements are %v", run.ID, run.State, run.EndedAt, want, has)
	}
}
