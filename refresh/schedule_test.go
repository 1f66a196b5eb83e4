package refresh

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// schedule stores one of the rig's report.
func (r *rig) schedule(spec record.ScheduleSpec) *record.Schedule {
	r.Helper()
	spec.Target.ReportID = r.report
	c, err := r.engine.Schedules().Create(r.Context(), r.d, spec, record.Actor{ID: 7})
	must(r.T, err)
	return c
}

// overdue moves a schedule's tick into the past, as when no agent was there.
func (r *rig) overdue(id int64, tick time.Time) {
	r.Helper()
	_, err := r.engine.records.Schedules().Update(r.Context(), r.d, id, record.Actor{ID: 7}, func(c *record.Schedule) (record.Tick, error) {
		c.Name += " overdue"
		return record.Tick{At: tick, Due: tick}, nil
	})
	must(r.T, err)
}

func (r *rig) change(id int64, change func(*record.ScheduleSpec)) *record.Schedule {
	r.Helper()
	c, err := r.engine.Schedules().Update(r.Context(), r.d, id, record.Actor{ID: 8}, func(c *record.Schedule) error {
		change(&c.ScheduleSpec)
		return nil
	})
	must(r.T, err)
	return c
}

func TestChangesOfAScheduleMoveItsTickOnlyWhenTheyMust(t *testing.T) {
	past := time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Hour)
	for _, tt := range []struct {
		name   string
		change func(*record.ScheduleSpec)
		kept   bool
		none   bool
	}{
		{name: "a new name keeps an overdue tick", change: func(s *record.ScheduleSpec) { s.Name = "new" }, kept: true},
		{
			name: "so does another policy", change: func(s *record.ScheduleSpec) { s.Options, s.CatchUp = onEdit(placements.Stop), "all" },
			kept: true,
		},
		{name: "another expression begins anew", change: func(s *record.ScheduleSpec) { s.Cron = []string{"5 * * * *"} }},
		{name: "so does another zone", change: func(s *record.ScheduleSpec) { s.Timezone = "Asia/Kolkata" }},
		{name: "a pause has no tick", change: func(s *record.ScheduleSpec) { s.Paused = true }, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				c := r.schedule(record.ScheduleSpec{Name: "hourly", Cron: []string{"@hourly"}})
				r.overdue(c.ID, past)
				got := r.change(c.ID, tt.change)
				switch {
				case tt.none != got.Next.IsZero():
					t.Errorf("the next tick is %s", got.Next)
				case tt.none:
				case tt.kept != got.Next.Equal(past):
					t.Errorf("the next tick is %s, the overdue one was %s", got.Next, past)
				case !tt.kept && got.Next.Before(time.Now()):
					t.Errorf("the next tick is %s, in the past", got.Next)
				}
			})
		})
	}
}

func TestWhoeverChoosesTheTargetOwnsTheRuns(t *testing.T) {
	eachRig(t, func(r *rig) {
		c := r.schedule(record.ScheduleSpec{Name: "hourly", Cron: []string{"@hourly"}})
		if got := r.change(c.ID, func(s *record.ScheduleSpec) { s.Name = "new" }); got.Owner.ID != 7 {
			t.Errorf("whoever renames it owns it: %d", got.Owner.ID)
		}
		if got := r.change(c.ID, func(s *record.ScheduleSpec) { s.Target.ExternalWorkbookID = "book.xlsx" }); got.Owner.ID != 8 {
			t.Errorf("the owner is %d, want the one who chose the target", got.Owner.ID)
		}
	})
}

