package storage_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// Whatever is done to reports, placements and runs, the lists of placements have exactly what is stored, also while runs go on, and a
// program that finds no lists makes the same.
func TestListsOfPlacementsHaveWhatIsStored(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		seed := rand.Uint64()
		c.Logf("seed %d", seed)
		reports := []int64{c.report.ID, create(c.T, c.s, c.d(), named("Other", "select 2")).ID}
		w := &randomWrites{clockwork: c, rand: rand.New(rand.NewPCG(seed, 0)), reports: reports}
		for range 12 {
			for range 20 {
				w.write()
			}
			checkIndex(c.T, c.s.Dump(c.T))
			c.checkCounts()
		}
		c.checkLayout2()
		for _, a := range w.running {
			w.end(a)
		}
		c.checkLayout2()
	})
}

// checkLayout2 checks that a program of the present layout makes the lists that there are, after one of layout 2.
func (c *clockwork) checkLayout2() {
	c.Helper()
	before := c.s.Dump(c.T)
	checkIndex(c.T, before)
	for key := range keptIndex(before) {
		must(c.T, c.s.Client().Del(c.Context(), key).Err())
	}
	c.s.FixLayoutFrom(c.T, 2)
	wantSameDump(c.T, before, c.s.Dump(c.T))
	c.s.FixLayoutFrom(c.T, 2) // one that was interrupted is done again
	wantSameDump(c.T, before, c.s.Dump(c.T))
}

