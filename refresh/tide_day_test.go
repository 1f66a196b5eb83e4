package refresh

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// TestOneFileNeverHoldsUpAnother has two agents work on 100 documents for a day of simulated time. 20 of them come and go: they are open
// elsewhere, missing, closed to the service, out of quota, held by an add-in, reached by add-ins alone, or of a host that is not configured.
// Meanwhile people ask for runs, stop them and move placements, sources fail, and agents die. An oracle that knows the plan of the
// day, and nothing of the engine, says what each tick must leave. MOORING_TIDES is how many whole days there are, MOORING_TIDE the seed of the
// first; without them there are some hours.
func TestOneFileNeverHoldsUpAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	days, first, length := number(t, "MOORING_TIDES", 0), number(t, "MOORING_TIDE", 1), wholeDay
	if days == 0 {
		days, length = someDays, someHours
	}
	faults := hostFaults(t)
	for seed := first; seed < first+days; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
				time.Sleep(time.Until(from) - 30*time.Second)
				d := newDay(t, uint64(seed), from, length, faults)
				d.live()
				d.tellFaults()
				t.Logf("seed %d: %s", seed, d.sum)
			})
		})
	}
}

// number is that of a variable.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// berth is a placement of the day.
type berth struct {
	report       int
	id, document string
	addinOnly    bool
	asOf         time.Time
	waits        string               // the run in which it was last seen to wait
	since        map[time.Time]string // what was told of an outage, by its beginning
	moved        time.Time            // when it was last moved, stopped or placed: what was planned before is not compared
}

// timetable is a schedule of the day.
type timetable struct {
	*record.Schedule
	report       int
	every, first int // minutes
	document     string
	doomed       bool // each of its placements fails permanently
	ticks        int
}

// day is a day in a harbour.
type day struct {
	*harbour
	rand     *rand.Rand
	from, to time.Time
	tables   []*timetable
	berths   []*berth
	events   []event
	faults   map[string]int  // by kind
	open     map[string]bool // runs that had not ended when they were last looked at
	sum      tally
}

// event is something to do at a time.
type event struct {
	at time.Time
	do func()
}

// tally counts what a day had.
type tally struct{ ticks, done, waited, failed, skipped, retried, asked, stopped, moved, died, held int }

func (s tally) String() string {
	return fmt.Sprintf("%d ticks: %d placements refreshed, %d waited, %d failed permanently, %d left to add-ins; %d waits looked at again when they "+
		"were to be tried; %d runs asked for, %d stopped, %d placements moved or disconnected, %d agents died, %d holds by add-ins",
		s.ticks, s.done, s.waited, s.failed, s.skipped, s.retried, s.asked, s.stopped, s.moved, s.died, s.held)
}

// How long a whole day is, so that what is missing from its beginning is missing for more than 24 hours, and how soon after its tick all of a run
// is done that can be: an agent's entries are another's after 10 s of its death.
const (
	wholeDay  = 26*time.Hour + 30*time.Minute
	someHours = 4*time.Hour + 30*time.Minute
	someDays  = 1 // of some hours
	settled   = 50 * time.Second
)

// The kinds of documents, as many as there are of a report.
var fleets = []struct {
	query        string
	every, first int
	overlap      string
	healthy      int
	trouble      []placements.Reason
}{
	{"q0", 5, 4, record.OverlapSkip, 4, []placements.Reason{placements.ReasonLocked}},
	{
		"q1", 15, 2, record.OverlapQueue, 10,
		[]placements.Reason{placements.ReasonMissing, placements.ReasonLocked, placements.ReasonQuota, placements.ReasonHeld, placements.ReasonAddinOnly},
	},
	{
		"q2", 60, 7, record.OverlapSkip, 33,
		[]placements.Reason{
			placements.ReasonLocked, placements.ReasonMissing, placements.ReasonMissing, noAccess, placements.ReasonQuota, placements.ReasonHeld,
			placements.ReasonAddinOnly,
		},
	},
	{
		steady + " q3", 60, 27, record.OverlapQueue, 33,
		[]placements.Reason{
			placements.ReasonLocked, placements.ReasonMissing, noAccess, noAccess, placements.ReasonQuota, placements.ReasonHeld, placements.ReasonAddinOnly,
		},
	},
}