func TestEveryFaultOfAScheduleIsTold(t *testing.T) {
	_, err := CheckSchedule(&record.ScheduleSpec{
		Cron: []string{"* * * * *", "61 * * * *"}, Timezone: "UTC", CatchUp: "never", Overlap: "x", Options: onEdit("y"), JitterSeconds: -1,
		Target: record.RunTarget{PlacementID: "p", ExternalWorkbookID: "b"},
	})
	var invalid *placements.Error
	if !errors.As(err, &invalid) {
		t.Fatalf("error is %v", err)
	}
	var got []string
	for _, f := range invalid.Details {
		got = append(got, f.Pointer)
	}
	want := []string{"/catchUp", "/cron/1", "/jitterSeconds", "/onEdit", "/overlap", "/target", "/target/reportId"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestDefaultsOfASchedule(t *testing.T) {
	spec := record.ScheduleSpec{Cron: []string{"@daily"}, Target: record.RunTarget{ReportID: 1}}
	_, err := CheckSchedule(&spec)
	must(t, err)
	want := record.ScheduleSpec{
		Cron: []string{"@daily"}, Target: record.RunTarget{ReportID: 1},
		CatchUp: record.CatchUpLatest, Overlap: record.OverlapSkip, Timezone: "UTC", PerHour: 1,
	}
	if diff := cmp.Diff(want, spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestNextFiresShowWhatWillCome(t *testing.T) {
	now := time.Date(2026, 10, 24, 23, 0, 0, 0, time.UTC)
	spec := record.ScheduleSpec{Cron: []string{"30 2 * * *", "0 12 * * *"}, Timezone: "Europe/Berlin"}
	var got []string
	for _, at := range NextFires(&record.Schedule{ScheduleSpec: spec}, now, 3) {
		got = append(got, at.Format(time.RFC3339))
	}
	want := []string{"2026-10-25T00:30:00Z", "2026-10-25T11:00:00Z", "2026-10-26T01:30:00Z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fires (-want +got):\n%s", diff)
	}
	spec.Paused = true
	if fires := NextFires(&record.Schedule{ScheduleSpec: spec}, now, 3); fires != nil {
		t.Errorf("a paused schedule shows %v", fires)
	}
}

func TestNewDataRefreshesAtOnce(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		c := r.schedule(record.ScheduleSpec{Key: "daily", Name: "daily", Cron: []string{"@daily"}, JitterSeconds: 3600, Options: onEdit(placements.Stop)})
		arrive := func(id string) record.Arrived {
			got, err := r.engine.Schedules().ArriveByKey(r.Context(), r.d, record.Arrival{Trigger: record.TriggerChange, ID: id, Keep: time.Hour}, "daily")
			must(t, err)
			return got
		}
		stop := r.serve()
		run := r.await(arrive("1").RunID)
		stop()
		r.succeeded(run, 4)
		if run.Trigger != record.TriggerChange || run.ScheduleID != c.ID || run.RequestedBy.ID != 7 || !run.Due.IsZero() || run.OnEdit.OrZero() != placements.Stop {
			t.Errorf("run: %+v", run)
		}
		if again := arrive("1"); again.RunID != run.ID {
			t.Errorf("told again: %+v", again)
		}
		r.change(c.ID, func(s *record.ScheduleSpec) { s.Paused = true })
		if got := arrive("2"); got.RunID != "" || got.Reason != queue.Paused {
			t.Errorf("paused: %+v", got)
		}
		_, err := r.engine.Schedules().ArriveByKey(r.Context(), r.d, record.Arrival{Trigger: record.TriggerChange}, "weekly")
		if !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("a key that no schedule has: %v", err)
		}
	})
}

func TestNewDataOfAReportThatStandsNowhereMakesNoRun(t *testing.T) {
	eachRig(t, func(r *rig) {
		c := r.schedule(record.ScheduleSpec{Name: "daily", Cron: []string{"@daily"}})
		list, err := r.engine.Schedules().Arrive(r.Context(), r.d, record.Arrival{Trigger: record.TriggerHook}, c)
		must(t, err)
		if len(list) != 1 || list[0].RunID != "" || !strings.Contains(list[0].Reason, "stands in no spreadsheet") {
			t.Errorf("%+v", list)
		}
	})
}

// What waits for its turn when new data arrives serves it, and so must not share a query that began before.
func TestARunThatServesAnArrivalFindsItsData(t *testing.T) {
	fired := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct{ joined, want time.Time }{
		"joined by none":         {want: fired},
		"joined later":           {joined: fired.Add(time.Minute), want: fired.Add(time.Minute)},
		"joined before it fired": {joined: fired.Add(-time.Minute), want: fired},
	} {
		a := &asker{ledger: &ledger{run: &record.Run{FireTime: placements.Time(fired)}, claim: &queue.Attempt{Asked: tt.joined}}}
		if got, err := a.dataOf(); err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
