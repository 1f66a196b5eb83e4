package refresh

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// expectation is what a run must say of a placement.
type expectation struct {
	state    placements.RunState // empty where either of two is right
	reason   placements.Reason
	class    placements.Class
	downtime downtime
}

// expected returns what a run that was accepted at a time must say of a placement now.
func (d *simulatedDay) expected(p *trackedPlacement, at time.Time) expectation {
	now := time.Now()
	if p.addinOnly {
		return expectation{state: placements.RunSkipped, reason: placements.ReasonAddinOnly}
	}
	var out []downtime
	for _, o := range slices.Concat(d.host.downtimes[p.document], d.source.down[dayReports[p.report].query]) {
		if o.from.Before(now) && o.to.After(at) {
			out = append(out, o)
		}
	}
	switch {
	case p.moved.After(at):
		return expectation{}
	case len(out) == 0:
		return expectation{state: placements.RunSucceeded}
	case len(out) > 1: // the wait for a source is limited, whatever was waited for before
		clear(p.since)
		return expectation{}
	case out[0].from.After(at) || out[0].to.Before(now):
		return expectation{}
	case out[0].reason == noAccess:
		return expectation{state: placements.RunFailed, class: placements.Auth}
	}
	waits := expectation{state: placements.RunQueued, reason: out[0].reason, downtime: out[0]}
	if since, waited := p.since[out[0].from]; waited && waits.reason == placements.ReasonMissing {
		switch gone := shownTime(since).Add(24 * time.Hour); {
		case !at.Before(gone):
			return expectation{state: placements.RunFailed, class: placements.Structure, downtime: out[0]}
		case now.After(gone):
			return expectation{}
		}
	}
	return waits
}

// shownTime parses a time of an answer; it is zero where there is none.
func shownTime(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// checkTick checks the run of a tick.
func (d *simulatedDay) checkTick(t *trackedSchedule, at time.Time) {
	d.Helper()
	t.ticks++
	c, err := d.store.Schedules().Get(d.Context(), deskDeployment, t.ID)
	must(d.T, err)
	if t.alwaysFails {
		d.checkFailingTick(t, c, at)
		return
	}
	if c.Paused || c.PausedReason != "" {
		d.mismatch("the schedule of report %d, at %v, is paused: %s", t.report, t.Cron, c.PausedReason)
		return
	}
	d.stats.ticks++
	run, err := d.store.Queue().Runs.Get(d.Context(), deskDeployment, record.RunID(t.ID, at))
	if err != nil {
		d.mismatch("the tick of report %d has no run: %v", t.report, err)
		return
	}
	d.checkRun(run, at, d.of(t.report, t.document))
	d.checkOpenRuns()
}

// checkFailingTick checks a tick of a schedule each of whose placements fails permanently: it is paused after five, and the reason names one.
func (d *simulatedDay) checkFailingTick(t *trackedSchedule, c *record.Schedule, at time.Time) {
	d.Helper()
	run, err := d.store.Queue().Runs.Get(d.Context(), deskDeployment, record.RunID(t.ID, at))
	if t.ticks > 5 {
		if err == nil {
			d.mismatch("a schedule of which everything failed has tick %d", t.ticks)
		}
		return
	}
	must(d.T, err)
	if run.State != placements.RunFailed {
		d.mismatch("a run of which everything fails is %s", run.State)
	}
	for _, o := range run.Placements {
		if o.NextAttemptAt != "" || o.State != placements.RunFailed {
			d.mismatch("what fails permanently is %+v", o)
		}
	}
	switch paused := c.PausedReason != ""; {
	case paused != (t.ticks == 5):
		d.mismatch("after %d ticks of which everything failed, the schedule says: %q", t.ticks, c.PausedReason)
	case paused && !strings.Contains(c.PausedReason, "absent") && !strings.Contains(c.PausedReason, "closed"):
		d.mismatch("the pause names no document: %s", c.PausedReason)
	}
}

// checkRun checks what a run that was accepted at a time says of placements.
func (d *simulatedDay) checkRun(run *record.Run, at time.Time, list []*trackedPlacement) {
	d.Helper()
	if run.EndedAt == "" {
		d.open[run.ID] = true
	}
	for _, p := range list {
		if !slices.Contains(d.tracked, p) || p.moved.After(at) {
			continue
		}
		o := d.outcome(run, p.id)
		d.checkOlderRun(p, run, o)
		switch want := d.expected(p, at); {
		case want.state == "":
			d.track(p, run, o)
		case o.State != want.state || o.Reason != want.reason || want.class != "" && o.ErrorClass != want.class:
			d.mismatch("run %s of %s: %s is %s (reason %q, %s: %s), want %s %s%s", run.ID, at.Format("15:04"), p.document, o.State, o.Reason, o.ErrorClass,
				o.Error, want.state, want.reason, want.class)
			d.track(p, run, o)
		case want.state == placements.RunSucceeded:
			d.checkRefreshed(p, run, at)
		case want.state == placements.RunQueued:
			d.checkWaiting(p, run, o, want)
		default:
			d.checkFinal(p, run, o, at, want)
		}
	}
	d.checkRunState(run)
}

// track notes whether a placement waits, and plans the check of its next attempt.
func (d *simulatedDay) track(p *trackedPlacement, run *record.Run, o record.RunPlacement) {
	if p.waitingRun = ""; o.State == placements.RunQueued {
		p.waitingRun = run.ID
		d.at(shownTime(o.NextAttemptAt).Add(settleTime), func() { d.checkRetry(p, run.ID, shownTime(o.NextAttemptAt)) })
	}
	d.checkAge(p)
}

// checkOpenRuns checks that each run that has not ended has a placement left, and that no placement is left to two runs.
func (d *simulatedDay) checkOpenRuns() {
	d.Helper()
	left := map[string]string{}
	for id := range d.open {
		run := d.run(id)
		if run.EndedAt != "" {
			d.checkRunState(run)
			delete(d.open, id)
			continue
		}
		n := 0
		for _, o := range run.Placements {
			if o.State != placements.RunQueued && o.State != placements.RunRunning {
				continue
			}
			n++
			if other := left[o.PlacementID]; other != "" {
				d.mismatch("runs %s and %s both wait for placement %s", other, id, o.PlacementID)
			}
			left[o.PlacementID] = id
		}
		if n == 0 {
			d.mismatch("run %s is %s, and has nothing left", id, run.State)
		}
	}
}

// maxReported is how many mismatches of one kind fail the test with their details.
const maxReported = 2

// mismatch reports what differs from the model, with the simulated time.
func (d *simulatedDay) mismatch(format string, args ...any) {
	d.Helper()
	if d.mismatches[format]++; d.mismatches[format] <= maxReported {
		d.Errorf("%s: "+format, append([]any{time.Now().UTC().Format("Jan 2 15:04:05")}, args...)...)
	}
}

// logRepeated logs how many mismatches there were of each kind that has more than were reported.
func (d *simulatedDay) logRepeated() {
	for _, format := range slices.Sorted(maps.Keys(d.mismatches)) {
		if n := d.mismatches[format]; n > maxReported {
			d.Logf("%d times: %s", n, format)
		}
	}
}