func newDay(t *testing.T, seed uint64, from time.Time, length time.Duration, faults map[placements.Reason]placements.Fault) *day {
	t.Helper()
	d := &day{
		harbour: newHarbour(t, 2, faults), rand: rand.New(rand.NewPCG(seed, 0)), from: from, to: from.Add(length), open: map[string]bool{},
		faults: map[string]int{},
	}
	d.source.down["q1"] = d.outagesOf(3, 10*time.Minute, 11*time.Minute, placements.ReasonSource)
	for i, f := range fleets {
		d.report(f.query)
		for n := range f.healthy {
			d.moor(i, fmt.Sprintf("healthy-%d-%d", i, n))
		}
		for n, reason := range f.trouble {
			d.trouble(i, n, reason)
		}
		d.timetable(timetable{report: i, every: f.every, first: f.first}, f.overlap)
	}
	for n := range 5 { // which have a block of another report, too
		d.moor(2, fmt.Sprintf("healthy-1-%d", n))
	}
	d.timetable(timetable{report: 2, every: 20, first: 8, document: "healthy-2-0"}, record.OverlapSkip)
	d.others()
	d.plan()
	return d
}

// others makes a schedule of which everything fails permanently, and one that only add-ins could refresh.
func (d *day) others() {
	d.Helper()
	doomed := d.report("q4")
	d.books.absent["never-there"] = true
	d.books.outages["closed"] = []ebb{{d.from.Add(-time.Hour), d.to.Add(time.Hour), noAccess}}
	d.moor(doomed, "never-there")
	d.moor(doomed, "closed")
	d.timetable(timetable{report: doomed, every: 20, first: 13, doomed: true}, record.OverlapSkip)
	alone := d.report("q5")
	d.addinOnly(alone, 0)
	d.addinOnly(alone, 1)
	d.timetable(timetable{report: alone, every: 20, first: 18}, record.OverlapSkip)
}

func (d *day) moor(report int, document string) *berth {
	d.Helper()
	p := d.place(report, "", document, clerk, "")
	b := &berth{report: report, id: p.ID, document: document, since: map[time.Time]string{}}
	d.berths = append(d.berths, b)
	return b
}

// addinOnly places a report where no agent comes: a document with the id of an add-in's, or one of a host that is not configured, by a reader.
func (d *day) addinOnly(report, n int) {
	d.Helper()
	document, by, on := fmt.Sprintf("0b5e2f6c-9d3a-4c1e-8f00-0000000%d000%d", report, n), clerk, placements.Host("")
	if (report+n)%2 == 0 {
		document, on = fmt.Sprintf("colleague's-%d-%d", report, n), placements.SheetsA
		by = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
	}
	p := d.place(report, "", document, by, on)
	d.berths = append(d.berths, &berth{report: report, id: p.ID, document: document, addinOnly: true, since: map[time.Time]string{}})
}

// trouble places a report in a document that comes and goes.
func (d *day) trouble(report, n int, reason placements.Reason) {
	d.Helper()
	if reason == placements.ReasonAddinOnly {
		d.addinOnly(report, n)
		return
	}
	document := fmt.Sprintf("%s-%d-%d", reason, report, n)
	b := d.moor(report, document)
	switch {
	case reason == placements.ReasonMissing && n == 2:
		d.books.outages[document] = []ebb{{d.from.Add(70 * time.Minute), d.to.Add(time.Hour), reason}}
	case reason == placements.ReasonHeld:
		d.books.outages[document] = slices.DeleteFunc(d.outagesOf(8, 2*time.Minute, 9*time.Minute, reason), func(o ebb) bool {
			return slices.ContainsFunc(d.source.down[fleets[report].query], func(down ebb) bool {
				return down.from.Before(o.to.Add(time.Minute)) && down.to.After(o.from.Add(-5*time.Minute)) // an add-in needs the source
			})
		})
		for i := range d.books.outages[document] {
			o := &d.books.outages[document][i]
			o.from = o.from.Truncate(5 * time.Minute) // no tick is near it
			d.hold(b, *o)
		}
	default:
		d.books.outages[document] = d.outagesOf(6, 3*time.Minute, 3*time.Hour, reason)
	}
}

