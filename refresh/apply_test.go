package refresh

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// scheduled is a bundle with one report and a schedule of it.
func (r *rig) scheduled(schedule string) *portable.Bundle {
	r.Helper()
	b := new(portable.Bundle)
	must(r.T, json.Unmarshal([]byte(`{"project":"finance","assets":[
		{"kind":"report","ref":"SalesRegion1","definition":{"name":"Sales","sqlQuery":"SELECT 1"}},
		{"kind":"schedule","ref":"hourly","definition":`+schedule+`}]}`), b))
	return b
}

func (r *rig) apply(b *portable.Bundle) *record.Schedule {
	r.Helper()
	by := record.Actor{ID: 7, Actions: []string{record.ActionAll}}
	p, err := r.engine.Bundles().Plan(r.Context(), r.d, b, by)
	must(r.T, err)
	_, err = r.engine.Bundles().Apply(r.Context(), r.d, p.ID, by)
	must(r.T, err)
	c, err := r.engine.records.Schedules().ByKey(r.Context(), r.d, "hourly")
	must(r.T, err)
	return c
}

// A schedule that a plan writes fires when its times say, and keeps a tick that is overdue unless they change.
func TestApplyPlanSetsTicks(t *testing.T) {
	eachRig(t, func(r *rig) {
		c := r.apply(r.scheduled(`{"cron":["0 * * * *"],"target":{"publicId":"SalesRegion1"}}`))
		if c.Next.Minute() != 0 || !c.Next.After(time.Now()) || c.PerHour != 0 && c.PerHour != 1 {
			t.Errorf("%+v", c)
		}
		past := time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Hour)
		r.overdue(c.ID, past)
		if c = r.apply(r.scheduled(`{"name":"New","cron":["0 * * * *"],"target":{"publicId":"SalesRegion1"}}`)); !c.Next.Equal(past) {
			t.Errorf("an overdue tick went: %v", c.Next)
		}
		if c = r.apply(r.scheduled(`{"cron":["5 * * * *"],"target":{"publicId":"SalesRegion1"}}`)); c.Next.Minute() != 5 || !c.Next.After(time.Now()) {
			t.Errorf("other times: %v", c.Next)
		}
		if c = r.apply(r.scheduled(`{"paused":true,"cron":["5 * * * *"],"target":{"publicId":"SalesRegion1"}}`)); !c.Next.IsZero() {
			t.Errorf("paused: %v", c.Next)
		}
	})
}

// Of simultaneous upserts of one key one creates the schedule and the others change it.
func TestUpsertSchedule(t *testing.T) {
	eachRig(t, func(r *rig) {
		const many = 16
		made := make([]*record.Schedule, many)
		var wg sync.WaitGroup
		for i := range many {
			wg.Go(func() {
				c, err := r.engine.Schedules().Upsert(t.Context(), r.d, "daily", record.Actor{ID: 7}, func(c *record.Schedule) error {
					c.Target.ReportID, c.Cron = r.report, []string{"@daily"}
					return nil
				})
				if err != nil {
					t.Error(err, placements.DetailsOf(err))
				}
				made[i] = c
			})
		}
		wg.Wait()
		created := 0
		for _, c := range made {
			if c == nil || c.ID != made[0].ID {
				t.Fatalf("several schedules: %+v %+v", c, made[0])
			}
			if c.Effect == record.Created {
				created++
			}
		}
		if created != 1 {
			t.Errorf("%d were created", created)
		}
	})
}
