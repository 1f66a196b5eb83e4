package storage_test

import (
	_ "embed"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/storage/storagetest"
)

// Whatever is done to reports, placements and runs, the lists of placements have exactly what is stored, also while runs go on, and a
// program that finds no lists makes the same.
func TestListsOfPlacementsHaveWhatIsStored(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		w := &randomWrites{clockwork: c, reports: []int64{c.report.ID, create(c.T, c.s, c.d(), named("Other", "select 2")).ID}}
		for range 12 {
			for range 20 {
				w.write()
			}
			checkIndex(c.T, c.s.Dump(c.T))
		}
		c.checkCounts()
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

// checkCounts checks that every number is the length of the list that it counts.
func (c *clockwork) checkCounts() {
	c.Helper()
	placed, documents, err := c.s.Standing().Counts(c.Context(), c.d())
	must(c.T, err)
	var listedPlaced, listedDocuments, inDocuments standing.Counts
	for _, one := range []struct {
		status            placements.Status
		placed, documents *int64
	}{
		{"", &listedPlaced.Total, &listedDocuments.Total},
		{placements.UpToDate, &listedPlaced.UpToDate, &listedDocuments.UpToDate},
		{placements.Changed, &listedPlaced.Changed, &listedDocuments.Changed},
		{placements.Unknown, &listedPlaced.Unknown, &listedDocuments.Unknown},
		{placements.Refreshing, &listedPlaced.Refreshing, &listedDocuments.Refreshing},
		{placements.Failed, &listedPlaced.Failed, &listedDocuments.Failed},
		{placements.Conflicted, &listedPlaced.Conflict, &listedDocuments.Conflict},
		{standing.Edited, &listedPlaced.Edited, &listedDocuments.Edited},
	} {
		for after := ""; ; {
			page, err := c.s.Standing().Placements(c.Context(), c.d(), standing.Filter{Status: one.status}, after, 3)
			must(c.T, err)
			for _, p := range page.Items {
				if status := p.View.Status(p.Definition.CurrentChecksum); one.status != "" && one.status != standing.Edited && status != one.status {
					c.Errorf("%s is in the list of %s and shown as %s", p.Member, one.status, status)
				}
			}
			*one.placed += int64(len(page.Items))
			if after = page.End; !page.HasNextPage {
				break
			}
		}
		for after := ""; ; {
			page, err := c.s.Standing().Documents(c.Context(), c.d(), one.status, "", after, 3)
			must(c.T, err)
			*one.documents += int64(len(page.Items))
			for _, d := range page.Items {
				if one.status == "" {
					inDocuments = sum(inDocuments, d.Counts)
				}
			}
			if after = page.End; !page.HasNextPage {
				break
			}
		}
	}
	if diff := cmp.Diff([]standing.Counts{listedPlaced, listedDocuments, listedPlaced}, []standing.Counts{placed, documents, inDocuments}); diff != "" {
		c.Errorf("placements, spreadsheets, placements by spreadsheet (-listed +counted):\n%s", diff)
	}
}

func sum(a, b standing.Counts) standing.Counts {
	return standing.Counts{
		Total: a.Total + b.Total, UpToDate: a.UpToDate + b.UpToDate, Changed: a.Changed + b.Changed, Unknown: a.Unknown + b.Unknown,
		Refreshing: a.Refreshing + b.Refreshing, Failed: a.Failed + b.Failed, Conflict: a.Conflict + b.Conflict, Edited: a.Edited + b.Edited,
	}
}

// randomWrites writes to two reports of a clockwork at random.
type randomWrites struct {
	*clockwork
	reports []int64
	running []*queue.Attempt
	edited  int
}

func oneOf[T any](list ...T) T { return list[rand.N(len(list))] }

// who may read every report.
func (w *randomWrites) who() record.Actor {
	return record.Actor{ID: oneOf(ada.ID, bob.ID), Actions: []string{record.ActionReportRead, record.ActionReportEdit}}
}

func (w *randomWrites) write() {
	w.Helper()
	report := oneOf(w.reports...)
	switch rand.N(14) {
	case 0, 1, 2, 3:
		c := w.connection()
		_, _ = w.s.Connect(w.Context(), w.d(), report, c, w.who(), nil, rand.N(2) == 0) // something may stand there
	case 4, 5:
		_, _, err := w.s.Disconnect(w.Context(), w.d(), report, w.target(), w.who(), nil, true)
		must(w.T, err)
	case 6:
		_, err := w.s.RecordRefresh(w.Context(), w.d(), report, placements.Rewrite{Target: w.target()}, w.who(), nil)
		must(w.T, err)
	case 7:
		w.edit(report)
	case 8:
		p := placements.Placement{
			ID: oneOf("", "i1", "i2"), WorkbookID: oneOf("book", "old book"), ResultLocation: oneOf("Old!A1", "Old!C3"), PlacedAt: oneOf("", "2020-02-29T09:00:00+02:00"),
			PlacedByUserID: rand.Int64N(4) - 1, // an identity provider may number people as it likes
		}
		run := oneOf(nil, &placements.LastRun{RunID: "r", State: placements.RunFailed, EndedAt: "2020-03-01T07:00:00.000Z"})
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
		ExternalWorkbookID: oneOf("book", "a \"b\"\t é", "q: 1/2"), ResultLocation: oneOf("Data!A1", "Data!C3", "Other!A1"), PlacementID: oneOf("", "p1", "p2"),
		Host: oneOf(placements.SheetsA, placements.SheetsB), AddressOnly: rand.N(3) == 0, SheetID: oneOf("", "7"),
	}
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
	in := record.ReportInput{SQLQuery: placements.Sent(oneOf("select 1", "select 2"))}
	if rand.N(3) == 0 {
		in = record.ReportInput{Name: placements.Sent("Edit " + strconv.Itoa(w.edited))}
	}
	if rand.N(3) == 0 {
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent(oneOf("Data!A1", "Sent!A1"))
	}
	if rand.N(2) == 0 {
		_, err := w.s.UpdateReport(w.Context(), w.d(), report, in, w.who(), anyone)
		must(w.T, err)
		return
	}
	_, err := w.s.UpsertReport(w.Context(), w.d(), load(w.T, w.s, w.d(), report).PublicID, in, w.who(), anyone)
	must(w.T, err)
}

// replace deletes the second report with its placements, and makes another one.
func (w *randomWrites) replace() {
	w.Helper()
	if rand.N(4) > 0 {
		return
	}
	must(w.T, w.s.DeleteReport(w.Context(), w.d(), w.reports[1], ada, anyone))
	w.reports[1] = create(w.T, w.s, w.d(), named("Other", "select 2")).ID
}

// work lets a run of a report begin, or go on, or end.
func (w *randomWrites) work(report int64) {
	w.Helper()
	_ = storagetest.Enqueue(w.Context(), w.q, w.d(), &record.Run{ReportID: report, ExternalWorkbookID: oneOf("", "book")}) // one may run
	for _, e := range w.take("agent") {
		a, err := w.q.Begin(w.Context(), "agent", e)
		if err != nil {
			continue
		}
		w.running = append(w.running, a)
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
		must(w.T, w.q.MarkRunning(w.Context(), w.d(), a.Run, ids))
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
	var o storage.Outcome
	if oneOf(true, true, false) {
		if r, err := w.s.Report(w.Context(), w.d(), a.Run.ReportID); err == nil {
			for _, p := range r.Placements {
				if target := a.Run.Target(); p.ID != "" && target.Has(p.Placement) {
					o.Placements = append(o.Placements, w.outcome(a, p, r.CurrentChecksum, now))
				}
			}
		}
	}
	if rand.N(3) == 0 {
		a.Run.State, o.Again = placements.RunQueued, time.Now()
	}
	must(w.T, w.q.Complete(w.Context(), a, o))
}

func (w *randomWrites) outcome(a *queue.Attempt, p storage.Placed, query, now string) storage.PlacementOutcome {
	o := storage.PlacementOutcome{
		Placement: p.Placement, Before: p, LastRun: placements.LastRun{RunID: a.Run.ID, State: placements.RunSucceeded, EndedAt: now},
	}
	switch rand.N(4) {
	case 0:
		o.LastRun.State = oneOf(placements.RunFailed, placements.RunQueued, placements.RunStopped)
		o.LastRun.ErrorClass = oneOf(placements.Conflict, placements.Transient, placements.Permanent)
	default:
		o.Written, o.Rows = true, []byte("prints")
		o.Placement.QueryChecksum, o.Placement.RefreshedAt, o.Placement.EndResultCell = query, now, oneOf("", "D9")
		if rand.N(2) == 0 {
			o.Edits = []record.Edit{seen("e", 1, 0, monday)}
		}
		if rand.N(3) == 0 {
			o.Before.Rev = "an add-in wrote it meanwhile"
		}
	}
	return o
}

//go:embed testdata/layout_2.json
var layout2 []byte

// A storage of layout 2 gets its lists of placements at the next start.
func TestLayout2(t *testing.T) {
	server, _ := ofLayout(t, layout2)
	s, err := storage.Open(t.Context(), storage.Config{Address: server})
	must(t, err)
	defer s.Close()
	dump := s.Dump(t)
	checkIndex(t, dump)
	if n := len(dump[s.StandingKey(shop)]); n != 11 {
		t.Errorf("%d placements are listed, want 11", n)
	}
}

// The rule of syncStatus stands twice: in Go, where it is shown, and in Lua, where placements are listed.
func TestListsFollowTheRulesOfSyncStatus(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for i, tc := range placementstest.Transitions() {
			r := create(t, s, shop, named(tc.Fact, "select "+tc.Queries[0]))
			checksums := map[string]string{tc.Queries[0]: r.CurrentChecksum, "": ""}
			p := tc.Placement()
			p.ID, p.Edits = "p"+strconv.Itoa(i), nil
			if p.QueryChecksum = checksums[tc.Written]; p.QueryChecksum == "" && tc.Written != "" {
				p.QueryChecksum = tc.Written
			}
			must(t, storagetest.Import(t.Context(), s, shop, r.ID, []storage.Placed{{Placement: p, LastRun: tc.Run}}))
			for _, query := range tc.Queries[1:] {
				in := record.ReportInput{SQLQuery: placements.Sent("select " + query)}
				_, err := s.UpdateReport(t.Context(), shop, r.ID, in, ada, anyone)
				must(t, err)
			}
			stands := s.Client().HGet(t.Context(), s.StandingKey(shop), strconv.FormatInt(r.ID, 10)+":"+p.ID).Val()
			if got, _, _ := strings.Cut(stands, "\t"); got != string(tc.Want) {
				t.Errorf("%s: listed as %q, want %q", tc.Fact, got, tc.Want)
			}
		}
	})
}