// randomWrites writes to two reports of a clockwork at random.
type randomWrites struct {
	*clockwork
	rand    *rand.Rand
	reports []int64
	running []*queue.Attempt
	edited  int
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// who may read every report.
func (w *randomWrites) who() record.Actor {
	return record.Actor{ID: oneOf(w.rand, ada.ID, bob.ID), Actions: []string{record.ActionReportRead, record.ActionReportEdit}}
}

func (w *randomWrites) write() {
	w.Helper()
	report := oneOf(w.rand, w.reports...)
	switch w.rand.IntN(14) {
	case 0, 1, 2, 3:
		c := w.connection()
		c.Parameters = w.settings(load(w.T, w.s, w.d(), report).Parameters)
		_, _ = w.s.Placements().Connect(w.Context(), w.d(), report, c, w.who(), nil, w.rand.IntN(2) == 0) // something may stand there
	case 4, 5:
		_, _, err := w.s.Placements().Disconnect(w.Context(), w.d(), report, w.target(), w.who(), nil, true)
		must(w.T, err)
	case 6:
		_, err := w.s.Placements().RecordRefresh(w.Context(), w.d(), report, placements.Rewrite{Target: w.target()}, w.who(), nil)
		must(w.T, err)
	case 7:
		w.edit(report)
	case 8:
		p := placements.Placement{
			ID: oneOf(w.rand, "", "i1", "i2"), WorkbookID: oneOf(w.rand, "book", "old book"), ResultLocation: oneOf(w.rand, "Old!A1", "Old!C3"), PlacedAt: oneOf(w.rand, "", "2020-02-29T09:00:00+02:00"),
			PlacedByUserID: w.rand.Int64N(4) - 1, // an identity provider may number people as it likes
		}
		run := oneOf(w.rand, nil, &placements.LastRun{RunID: "r", State: placements.RunFailed, EndedAt: "2020-03-01T07:00:00.000Z"}, &placements.LastRun{
			RunID: "r", State: placements.RunQueued, Reason: oneOf(w.rand, placements.Waits()...), Since: "2020-03-01T07:00:00.000Z",
		})
		_ = storagetest.Import(w.Context(), w.s, w.d(), report, []storage.Placed{{Placement: p, LastRun: run}}) // something may stand there
	case 9:
		w.replace()
	case 10:
		w.s.ForgetPlacements()
	default:
		w.work(report)
	}
}

func (w *randomWrites) connection() placements.Connection {
	return placements.Connection{
		ExternalWorkbookID: oneOf(w.rand, "book", "a \"b\"\t é", "q: 1/2"), ResultLocation: oneOf(w.rand, "Data!A1", "Data!C3", "Other!A1"), PlacementID: oneOf(w.rand, "", "p1", "p2"),
		Host: oneOf(w.rand, placements.SheetsA, placements.SheetsB), AddressOnly: w.rand.IntN(3) == 0, SheetID: oneOf(w.rand, "", "7"),
	}
}

// settings are what a connect says of a report's parameters, which may be none.
func (w *randomWrites) settings(of []placements.Parameter) (o placements.Optional[placements.ParameterSettings]) {
	switch {
	case w.rand.IntN(3) == 0:
		return o
	case w.rand.IntN(3) == 0:
		return placements.Null[placements.ParameterSettings]()
	}
	said := placements.ParameterSettings{}
	for _, p := range of {
		said[p.Name] = placements.ParameterSetting{Value: new(placements.OneValue(placements.TextScalar(oneOf(w.rand, "North", "South"))))}
	}
	return placements.Sent(said)
}

// parameters are those of an edit.
func (w *randomWrites) parameters() placements.Optional[[]placements.Parameter] {
	region := placements.Parameter{Name: "region", Type: placements.ParameterText}
	if w.rand.IntN(2) == 0 {
		region.Default = new(placements.OneValue(placements.TextScalar(oneOf(w.rand, "North", "South"))))
	}
	return placements.Sent(oneOf(w.rand, nil, []placements.Parameter{region}))
}

func (w *randomWrites) target() placements.Target {
	c := w.connection()
	if c.PlacementID != "" {
		return placements.Target{PlacementID: c.PlacementID}
	}
	return placements.Target{ExternalWorkbookID: c.ExternalWorkbookID, ResultLocation: c.ResultLocation}
}

// edit changes a report's definition in one of the ways that there are.
func (w *randomWrites) edit(report int64) {
	w.Helper()
	w.edited++
	in := record.ReportInput{SQLQuery: placements.Sent(oneOf(w.rand, "select 1", "select 2"))}
	if w.rand.IntN(3) == 0 {
		in = record.ReportInput{Name: placements.Sent("Edit " + strconv.Itoa(w.edited))}
	}
	if w.rand.IntN(3) == 0 {
		in.Parameters = w.parameters()
	}
	if w.rand.IntN(3) == 0 {
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent(oneOf(w.rand, "Data!A1", "Sent!A1"))
	}
	if w.rand.IntN(2) == 0 {
		_, err := w.s.Reports().Update(w.Context(), w.d(), report, in, w.who(), anyone)
		must(w.T, err)
		return
	}
	_, err := w.s.Reports().Upsert(w.Context(), w.d(), load(w.T, w.s, w.d(), report).PublicID, in, w.who(), anyone)
	must(w.T, err)
}

// replace deletes the second report with its placements, and makes another one.
func (w *randomWrites) replace() {
	w.Helper()
	if w.rand.IntN(4) > 0 {
		return
	}
	must(w.T, w.s.Reports().Delete(w.Context(), w.d(), w.reports[1], ada, anyone))
	w.reports[1] = create(w.T, w.s, w.d(), named("Other", "select 2")).ID
}

// work lets a run of a report begin, or go on, or end.
func (w *randomWrites) work(report int64) {
	w.Helper()
	_ = storagetest.Enqueue(w.Context(), w.q, w.d(), &record.Run{ReportID: report, ExternalWorkbookID: oneOf(w.rand, "", "book")}) // one may run
	for _, e := range w.take("agent") {
		a, err := w.q.Queue.Begin(w.Context(), "agent", e)
		if err != nil {
			continue
		}
		overtaken := func(before *queue.Attempt) bool { return before.Run.ID == a.Run.ID } // it ends nothing any more
		w.running = append(slices.DeleteFunc(w.running, overtaken), a)
		loaded, err := w.q.Load(w.Context(), a)
		if err != nil {
			continue // the report was deleted
		}
		ids := []string{"gone"}
		for _, p := range loaded.Placements {
			if target := a.Run.Target(); target.Has(p.Placement) {
				ids = append(ids, p.ID)
			}
		}
		if w.rand.IntN(2) == 0 {
			must(w.T, w.q.Queue.MarkRunning(w.Context(), w.d(), a.Run, ids))
			continue
		}
		var claims []queue.Claim
		for _, id := range ids {
			claims = append(claims, queue.Claim{PlacementID: id, Takes: true, Waited: oneOf(w.rand, "", placements.ReasonLocked)})
		}
		_, err = w.q.Queue.Claim(w.Context(), a, claims, false) // another run may want one of them
		must(w.T, err)
	}
	if len(w.running) > 2 {
		w.end(w.running[0])
		w.running = w.running[1:]
	}
}

// end ends an attempt with some outcome on each of its placements as they are now.
func (w *randomWrites) end(a *queue.Attempt) {
	w.Helper()
	now := placements.Time(time.Now())
	a.Run.State, a.Run.EndedAt = placements.RunSucceeded, now
	var o work.Outcome
	if oneOf(w.rand, true, true, false) {
		if r, err := w.s.Reports().Get(w.Context(), w.d(), a.Run.ReportID); err == nil {
			for _, p := range r.Placements {
				if target := a.Run.Target(); p.ID != "" && target.Has(p.Placement) {
					o.Placements = append(o.Placements, w.outcome(a, p, r.CurrentChecksum, now))
				}
			}
		}
	}
	if w.rand.IntN(3) == 0 {
		a.Run.State, o.Again = placements.RunQueued, time.Now()
	}
	err := w.q.Complete(w.Context(), a, o)
	if errors.Is(err, queue.ErrTaken) { // a run that has nothing left does not wait
		a.Run.State, o.Again = placements.RunSuperseded, time.Time{}
		err = w.q.Complete(w.Context(), a, o)
	}
	must(w.T, err)
}

func (w *randomWrites) outcome(a *queue.Attempt, p storage.Placed, query, now string) work.PlacementOutcome {
	o := work.PlacementOutcome{
		Placement: p.Placement, Before: p, LastRun: placements.LastRun{RunID: a.Run.ID, State: placements.RunSucceeded, EndedAt: now},
	}
	switch w.rand.IntN(4) {
	case 0:
		o.LastRun.State = oneOf(w.rand, placements.RunFailed, placements.RunQueued, placements.RunStopped)
		o.LastRun.Reason = oneOf(w.rand, "", placements.ReasonLocked) // which counts only where it is QUEUED
		o.LastRun.ErrorClass = oneOf(w.rand, "", placements.Conflict, placements.Transient, placements.Permanent)
	case 1:
		o.LastRun.State, o.LastRun.Reason = placements.RunQueued, oneOf(w.rand, placements.Waits()...)
		o.LastRun.EndedAt = oneOf(w.rand, "", now) // of one that has ended, what an add-in writes later counts
	default:
		o.Written, o.Rows = true, []byte("prints")
		o.Placement.Used = oneOf(w.rand, nil, map[string]string{"region": `"North"`})
		o.Placement.QueryChecksum, o.Placement.RefreshedAt, o.Placement.EndResultCell = query, now, oneOf(w.rand, "", "D9")
		if w.rand.IntN(2) == 0 {
			o.Edits = []record.Edit{seen("e", 1, 0, monday)}
		}
		if w.rand.IntN(3) == 0 {
			o.Before.Rev = "an add-in wrote it meanwhile"
		}
	}
	return o
}
