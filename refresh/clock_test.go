package refresh_test

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestAnAgentsOwnClockDecidesNothing runs an agent whose clock is an hour off that of the storage: it fires by the storage's clock,
// and every time that it leaves is by that clock.
func TestAnAgentsOwnClockDecidesNothing(t *testing.T) {
	for name, off := range map[string]time.Duration{"behind": time.Hour, "ahead": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := miniredis.RunT(t)
			clock.SetTime(time.Now().Add(off))
			go func() {
				for t.Context().Err() == nil {
					clock.SetTime(time.Now().Add(off))
					time.Sleep(5 * time.Millisecond)
				}
			}()
			c := newCrew(t, storagetest.Addr(clock.Addr()))
			r := c.reports(fastTenant, 1)[0]
			soon := time.Now().Add(off + 2*time.Second).UTC()
			spec := record.ScheduleSpec{
				Name: "once", Target: record.RunTarget{ReportID: r.id}, Cron: []string{"0 0 1 1 *"}, Timezone: "UTC",
				CatchUp: record.CatchUpSkip,
			}
			made, err := c.store.Schedules().Create(t.Context(), r.d, spec, record.Actor{ID: 7}, func(int64) record.Tick {
				return record.Tick{At: soon, Due: soon}
			})
			must(t, err)
			r.schedule = made.ID
			c.start()
			var runs []*record.Run
			for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if runs = c.history(r); len(runs) == 1 && runs[0].EndedAt != "" {
					break
				}
			}
			if len(runs) != 1 || runs[0].State != placements.RunSucceeded {
				t.Fatalf("runs are %+v, want one that succeeded", runs)
			}
			report, err := c.store.Reports().Get(t.Context(), r.d, r.id)
			must(t, err)
			for what, text := range map[string]string{
				"started": runs[0].StartedAt, "ended": runs[0].EndedAt, "refreshed": report.Placements[0].RefreshedAt,
			} {
				at, err := time.Parse(time.RFC3339, text)
				must(t, err)
				if late := at.Sub(soon); late < -time.Millisecond || late > patience {
					t.Errorf("the run %s at %s, the tick was at %s by the storage's clock", what, at, soon)
				}
			}
		})
	}
}
