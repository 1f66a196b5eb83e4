package refresh

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// examples is how many of the faults of one kind are told.
const examples = 2

// fault says what is not as it should be.
func (d *day) fault(format string, args ...any) {
	d.Helper()
	if d.faults[format]++; d.faults[format] <= examples {
		d.Errorf("%s: "+format, append([]any{time.Now().UTC().Format("Jan 2 15:04:05")}, args...)...)
	}
}

// tellFaults says how many faults there were of each kind that has more than were told.
func (d *day) tellFaults() {
	for _, format := range slices.Sorted(maps.Keys(d.faults)) {
		if n := d.faults[format]; n > examples {
			d.Logf("%d times: %s", n, format)
		}
	}
}

// look judges the tick of a schedule.
func (d *day) look(t *timetable, at time.Time) {
	d.Helper()
	t.ticks++
	c, err := d.store.Schedule(d.Context(), deskDeployment, t.ID)
	must(d.T, err)
	if t.doomed {
		d.lookAtDoomed(t, c, at)
		return
	}
	if c.Paused || c.PausedReason != "" {
		d.fault("the schedule of report %d, at %v, is paused: %s", t.report, t.Cron, c.PausedReason)
		return
	}
	d.sum.ticks++
	run, err := d.store.Queue().Run(d.Context(), deskDeployment, record.RunID(t.ID, at))
	if err != nil {
		d.fault("the tick of report %d has no run: %v", t.report, err)
		return
	}
	d.judge(run, at, d.of(t.report, t.document))
	d.lookAtOpen()
}

// lookAtDoomed looks at a schedule each of whose placements fails permanently: it pauses after five ticks, and says which.
func (d *day) lookAtDoomed(t *timetable, c *record.Schedule, at time.Time) {
	d.Helper()
	run, err := d.store.Queue().Run(d.Context(), deskDeployment, record.RunID(t.ID, at))
	if t.ticks > 5 {
		if err == nil {
			d.fault("a schedule of which everything failed has tick %d", t.ticks)
		}
		return
	}
	must(d.T, err)
	if run.State != placements.RunFailed {
		d.fault("a run of which everything fails is %s", run.State)
	}
	for _, o := range run.Placements {
		if o.NextAttemptAt != "" || o.State != placements.RunFailed {
			d.fault("what fails permanently is %+v", o)
		}
	}
	switch paused := c.PausedReason != ""; {
	case paused != (t.ticks == 5):
		d.fault("after %d ticks of which everything failed, the schedule says: %q", t.ticks, c.PausedReason)
	case paused && !strings.Contains(c.PausedReason, "never-there") && !strings.Contains(c.PausedReason, "closed"):
		d.fault("the pause names no document: %s", c.PausedReason)
	}
}

// expectation is what a run must say of a placement.
type expectation struct {
	state  placements.RunState // empty: both may be so
	reason placements.Reason
	class  placements.Class
	out    ebb
}

// expected is what a run that was accepted at a time must have left of a placement until now.
func (d *day) expected(b *berth, at time.Time) expectation {
	now := time.Now()
	if b.addinOnly {
		return expectation{state: placements.RunSkipped, reason: placements.ReasonAddinOnly}
	}
	var out []ebb
	for _, o := range slices.Concat(d.books.outages[b.document], d.source.down[fleets[b.report].query]) {
		if o.from.Before(now) && o.to.After(at) {
			out = append(out, o)
		}
	}
	switch {
	case b.moved.After(at):
		return expectation{}
	case len(out) == 0:
		return expectation{state: placements.RunSucceeded}
	case len(out) > 1: // a source that is down is waited for only so long, whatever was waited for before
		clear(b.since)
		return expectation{}
	case out[0].from.After(at) || out[0].to.Before(now):
		return expectation{}
	case out[0].reason == noAccess:
		return expectation{state: placements.RunFailed, class: placements.Auth}
	}
	waits := expectation{state: placements.RunQueued, reason: out[0].reason, out: out[0]}
	if since, told := b.since[out[0].from]; told && waits.reason == placements.ReasonMissing {
		switch gone := shownTime(since).Add(24 * time.Hour); {
		case !at.Before(gone):
			return expectation{state: placements.RunFailed, class: placements.Structure, out: out[0]}
		case now.After(gone):
			return expectation{}
		}
	}
	return waits
}

