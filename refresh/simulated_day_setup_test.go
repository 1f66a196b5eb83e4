package refresh

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// dayReports are the reports of the day: the minutes of their schedules, how many documents are always available, and why others are not at times.
var dayReports = []struct {
	query        string
	every, first int
	overlap      string
	healthy      int
	unavailable  []placements.Reason
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

func newSimulatedDay(t *testing.T, seed uint64, from time.Time, length time.Duration, faults map[placements.Reason]placements.Fault) *simulatedDay {
	t.Helper()
	d := &simulatedDay{
		simulatedService: newSimulatedService(t, 2, faults), rand: rand.New(rand.NewPCG(seed, 0)), from: from, to: from.Add(length),
		open: map[string]bool{}, mismatches: map[string]int{},
	}
	d.source.down["q1"] = d.randomDowntimes(3, 10*time.Minute, 11*time.Minute, placements.ReasonSource)
	for i, f := range dayReports {
		d.report(f.query)
		for n := range f.healthy {
			d.placeTracked(i, fmt.Sprintf("healthy-%d-%d", i, n))
		}
		for n, reason := range f.unavailable {
			d.placeUnavailable(i, n, reason)
		}
		d.trackSchedule(trackedSchedule{report: i, every: f.every, first: f.first}, f.overlap)
	}
	for n := range 5 { // documents with a block of another report, too
		d.placeTracked(2, fmt.Sprintf("healthy-1-%d", n))
	}
	d.trackSchedule(trackedSchedule{report: 2, every: 20, first: 8, document: "healthy-2-0"}, record.OverlapSkip)
	d.addOtherSchedules()
	d.plan()
	return d
}

// addOtherSchedules adds a schedule of which every placement fails permanently, and one that only add-ins can refresh.
func (d *simulatedDay) addOtherSchedules() {
	d.Helper()
	failing := d.report("q4")
	d.host.absent["absent"] = true
	d.host.downtimes["closed"] = []downtime{{d.from.Add(-time.Hour), d.to.Add(time.Hour), noAccess}}
	d.placeTracked(failing, "absent")
	d.placeTracked(failing, "closed")
	d.trackSchedule(trackedSchedule{report: failing, every: 20, first: 13, alwaysFails: true}, record.OverlapSkip)
	addinOnly := d.report("q5")
	d.placeAddinOnly(addinOnly, 0)
	d.placeAddinOnly(addinOnly, 1)
	d.trackSchedule(trackedSchedule{report: addinOnly, every: 20, first: 18}, record.OverlapSkip)
}

// placeTracked places a report in a document that agents can write.
func (d *simulatedDay) placeTracked(report int, document string) *trackedPlacement {
	d.Helper()
	stored := d.place(report, "", document, placer, "")
	p := &trackedPlacement{report: report, id: stored.ID, document: document, since: map[time.Time]string{}}
	d.tracked = append(d.tracked, p)
	return p
}

// placeAddinOnly places a report where no agent can write: in a document with an id that an add-in made, or of a host that is not configured.
func (d *simulatedDay) placeAddinOnly(report, n int) {
	d.Helper()
	document, by, on := fmt.Sprintf("0b5e2f6c-9d3a-4c1e-8f00-0000000%d000%d", report, n), placer, placements.Host("")
	if (report+n)%2 == 0 {
		document, on = fmt.Sprintf("colleague's-%d-%d", report, n), placements.SheetsA
		by = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
	}
	stored := d.place(report, "", document, by, on)
	d.tracked = append(d.tracked, &trackedPlacement{report: report, id: stored.ID, document: document, addinOnly: true, since: map[time.Time]string{}})
}

// placeUnavailable places a report in a document that is unavailable at times for that reason.
func (d *simulatedDay) placeUnavailable(report, n int, reason placements.Reason) {
	d.Helper()
	if reason == placements.ReasonAddinOnly {
		d.placeAddinOnly(report, n)
		return
	}
	document := fmt.Sprintf("%s-%d-%d", reason, report, n)
	p := d.placeTracked(report, document)
	switch {
	case reason == placements.ReasonMissing && n == 2:
		d.host.downtimes[document] = []downtime{{d.from.Add(70 * time.Minute), d.to.Add(time.Hour), reason}}
	case reason == placements.ReasonHeld:
		d.host.downtimes[document] = slices.DeleteFunc(d.randomDowntimes(8, 2*time.Minute, 9*time.Minute, reason), func(o downtime) bool {
			return slices.ContainsFunc(d.source.down[dayReports[report].query], func(down downtime) bool {
				return down.from.Before(o.to.Add(time.Minute)) && down.to.After(o.from.Add(-5*time.Minute)) // an add-in's plan queries the source
			})
		})
		for i := range d.host.downtimes[document] {
			o := &d.host.downtimes[document][i]
			o.from = o.from.Truncate(5 * time.Minute) // no tick is within a minute of it
			d.planHold(p, *o)
		}
	default:
		d.host.downtimes[document] = d.randomDowntimes(6, 3*time.Minute, 3*time.Hour, reason)
	}
}

// randomDowntimes returns up to n downtimes of a random length between least and most, so far apart that each schedule has a tick between two.
func (d *simulatedDay) randomDowntimes(n int, least, most time.Duration, reason placements.Reason) (list []downtime) {
	at, length := d.from.Add(65*time.Minute), d.to.Sub(d.from)
	most = min(most, length/4)
	for range n {
		at = at.Add(time.Duration(d.rand.Int64N(int64(min(2*time.Hour, length/6)))))
		to := at.Add(least + time.Duration(d.rand.Int64N(int64(most-least))))
		if to.After(d.to.Add(-75 * time.Minute)) {
			break
		}
		list = append(list, downtime{at, to, reason})
		at = to.Add(75 * time.Minute)
	}
	return list
}

// trackSchedule makes a schedule that fires each t.every minutes, from minute t.first of each hour on.
func (d *simulatedDay) trackSchedule(t trackedSchedule, overlap string) {
	d.Helper()
	cron := fmt.Sprintf("%d * * * *", t.first)
	if t.every < 60 {
		cron = fmt.Sprintf("%d-59/%d * * * *", t.first, t.every)
	}
	t.Schedule = d.createSchedule(t.report, t.document, cron, overlap)
	d.schedules = append(d.schedules, &t)
}

// randomTimes returns n times within that long of from, in order, any two at least apart from each other.
func randomTimes(r *rand.Rand, from time.Time, within time.Duration, n int, apart time.Duration) (list []time.Time) {
	room := within - time.Duration(n)*apart
	for range n {
		list = append(list, from.Add(time.Duration(r.Int64N(int64(room)))))
	}
	slices.SortFunc(list, time.Time.Compare)
	for i := range list {
		list[i] = list[i].Add(time.Duration(i) * apart)
	}
	return list
}
