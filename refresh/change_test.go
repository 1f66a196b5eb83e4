package refresh

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage/record"
)

// changes are what runs changed in the block of the i-th report, the last one first.
func (d *desk) changes(i int) []record.BlockChange {
	d.Helper()
	list, err := d.store.History().Changes(d.Context(), deskDeployment, d.reports[i], d.standing(i).ID)
	must(d.T, err)
	return list
}

// changed is what a run changed in the block of the i-th report, and in which rows.
func (d *desk) changed(i int, run string) (record.BlockChange, []record.ChangedRow) {
	d.Helper()
	c, rows, err := d.store.History().Change(d.Context(), deskDeployment, d.reports[i], d.standing(i).ID, run)
	must(d.T, err)
	return c, rows
}

// wantChanged checks what a run changed in the block of the only report.
func (d *desk) wantChanged(what, run string, counts record.ChangeCounts, rows ...record.ChangedRow) {
	d.Helper()
	c, got := d.changed(0, run)
	want := record.BlockChange{
		RunID: run, RunAs: 7, Columns: []string{"key", "value"}, Counts: counts, Kept: true, At: d.standing(0).RefreshedAt,
		Top: 1, Restorable: counts.Changed, // the value
	}
	if diff := cmp.Diff(want, c); diff != "" {
		d.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if diff := cmp.Diff(rows, got, cmpopts.EquateEmpty()); diff != "" {
		d.Errorf("%s, rows (-want +got):\n%s", what, diff)
	}
}

// versions are the rows of the table of the desk's first report before and after its source changed from version to version + 1.
func versions(version float64) []record.ChangedRow {
	return []record.ChangedRow{
		{Row: 2, Before: []any{"q0", version}, After: []any{"q0", version + 1}},
		{Row: 3, Before: []any{"q0'", -version}, After: []any{"q0'", -version - 1}},
	}
}

func TestARunKeepsWhatItChanges(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		refresh := func() string {
			id := d.ask(0, Request{})
			d.work()
			d.succeeded(id)
			return id
		}
		d.wantChanged("a first write", refresh(), record.ChangeCounts{Added: 2},
			record.ChangedRow{Row: 2, After: []any{"q0", 1.0}}, record.ChangedRow{Row: 3, After: []any{"q0'", -1.0}})
		idle := refresh()
		if _, _, err := d.store.History().Change(d.Context(), deskDeployment, d.reports[0], d.standing(0).ID, idle); !errors.Is(err, record.ErrNotFound) {
			d.Errorf("a run that wrote nothing has changes: %v", err)
		}
		d.tables.change()
		d.wantChanged("what the source changed", refresh(), record.ChangeCounts{Changed: 2}, versions(1)...)
		d.books.enter("book", 2, 1, checksum.Cell{Kind: checksum.Error, Text: "#N/A"})
		d.tables.change()
		d.wantChanged("what a person typed stays", refresh(), record.ChangeCounts{Changed: 1}, versions(2)[:1]...)
		over := d.ask(0, Request{Options: placements.Options{OnEdit: placements.Sent(placements.Overwrite)}})
		d.work()
		d.wantChanged("and is overwritten", over, record.ChangeCounts{Changed: 1}, record.ChangedRow{
			Row: 3, Before: []any{"q0'", map[string]any{"error": "#N/A"}}, After: []any{"q0'", -3.0},
		})
		runs := []string{over}
		for range record.MaxChanges {
			d.tables.change()
			runs = append(runs, refresh())
		}
		var got []string
		for _, c := range d.changes(0) {
			got = append(got, c.RunID)
		}
		slices.Reverse(got)
		if diff := cmp.Diff(runs[1:], got); diff != "" {
			d.Errorf("runs whose changes are kept (-want +got):\n%s", diff)
		}
		must(t, d.disconnected())
		if _, err := d.store.History().Changes(d.Context(), deskDeployment, d.reports[0], "p"); !errors.Is(err, record.ErrNotFound) {
			d.Errorf("the changes of a placement that is gone: %v", err)
		}
	})
}