// shownTime is a time as it is told; zero for none.
func shownTime(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// judge judges what a run that was accepted at a time has left of placements.
func (d *day) judge(run *record.Run, at time.Time, list []*berth) {
	d.Helper()
	if run.EndedAt == "" {
		d.open[run.ID] = true
	}
	for _, b := range list {
		if !slices.Contains(d.berths, b) || b.moved.After(at) {
			continue
		}
		o := d.outcome(run, b.id)
		d.judgeOlder(b, run, o)
		switch want := d.expected(b, at); {
		case want.state == "":
			d.remember(b, run, o)
		case o.State != want.state || o.Reason != want.reason || want.class != "" && o.ErrorClass != want.class:
			d.fault("run %s of %s: %s is %s (reason %q, %s: %s), want %s %s%s", run.ID, at.Format("15:04"), b.document, o.State, o.Reason, o.ErrorClass,
				o.Error, want.state, want.reason, want.class)
			d.remember(b, run, o)
		case want.state == placements.RunSucceeded:
			d.judgeDone(b, run, at)
		case want.state == placements.RunQueued:
			d.judgeWait(b, run, o, want)
		default:
			d.judgeFinal(b, run, o, at, want)
		}
	}
	d.judgeEnd(run)
}

// remember notes whether a placement waits.
func (d *day) remember(b *berth, run *record.Run, o record.RunPlacement) {
	if b.waits = ""; o.State == placements.RunQueued {
		b.waits = run.ID
		d.at(shownTime(o.NextAttemptAt).Add(settled), func() { d.judgeRetry(b, run.ID, shownTime(o.NextAttemptAt)) })
	}
	d.judgeAge(b)
}

// judgeAge checks that what a placement shows grows no older.
func (d *day) judgeAge(b *berth) {
	d.Helper()
	asOf := shownTime(d.standing(b.report, b.id).AsOf)
	if asOf.Before(b.asOf) {
		d.fault("%s was as of %s and is as of %s", b.document, b.asOf, asOf)
	}
	b.asOf = asOf
}

// judgeDone checks a placement that was refreshed.
func (d *day) judgeDone(b *berth, run *record.Run, at time.Time) {
	d.Helper()
	d.sum.done++
	b.waits = ""
	clear(b.since)
	d.judgeAge(b)
	p, asked := d.standing(b.report, b.id), d.asked(b.report, b.document)
	switch {
	case b.asOf.Before(at):
		d.fault("%s was refreshed by the tick of %s and is as of %q", b.document, at.Format("15:04"), p.AsOf)
	case strings.HasPrefix(fleets[b.report].query, steady): // what it shows does not tell
	case asked.Sub(b.asOf).Abs() > time.Second:
		d.fault("%s is said to be as of %s and shows what the source said at %s", b.document, p.AsOf, asked)
	}
	if p.LastRun == nil || p.LastRun.RunID != run.ID || p.LastRun.State != placements.RunSucceeded || p.LastRun.NextAttemptAt != "" {
		d.fault("%s was refreshed by run %s, its last run is %+v", b.document, run.ID, p.LastRun)
	}
}

// judgeWait checks a placement that waits: since the first try of its outage, for a try that lies ahead.
func (d *day) judgeWait(b *berth, run *record.Run, o record.RunPlacement, want expectation) {
	d.Helper()
	d.sum.waited++
	since, now := shownTime(o.Since), time.Now()
	told, before := b.since[want.out.from]
	switch {
	case o.Error == "":
		d.fault("%s waits (%s) without a sentence", b.document, o.Reason)
	case since.Before(want.out.from) && b.waits == "" || since.After(now): // it may have waited for the source before
		d.fault("%s waits since %q, its outage began %s", b.document, o.Since, want.out.from)
	case before && told != o.Since:
		d.fault("%s waited since %s, and now since %s", b.document, told, o.Since)
	}
	if !shownTime(o.NextAttemptAt).After(now) {
		d.fault("%s waits for a next try at %q", b.document, o.NextAttemptAt)
	}
	b.since[want.out.from] = o.Since
	if p := d.standing(b.report, b.id); p.LastRun == nil || p.LastRun.RunID != run.ID || p.LastRun.Reason != o.Reason || p.LastRun.Since != o.Since ||
		p.LastRun.NextAttemptAt != o.NextAttemptAt {
		d.fault("%s waits as %+v, and shows %+v", b.document, o, p.LastRun)
	}
	d.remember(b, run, o)
}

// judgeFinal checks a placement that is not tried again before the next tick.
func (d *day) judgeFinal(b *berth, run *record.Run, o record.RunPlacement, at time.Time, want expectation) {
	d.Helper()
	b.waits = ""
	p := d.standing(b.report, b.id)
	if o.NextAttemptAt != "" || o.Since != "" && want.class == "" {
		d.fault("%s is %s, and has a next try at %q, since %q", b.document, o.State, o.NextAttemptAt, o.Since)
	}
	if want.state == placements.RunSkipped {
		d.sum.skipped++
		if p.LastRun != nil || p.AsOf != "" {
			d.fault("the status of %s, which only an add-in reaches, has changed: %+v", b.document, p.LastRun)
		}
		return
	}
	d.sum.failed++
	if o.Error == "" || p.LastRun == nil || p.LastRun.State != placements.RunFailed || p.LastRun.RunID != run.ID || p.LastRun.NextAttemptAt != "" {
		d.fault("%s failed permanently (%q), its last run is %+v", b.document, o.Error, p.LastRun)
	}
	if n := d.books.opened(b.document, at); n != 1 {
		d.fault("%s was looked for %d times by a tick that gave it up", b.document, n)
	}
	d.judgeAge(b)
}

// judgeOlder checks that a run in which a placement waited has nothing to do with it once a newer one has it.
func (d *day) judgeOlder(b *berth, run *record.Run, now record.RunPlacement) {
	d.Helper()
	if b.waits == "" || b.waits == run.ID {
		return
	}
	older := d.outcome(d.harbour.run(b.waits), b.id)
	switch {
	case older.State == placements.RunQueued || older.State == placements.RunRunning:
		d.fault("%s still is %s in run %s, and %s in the newer run %s", b.document, older.State, b.waits, now.State, run.ID)
	case older.State == placements.RunSuperseded && older.SupersededBy != run.ID:
		d.fault("%s is SUPERSEDED in run %s by %q, want %s", b.document, b.waits, older.SupersededBy, run.ID)
	case older.State == placements.RunSuperseded && older.NextAttemptAt != "":
		d.fault("%s is SUPERSEDED in run %s, and has a next try", b.document, b.waits)
	case older.State != placements.RunSuperseded && now.State == placements.RunQueued && now.Since != "" && now.Since == b.lastSince():
		d.fault("%s has waited since %s; in the older run %s it is %s, want SUPERSEDED", b.document, now.Since, b.waits, older.State)
	}
}

// lastSince is what was told of the last outage.
func (b *berth) lastSince() (since string) {
	for _, told := range b.since {
		since = max(since, told)
	}
	return since
}

// judgeRetry checks a placement some time after it was to be tried again.
func (d *day) judgeRetry(b *berth, runID string, tried time.Time) {
	d.Helper()
	if b.waits != runID || b.moved.After(tried) {
		return
	}
	d.sum.retried++
	run := d.harbour.run(runID)
	o := d.outcome(run, b.id)
	if o.State != placements.RunQueued {
		return
	}
	if !shownTime(o.NextAttemptAt).After(tried) {
		d.fault("%s was to be tried at %s in run %s, and was not: the run is %s until %q, the placement %s until %q", b.document, tried, runID, run.State,
			run.NextAttemptAt, o.State, o.NextAttemptAt)
		return
	}
	if want := d.expected(b, tried); want.state == placements.RunSucceeded {
		d.fault("%s can be reached since before %s, when it was to be tried in run %s; it still is %s until %s", b.document, tried, runID, o.State,
			o.NextAttemptAt)
	}
	d.remember(b, run, o)
}

// judgeEnd checks that a run is in the state that its placements make.
func (d *day) judgeEnd(run *record.Run) {
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
		d.fault("run %s is %s, ended %q, want %s; its placements are %v", run.ID, run.State, run.EndedAt, want, has)
	}
}

// lookAtOpen checks that runs that have not ended have something left, each placement being left to one.
func (d *day) lookAtOpen() {
	d.Helper()
	left := map[string]string{}
	for id := range d.open {
		run := d.harbour.run(id)
		if run.EndedAt != "" {
			d.judgeEnd(run)
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
				d.fault("runs %s and %s both wait for placement %s", other, id, o.PlacementID)
			}
			left[o.PlacementID] = id
		}
		if n == 0 {
			d.fault("run %s is %s, and has nothing left", id, run.State)
		}
	}
}
