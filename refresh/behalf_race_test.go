package refresh

import (
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// A person who lost access to the report fails the runs of its schedule, but does not end them for the others.
func TestAPlacerWithoutAccessDoesNotPauseTheScheduleOfOthers(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, _ := newMirror(t, s)
		d.place(ann, "ann", true)
		d.grant(4)
		target := record.RunTarget{ReportID: d.reports[0]}
		schedule := func(target record.RunTarget) int64 {
			c, err := d.engine.Schedules().Create(t.Context(), deskDeployment, record.ScheduleSpec{Target: target, Cron: []string{"@yearly"}}, dora)
			must(t, err)
			return c.ID
		}
		sixRuns := func(id int64, want string, each map[string]string) *record.Schedule {
			for n := range 6 {
				c, err := d.store.Schedules().Get(t.Context(), deskDeployment, id)
				must(t, err)
				if c.Paused {
					break
				}
				tick := newRun(c, time.Now().Add(time.Duration(n)*time.Hour), record.TriggerSchedule)
				_, err = d.engine.queue.Queue.Ticks.Fire(t.Context(), []record.Firing{{
					Deployment: deskDeployment, Schedule: c, Run: tick, Next: record.Tick{At: c.Next.Add(time.Hour), Due: c.Next.Add(time.Hour)},
				}})
				must(t, err)
				d.work()
				d.ends(d.run(tick.ID), want, each)
			}
			c, err := d.store.Schedules().Get(t.Context(), deskDeployment, id)
			must(t, err)
			return c
		}
		all := schedule(target)
		if c := sixRuns(all, "FAILED auth", map[string]string{"book": "SUCCEEDED", "ann": "FAILED auth"}); c.Paused {
			t.Errorf("the schedule of both is paused: %s", c.PausedReason)
		}
		target.ExternalWorkbookID = "ann"
		if c := sixRuns(schedule(target), "FAILED auth", map[string]string{"ann": "FAILED auth"}); !c.Paused {
			t.Error("the schedule of ann's alone is not paused")
		}
	})
}

func TestOnlyRefusedAccessBesideASuccessDoesNotCountAsFailure(t *testing.T) {
	const refreshed, failed, skipped = placements.RunSucceeded, placements.RunFailed, placements.RunSkipped
	type outcomes []record.RunPlacement
	for _, tt := range []struct {
		name   string
		class  placements.Class
		each   outcomes
		counts bool
	}{
		{"of nothing tried it does", placements.Auth, nil, true},
		{"beside a skipped one it does", placements.Auth, outcomes{{State: failed, ErrorClass: placements.Auth}, {State: skipped}}, true},
		{
			"beside a refreshed one it does not", placements.Auth,
			outcomes{{State: failed, ErrorClass: placements.Auth}, {State: refreshed}},
			false,
		},
		{
			"a conflict more does not", placements.Auth,
			outcomes{{State: failed, ErrorClass: placements.Auth}, {State: failed, ErrorClass: placements.Conflict}, {State: refreshed}},
			false,
		},
		{
			"a missing sheet more does not", placements.Auth,
			outcomes{{State: failed, ErrorClass: placements.Auth}, {State: failed, ErrorClass: placements.Structure}, {State: refreshed}},
			false,
		},
		{
			"a missing sheet does not either", placements.Structure,
			outcomes{{State: failed, ErrorClass: placements.Structure}, {State: refreshed}},
			false,
		},
		{
			"two that fail permanently do", placements.Auth,
			outcomes{{State: failed, ErrorClass: placements.Auth}, {State: failed, ErrorClass: placements.Structure}},
			true,
		},
		{
			"what a newer run refreshes does not", placements.Structure,
			outcomes{{State: failed, ErrorClass: placements.Structure}, {State: placements.RunSuperseded}},
			false,
		},
		{"a conflict does not", placements.Conflict, outcomes{{State: failed, ErrorClass: placements.Conflict}}, false},
		{"an outage does not", placements.Transient, outcomes{{State: failed, ErrorClass: placements.Transient}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.each {
				tt.each[i].Error = "it failed"
			}
			a := ledger{run: &record.Run{Placements: tt.each}}
			if got := a.failure(&placements.Fault{Class: tt.class, Message: "it failed"}); (got != "") != tt.counts {
				t.Errorf("got %q, want one: %t", got, tt.counts)
			}
		})
	}
}

// A reader's schedule does not write into a placement that another person takes over while its query runs, whatever the source shows whom.
func TestAPlacementTakenOverDuringItsQueryIsNotForAReadersRun(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		m.same = true
		d.place(ann, "ann", true)
		taken := false
		m.showing = func(source.User) {
			if !taken {
				taken = true
				d.place(bob, "ann", false)
			}
		}
		d.ends(d.scheduled(ann), "SKIPPED", map[string]string{"book": "SKIPPED", "ann": "SKIPPED"})
		if got := d.holds("ann"); got != "" {
			t.Errorf("the run wrote %q into bob's placement", got)
		}
		run := d.refreshed(dora, Request{})
		d.ends(run, "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED"})
	})
}

// What the source shows one person only is not in messages: they go to all readers, to webhooks and into the log.
func TestADoubledRowKeyIsNamedWithoutTheValueOnlyOnePersonMaySee(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		for _, same := range []bool{true, false} {
			d, m := newMirror(t, s)
			m.same, m.double = same, true
			_, err := d.store.Reports().Update(t.Context(), deskDeployment, d.reports[0],
				record.ReportInput{RowKey: placements.Sent([]string{"who"})}, dora, func(*storage.Report) error { return nil })
			must(t, err)
			run := d.refreshed(ann, Request{})
			d.ends(run, "FAILED conflict", map[string]string{"book": "FAILED conflict"})
			if got := strings.Contains(run.Error, "7 []"); got != same || !strings.Contains(run.Error, `rowKey "who"`) {
				t.Errorf("where all are shown the same is %t: %s", same, run.Error)
			}
		}
	})
}