// A user who takes a placement over sees nothing of what was queried on behalf of the user before.
func TestAChangeOfAnotherUsersRowsIsHidden(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		refresh := func() record.BlockChange {
			d.tables.change()
			id := d.ask(0, Request{Options: placements.Options{OnEdit: placements.Sent(placements.Overwrite)}})
			d.work()
			d.succeeded(id)
			c, _ := d.changed(0, id)
			return c
		}
		if c := refresh(); c.RunAs != 7 {
			d.Errorf("a first change is %d's, want 7's", c.RunAs)
		}
		p := d.standing(0)
		over := placements.Connection{PlacementID: p.ID, ExternalWorkbookID: p.WorkbookID, ResultLocation: p.ResultLocation, Host: p.Host}
		reader := record.Actor{ID: 8, Actions: []string{record.ActionAll}}
		_, err := d.store.Placements().Connect(d.Context(), deskDeployment, d.reports[0], over, reader, nil, true)
		must(d.T, err)
		for i, want := range []int64{0, 8} {
			if c := refresh(); c.RunAs != want || c.Counts == (record.ChangeCounts{}) {
				d.Errorf("change %d of the next user is %d's, want %d's: %+v", i+1, c.RunAs, want, c.Counts)
			}
		}
	})
}

// disconnected takes the placement of the first report away.
func (d *desk) disconnected() error {
	_, _, err := d.store.Placements().Disconnect(d.Context(), deskDeployment, d.reports[0], placements.Target{PlacementID: d.standing(0).ID},
		record.Actor{ID: 7, Actions: []string{record.ActionAll}}, nil, false)
	return err
}

func TestARunThatChangesTooMuchKeepsCounts(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		d.tables.bulk = 1 << 20
		d.tables.noise = true
		id := d.ask(0, Request{})
		d.work()
		d.succeeded(id)
		c, rows := d.changed(0, id)
		if c.Kept || c.Counts.Added != 3 || len(rows) > 0 {
			d.Errorf("of a change of more than %d bytes is kept %+v with %d rows", record.MaxChangeBytes, c, len(rows))
		}
	})
}

func TestAClientRunKeepsWhatItChanges(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.refreshed()
		p.tables.change()
		run, _ := p.refreshed()
		p.wantChanged("what the source changed", run.ID, record.ChangeCounts{Changed: 2}, versions(1)...)
		p.tables.change()
		p.wantChanged("and by an agent", p.agentRuns().ID, record.ChangeCounts{Changed: 2}, versions(2)...)
	})
}

// An agent that dies once it has written leaves to the next one nothing to write: the run still tells what it changed.
func TestWhatAnAttemptChangedThatDiedIsKept(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		first := d.ask(0, Request{})
		d.work()
		d.succeeded(first)
		d.tables.change()
		id := d.ask(0, Request{})
		list, err := d.store.Work().Queue.Take(d.Context(), "dead", 16, -1)
		must(t, err)
		begun, err := d.store.Work().Queue.Begin(d.Context(), "dead", list[0])
		must(t, err)
		dead := d.another().attempts.newAttempt(t.Context(), deskDeployment, begun, document.NewCohort(1)[0])
		dead.asker.limit = fault.NewLimit(time.Hour, func() {})
		defer dead.asker.limit.Stop()
		if fault := dead.work(d.Context()); fault != nil {
			t.Fatal(fault)
		}
		dead.leave()
		a := d.agent(d.engine, "a")
		a.start(d.Context(), d.orphans("a"), time.Now())
		a.running.Wait()
		if run := d.run(id); run.State != placements.RunSucceeded || run.RowsWritten != 0 {
			t.Fatalf("the second attempt ended %s and wrote %d rows", run.State, run.RowsWritten)
		}
		d.wantChanged("what the first attempt wrote", id, record.ChangeCounts{Changed: 2}, versions(1)...)
	})
}
