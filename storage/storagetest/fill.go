package storagetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keep"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Amounts says how much Fill makes in one deployment. A report keeps 100 runs, so there is at least one report for each 100 runs; and each
// placement is what one run refreshed last, so there are at least as many runs as placements.
type Amounts struct {
	Deployment record.Deployment
	Reports    int
	Placements int
	Documents  int
	Runs       int
	Schedules  int // of the first reports, one each; every tenth is paused
}

// Filled is what Fill made, as it stands.
type Filled struct {
	Reports    []int64
	Schedules  []*record.Schedule
	Placements []*StandingPlacement
	Runs       []*record.Run
}

// StandingPlacement is a placement, its report and the status that it shows.
type StandingPlacement struct {
	placements.Placement
	ReportID int64
	Status   placements.Status
	Edited   bool // the last run kept cells that a person typed
}

// Owners are those who own what Fill makes: users 101 to 105, who may edit reports.
func Owners() (list []record.Actor) {
	for i := range int64(5) {
		name := string(rune('A' + i))
		list = append(list, record.Actor{
			ID: 101 + i, Email: name + "@example.com", Name: name, Actions: []string{record.ActionReportEdit},
		})
	}
	return list
}

// Fill makes reports, schedules, placements in documents of both hosts and the runs that brought them into every status there is, through
// what clients and agents call, so that whatever the storage keeps of them is what it keeps in use. Of the runs most succeeded; others
// failed, met a conflict, were stopped or skipped, still wait or are still at work: as long as no agent looks at the storage.
func Fill(t testing.TB, address string, what Amounts) *Filled {
	t.Helper()
	made, err := NewFilled(t.Context(), Open(t, address), what)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// NewFilled is Fill for a program: the race detector makes a test that fills much slow.
func NewFilled(ctx context.Context, s *storage.Store, what Amounts) (*Filled, error) {
	if what.Runs < what.Placements || what.Runs > 100*what.Reports {
		return nil, fmt.Errorf("%+v: want at least as many runs as placements, and at most 100 for each report", what)
	}
	f := &filler{
		Amounts: what, s: s, work: s.Work(), owners: Owners(),
		reports: make([]*storage.Report, what.Reports), schedules: make([]*record.Schedule, what.Schedules),
	}
	steps := []func(context.Context) error{
		f.work.Queue.Prepare,
		func(ctx context.Context) error { return each(ctx, what.Reports, f.makeReport) },
		func(ctx context.Context) error { return each(ctx, what.Schedules, f.makeSchedule) },
		f.place,
		f.makeRuns,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	made := &Filled{Schedules: f.schedules, Placements: f.placed, Runs: f.runs}
	for _, r := range f.reports {
		made.Reports = append(made.Reports, r.ID)
	}
	return made, nil
}

// filler makes what Fill does.
type filler struct {
	Amounts
	s         *storage.Store
	work      *work.Work
	owners    []record.Actor
	reports   []*storage.Report
	schedules []*record.Schedule   // of the reports with the same indexes
	placed    []*StandingPlacement // that of index i is one of report i % Reports
	runs      []*record.Run
}

// together is how many calls are under way at a time: they share round trips.
const together = 256

// each calls do for every index below n.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for worker := range together {
		group.Go(func() {
			for i := worker; i < n && ctx.Err() == nil; i += together {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func (f *filler) owner(i int) record.Actor { return f.owners[i%len(f.owners)] }

func (f *filler) makeReport(ctx context.Context, i int) (err error) {
	f.reports[i], err = f.s.Reports().Create(ctx, f.Deployment, record.ReportInput{
		Name:     placements.Sent(fmt.Sprintf("Report %d of sales", i)),
		SQLQuery: placements.Sent(fmt.Sprintf("SELECT * FROM orders WHERE id %% %d = 0", i+1)),
	}, f.owner(i))
	return err
}

func (f *filler) makeSchedule(ctx context.Context, i int) (err error) {
	spec := record.ScheduleSpec{
		Name: fmt.Sprintf("Schedule %d", i), Target: record.RunTarget{ReportID: f.reports[i].ID}, Cron: []string{"0 7 * * *"}, Paused: i%10 == 9,
	}
	spec.Complete("Europe/Berlin")
	first := tick(time.Now())
	if spec.Paused {
		first = record.Tick{}
	}
	f.schedules[i], err = f.s.Schedules().Create(ctx, f.Deployment, spec, f.owner(i), func(int64) record.Tick { return first })
	return err
}

// tick is a tick without jitter.
func tick(at time.Time) record.Tick {
	at = at.UTC().Truncate(time.Millisecond)
	return record.Tick{At: at, Due: at}
}

// importedTogether is how many placements one import records. One of storage.MaxImported holds Redis for seconds on a busy machine.
const importedTogether = 500

// place imports the placements: those of which a run is going to fail or to be under way were written once, the others never were.
func (f *filler) place(ctx context.Context) error {
	standing := make([]int, f.Documents)
	var list []keep.Imported
	for i := range f.Amounts.Placements {
		document := (i + i/f.Reports) % f.Documents // those of a report stand in several documents
		nth := standing[document]
		standing[document]++
		p := f.newPlacement(i, document, nth)
		f.placed = append(f.placed, p)
		list = append(list, keep.Imported{ReportID: p.ReportID, Placed: storage.Placed{Placement: p.Placement}})
		if len(list) == importedTogether || i == f.Amounts.Placements-1 {
			if err := f.s.Imports().Import(ctx, f.Deployment, list, f.owner(0)); err != nil {
				return err
			}
			list = nil
		}
	}
	return nil
}

// newPlacement is the nth placement in a document, over the last 30 days.
func (f *filler) newPlacement(i, document, nth int) *StandingPlacement {
	owner, report := f.owner(i/7), f.reports[i%f.Reports]
	at := time.Now().Add(-time.Duration(1+i%(30*24)) * time.Hour)
	as := owner.RunAs()
	edited := document%10 == 5 && nth%4 == 0
	p := &StandingPlacement{ReportID: report.ID, Status: statusOf(document, nth), Edited: edited, Placement: placements.Placement{
		ID: fmt.Sprintf("P%06d", i), WorkbookID: fmt.Sprintf("document-%d", document), WorkbookName: fmt.Sprintf("Document %d.xlsx", document),
		Host: placements.SheetsA, SheetName: "Sheet1", AnchorCell: fmt.Sprintf("B%d", 2+20*nth),
		ResultLocation: fmt.Sprintf("Sheet1!B%d", 2+20*nth), PlacedAt: placements.Time(at), PlacedByUserID: owner.ID, RunAs: &as,
	}}
	if document%2 == 1 {
		p.Host = placements.SheetsB
	}
	switch i % 5 {
	case 1:
		p.Placer = placements.PlacedByReader
	case 2:
		p.Placer, p.Base = placements.PlacedByEditor, &placements.Base{Behalf: owner.ID + 1, Kept: &placements.Write{At: p.PlacedAt, Query: "q"}}
	}
	if p.Status != placements.Unknown {
		p.QueryChecksum, p.RefreshedAt, p.RefreshedByUserID = report.CurrentChecksum, placements.Time(at.Add(time.Minute)), owner.ID
	}
	return p
}

// statusOf chooses the status of the nth placement in a document: half the documents are true, and one in ten has each kind of trouble.
func statusOf(document, nth int) placements.Status {
	switch trouble := document % 10; {
	case trouble == 0 && nth%3 == 0:
		return placements.Conflicted
	case trouble <= 1 && nth%3 == 1:
		return placements.Failed
	case trouble == 2 && nth%2 == 0:
		return placements.Changed
	case trouble == 3 && nth%2 == 0:
		return placements.Unknown
	case trouble == 4 && nth == 0 && document < 20:
		return placements.Refreshing
	}
	return placements.UpToDate
}