// outagesOf are up to n outages of some length, between which each schedule has a tick.
func (d *day) outagesOf(n int, least, most time.Duration, reason placements.Reason) (list []ebb) {
	at, length := d.from.Add(65*time.Minute), d.to.Sub(d.from)
	most = min(most, length/4)
	for range n {
		at = at.Add(time.Duration(d.rand.Int64N(int64(min(2*time.Hour, length/6)))))
		to := at.Add(least + time.Duration(d.rand.Int64N(int64(most-least))))
		if to.After(d.to.Add(-75 * time.Minute)) {
			break
		}
		list = append(list, ebb{at, to, reason})
		at = to.Add(75 * time.Minute)
	}
	return list
}

func (d *day) timetable(t timetable, overlap string) {
	d.Helper()
	cron := fmt.Sprintf("%d * * * *", t.first)
	if t.every < 60 {
		cron = fmt.Sprintf("%d-59/%d * * * *", t.first, t.every)
	}
	t.Schedule = d.schedule(t.report, t.document, cron, overlap)
	d.tables = append(d.tables, &t)
}

// at plans something.
func (d *day) at(when time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(d.events, when, func(e event, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1
	})
	d.events = slices.Insert(d.events, i, event{when, do})
}

// plan plans the looks at ticks, and what people do. Ticks are in the minutes 2, 3 and 4 of each 5.
func (d *day) plan() {
	for _, t := range d.tables {
		for at := d.from.Add(time.Duration(t.first) * time.Minute); at.Before(d.to); at = at.Add(time.Duration(t.every) * time.Minute) {
			d.at(at.Add(settled), func() { d.look(t, at) })
		}
	}
	people := instants(d.rand, d.from.Add(90*time.Minute), d.to.Sub(d.from)-150*time.Minute, int(d.to.Sub(d.from)/(30*time.Minute)), 7*time.Minute)
	for i, at := range people {
		at = at.Truncate(5 * time.Minute).Add(time.Minute)
		switch i % 5 {
		case 0, 1:
			d.at(at, d.request)
		case 2:
			d.at(at, d.stop)
		case 3:
			d.at(at, d.leave)
		default:
			d.mortal(at)
		}
	}
}

// live lets the day pass.
func (d *day) live() {
	d.Helper()
	for len(d.events) > 0 {
		next := d.events[0]
		d.events = d.events[1:]
		if next.at.After(d.to) {
			break
		}
		d.until(next.at)
		next.do()
	}
	d.until(d.to)
	d.lookAtOpen()
}

// request has a person ask for a run: of a report, or of a placement that waits.
func (d *day) request() {
	d.Helper()
	report, placement, list := d.rand.IntN(len(fleets)), "", []*berth(nil)
	var o placements.Options
	if waiting := d.waiting(); len(waiting) > 0 && d.rand.IntN(2) == 0 {
		b := waiting[d.rand.IntN(len(waiting))]
		report, placement, list = b.report, b.id, []*berth{b}
		o = onEdit(placements.Overwrite)
	} else {
		list = d.of(report, "")
	}
	at := time.Now().Truncate(time.Millisecond)
	run, err := d.start(report, placement, o)
	if err != nil {
		d.fault("a run of report %d, placement %q, is refused: %v", report, placement, err)
		return
	}
	d.sum.asked++
	d.at(at.Add(settled), func() { d.judge(d.harbour.run(run.ID), at, list) })
}

