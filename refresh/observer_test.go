package refresh

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// notes is an AgentObserver that remembers what it was observed, a line each.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// take returns what was observed since the last call, sorted.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	slices.Sort(lines)
	return lines
}

func (n *notes) Began(tenant string, late time.Duration) {
	n.add("%s began, late for minutes: %t", tenant, late > time.Minute && late < time.Hour)
}

func (n *notes) Ticked(tenant string, outcome record.TickOutcome, ticks int) {
	n.add("%s ticked %s %d", tenant, outcome, ticks)
}

func (n *notes) Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int) {
	n.add("%s attempted %s%s %d rows, took time: %t", tenant, state, class, rowsWritten, took > 0)
}

func (n *notes) WaitsForQuota(tenant string, wait time.Duration) {
	n.add("%s waits for quota, half a minute: %t", tenant, wait > 25*time.Second && wait < 35*time.Second)
}

func (n *notes) KeptEdits(tenant string, cells int) {
	if cells > 0 {
		n.add("%s kept %d", tenant, cells)
	}
}

func (n *notes) Hangs(tenant string, calls int) { n.add("%s hangs %+d", tenant, calls) }

func (n *notes) Delivered(outcome string) { n.add("%s", outcome) }

// spentSource is a source whose quota is used up.
type spentSource struct{ source.Source }

func (spentSource) Query(context.Context, source.Query, *checksum.Builder) ([]source.Column, error) {
	return nil, &placements.Fault{Class: placements.Quota, Message: "wait", RetryAfter: 30 * time.Second}
}

func TestAnObserverIsToldWhatAgentsDo(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		observed := new(notes)
		r.engine.useObserver(observed)
		want := func(fact string, want ...string) {
			t.Helper()
			if got := observed.take(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", fact, got, want)
			}
		}
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		want("a run that a person asks for is not late", "acme attempted SUCCEEDED 4 rows, took time: true")

		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "C4", "about 290k")) })
		r.refresh(Request{})
		want("an edit is kept", "acme attempted SUCCEEDED 0 rows, took time: true", "acme kept 1")

		c := r.schedule(record.ScheduleSpec{Cron: []string{"0 0 1 1 *"}})
		stop := r.serve()
		r.overdue(c.ID, time.Now().Add(-10*time.Minute))
		r.eventually("the schedule fires", func() bool {
			runs, err := r.engine.records.Queue().Runs.OfSchedule(t.Context(), r.d, c.ID)
			return err == nil && len(runs) == 1 && runs[0].EndedAt != ""
		})
		stop()
		want("a tick that was missed is late",
			"acme attempted SUCCEEDED 0 rows, took time: true", "acme began, late for minutes: true", "acme kept 1", "acme ticked fired 1")

		d := r.engine.tenants["acme"].Deployments[1]
		d.Source = spentSource{d.Source}
		r.engine.tenants["acme"].Deployments[1] = d
		r.refresh(Request{})
		want("a run waits for a quota", "acme attempted QUEUEDquota 0 rows, took time: true", "acme waits for quota, half a minute: true")
	})
}

func TestAnObserverCountsEachTickOnce(t *testing.T) {
	eachRig(t, func(r *rig) {
		observed := new(notes)
		r.engine.useObserver(observed)
		a := &agent{engine: r.engine, name: "a", work: t.Context()}
		at := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
		for _, tt := range []struct {
			fact    string
			catchUp string
			late    time.Duration
			want    []string
		}{
			{"in time", record.CatchUpSkip, 0, []string{"acme ticked fired 1"}},
			{"in time, while the run before goes on", record.CatchUpSkip, 0, []string{"acme ticked skipped 1"}},
			{"missed, and not made good", record.CatchUpSkip, 150 * time.Minute, []string{"acme ticked missed 3"}},
			{"missed, the last made good", record.CatchUpLatest, 150 * time.Minute, []string{"acme ticked fired 1", "acme ticked missed 2"}},
			{"missed, and the run before goes on", record.CatchUpLatest, 150 * time.Minute, []string{"acme ticked missed 2", "acme ticked skipped 1"}},
			{"missed, made good one by one", record.CatchUpAll, 150 * time.Minute, []string{"acme ticked fired 1"}},
		} {
			c := r.schedule(record.ScheduleSpec{Cron: []string{"0 * * * *"}, Timezone: "UTC", CatchUp: tt.catchUp})
			fires := func(tick time.Time, late time.Duration) {
				r.overdue(c.ID, tick)
				c, err := r.engine.records.Schedules().Get(t.Context(), r.d, c.ID)
				must(t, err)
				due := record.Due{Deployment: r.d, ScheduleID: c.ID, Schedule: c}
				for range 3 { // as agents do whose leases ended
					must(t, a.fire(t.Context(), []record.Due{due}, tick.Add(late)))
				}
			}
			if strings.HasSuffix(tt.fact, "the run before goes on") {
				fires(at.Add(-time.Hour), 0)
				observed.take()
			}
			fires(at, tt.late)
			if got := observed.take(); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
			}
		}
	})
}

func TestAnObserverCountsATickWhoseRunIsSuperseded(t *testing.T) {
	var (
		left = []record.RunPlacement{{State: placements.RunSucceeded}, {State: placements.RunSuperseded}}
		due  = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	)
	for _, tt := range []struct {
		fact string
		run  record.Run
		want []string
	}{
		{"a tick's run", record.Run{Due: due, EndedAt: "then", Placements: left}, []string{"acme ticked superseded 1"}},
		{"one that goes on", record.Run{Due: due, Placements: left}, nil},
		{"one that left nothing", record.Run{Due: due, EndedAt: "then", Placements: left[:1]}, nil},
		{"one that a person asked for", record.Run{EndedAt: "then", Placements: left}, nil},
	} {
		observed := new(notes)
		a := &ending{ledger: &ledger{d: record.Deployment{Tenant: "acme"}, run: &tt.run}, observe: observed}
		a.observeSuperseded()
		if got := observed.take(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
		}
	}
}
