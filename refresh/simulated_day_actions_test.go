package refresh

import (
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// requestRun requests a run of a report, or of a placement that waits.
func (d *simulatedDay) requestRun() {
	d.Helper()
	report, placement, list := d.rand.IntN(len(dayReports)), "", []*trackedPlacement(nil)
	var o placements.Options
	if waiting := d.waiting(); len(waiting) > 0 && d.rand.IntN(2) == 0 {
		p := waiting[d.rand.IntN(len(waiting))]
		report, placement, list = p.report, p.id, []*trackedPlacement{p}
		o = onEdit(placements.Overwrite)
	} else {
		list = d.of(report, "")
	}
	at := time.Now().Truncate(time.Millisecond)
	run, err := d.start(report, placement, o)
	if err != nil {
		d.mismatch("a run of report %d, placement %q, is refused: %v", report, placement, err)
		return
	}
	d.stats.requested++
	d.at(at.Add(settleTime), func() { d.checkRun(d.run(run.ID), at, list) })
}

// waiting returns the placements that waited when they were last checked.
func (d *simulatedDay) waiting() (list []*trackedPlacement) {
	for _, p := range d.tracked {
		if p.waitingRun != "" {
			list = append(list, p)
		}
	}
	return list
}

// of returns the placements of a report, all or those in one document.
func (d *simulatedDay) of(report int, document string) (list []*trackedPlacement) {
	for _, p := range d.tracked {
		if p.report == report && (document == "" || p.document == document) {
			list = append(list, p)
		}
	}
	return list
}

// stopRun stops a run that waits, which settles each of its placements.
func (d *simulatedDay) stopRun() {
	d.Helper()
	waiting := d.waiting()
	if len(waiting) == 0 {
		return
	}
	run := d.run(waiting[d.rand.IntN(len(waiting))].waitingRun)
	if run.EndedAt != "" {
		return
	}
	before := run
	must(d.T, d.engine.Stop(d.Context(), deskDeployment, run))
	d.stats.stopped++
	d.advance(20 * time.Second)
	run = d.run(run.ID)
	d.checkRunState(run)
	for _, p := range waiting {
		if p.waitingRun != run.ID || d.outcome(before, p.id).State != placements.RunQueued {
			continue
		}
		p.waitingRun, p.moved = "", time.Now()
		clear(p.since)
		if o := d.outcome(run, p.id); o.State != placements.RunStopped {
			d.mismatch("%s of stopped run %s is %s", p.document, run.ID, o.State)
		}
		if stored := d.placement(p.report, p.id); stored.LastRun == nil ||
			stored.LastRun.State == placements.RunQueued || stored.LastRun.NextAttemptAt != "" {
			d.mismatch("%s shows as its last run, which was stopped, %+v", p.document, stored.LastRun)
		}
	}
}

// moveOrDisconnect moves a placement that waits to another document, or disconnects it.
func (d *simulatedDay) moveOrDisconnect() {
	d.Helper()
	waiting := d.waiting()
	if len(waiting) == 0 {
		return
	}
	p := waiting[d.rand.IntN(len(waiting))]
	d.stats.moved++
	p.waitingRun, p.moved = "", time.Now()
	clear(p.since)
	if d.rand.IntN(2) == 0 {
		_, _, err := d.store.Placements().Disconnect(d.Context(), deskDeployment, d.reports[p.report], placements.Target{PlacementID: p.id},
			record.Actor{ID: 7, Actions: []string{record.ActionAll}}, nil, false)
		must(d.T, err)
		d.tracked = slices.DeleteFunc(d.tracked, func(one *trackedPlacement) bool { return one == p })
		return
	}
	p.document = fmt.Sprintf("moved-%d", d.stats.moved)
	d.place(p.report, p.id, p.document, placer, "")
}

// planCrash plans that an agent crashes with all that a tick near that time has queued.
func (d *simulatedDay) planCrash(near time.Time) {
	t := d.schedules[1]
	at := near.Truncate(time.Hour).Add(time.Duration(t.first) * time.Minute)
	d.at(at.Add(-time.Second), func() {
		time.Sleep(time.Until(at))
		list, now, _, err := d.agents[0].engine.queue.PopDue(d.Context(), dueLimit, dueLease)
		must(d.T, err)
		must(d.T, d.agents[0].dispatch(d.Context(), list, now))
		if d.crashAgent() > 0 {
			d.stats.crashed++
		}
	})
}

// planHold plans that an add-in holds the document of p for that time.
func (d *simulatedDay) planHold(p *trackedPlacement, o downtime) {
	g := &addinClient{simulatedService: d.simulatedService, report: p.report, id: p.id, document: p.document}
	d.at(o.from, func() {
		if d.placement(p.report, p.id).ID == "" || p.document != g.document {
			return
		}
		must(d.T, g.begin())
		g.plan()
		d.stats.holds++
		for at := o.from.Add(40 * time.Second); at.Before(o.to); at = at.Add(40 * time.Second) {
			d.at(at, func() {
				if p.document == g.document && slices.Contains(d.tracked, p) {
					g.renew()
				}
			})
		}
		d.at(o.to, func() {
			if p.document == g.document && slices.Contains(d.tracked, p) {
				g.complete()
			}
		})
	})
}