// waiting are the placements that were last seen to wait.
func (d *day) waiting() (list []*berth) {
	for _, b := range d.berths {
		if b.waits != "" {
			list = append(list, b)
		}
	}
	return list
}

// of are the placements of a report, or those in one document.
func (d *day) of(report int, document string) (list []*berth) {
	for _, b := range d.berths {
		if b.report == report && (document == "" || b.document == document) {
			list = append(list, b)
		}
	}
	return list
}

// stop stops a run that waits: all of it is settled then.
func (d *day) stop() {
	d.Helper()
	waiting := d.waiting()
	if len(waiting) == 0 {
		return
	}
	run := d.harbour.run(waiting[d.rand.IntN(len(waiting))].waits)
	if run.EndedAt != "" {
		return
	}
	before := run
	must(d.T, d.engine.Stop(d.Context(), deskDeployment, run))
	d.sum.stopped++
	d.pass(20 * time.Second)
	run = d.harbour.run(run.ID)
	d.judgeEnd(run)
	for _, b := range waiting {
		if b.waits != run.ID || d.outcome(before, b.id).State != placements.RunQueued {
			continue
		}
		b.waits, b.moved = "", time.Now()
		clear(b.since)
		if o := d.outcome(run, b.id); o.State != placements.RunStopped {
			d.fault("%s of stopped run %s is %s", b.document, run.ID, o.State)
		}
		if p := d.standing(b.report, b.id); p.LastRun == nil || p.LastRun.State == placements.RunQueued || p.LastRun.NextAttemptAt != "" {
			d.fault("%s shows as its last run, which was stopped, %+v", b.document, p.LastRun)
		}
	}
}

// leave has a person move a placement that waits to another document, or disconnect it.
func (d *day) leave() {
	d.Helper()
	waiting := d.waiting()
	if len(waiting) == 0 {
		return
	}
	b := waiting[d.rand.IntN(len(waiting))]
	d.sum.moved++
	b.waits, b.moved = "", time.Now()
	clear(b.since)
	if d.rand.IntN(2) == 0 {
		_, _, err := d.store.Disconnect(d.Context(), deskDeployment, d.reports[b.report], placements.Target{PlacementID: b.id},
			record.Actor{ID: 7, Actions: []string{record.ActionAll}}, nil, false)
		must(d.T, err)
		d.berths = slices.DeleteFunc(d.berths, func(one *berth) bool { return one == b })
		return
	}
	b.document = fmt.Sprintf("harbour-%d", d.sum.moved)
	d.place(b.report, b.id, b.document, clerk, "")
}

// mortal has an agent die with all that the tick of a report left in the queues.
func (d *day) mortal(near time.Time) {
	t := d.tables[1]
	at := near.Truncate(time.Hour).Add(time.Duration(t.first) * time.Minute)
	d.at(at.Add(-time.Second), func() {
		time.Sleep(time.Until(at))
		list, now, _, err := d.crew[0].queue.PopDue(d.Context(), dueLimit, dueLease)
		must(d.T, err)
		must(d.T, d.crew[0].dispatch(d.Context(), list, now))
		if d.die() > 0 {
			d.sum.died++
		}
	})
}

// hold has an add-in hold a document.
func (d *day) hold(b *berth, o ebb) {
	g := &guest{harbour: d.harbour, report: b.report, id: b.id, document: b.document}
	d.at(o.from, func() {
		if d.standing(b.report, b.id).ID == "" || b.document != g.document {
			return
		}
		must(d.T, g.arrive())
		g.plan()
		d.sum.held++
		for at := o.from.Add(40 * time.Second); at.Before(o.to); at = at.Add(40 * time.Second) {
			d.at(at, func() {
				if b.document == g.document && slices.Contains(d.berths, b) {
					g.stay()
				}
			})
		}
		d.at(o.to, func() {
			if b.document == g.document && slices.Contains(d.berths, b) {
				g.depart()
			}
		})
	})
}
