package refresh

import (
	"context"
	"slices"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// An agent tells that it is there and what it works on; that it drains; and that it has left.
func TestAnAgentTellsOfItself(t *testing.T) {
	t.Parallel()
	eachDesk(t, 1, func(d *desk) {
		writes := make(chan struct{})
		d.books.writing = func() { <-writes }
		run := d.ask(0, Request{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		engine := d.another(func(c *Config) { c.Version, c.Workers = "1.2", 3 })
		go func() { ended <- engine.Run(ctx) }()
		is := func(state record.Presence, runs ...string) func() bool {
			return func() bool {
				list, err := d.store.Queue().Agents.List(t.Context())
				must(t, err)
				return len(list) == 1 && list[0].State == state && list[0].Version == "1.2" && list[0].Capacity == 3 &&
					slices.EqualFunc(list[0].Runs, runs, func(r record.AgentRun, id string) bool {
						return r.RunID == id && r.Tenant == "acme" && r.Deployment == 1 && r.ReportID == d.reports[0] && r.StartedAt != ""
					})
			}
		}
		d.eventually("the agent works on the run", is(record.AgentAlive, run))
		stop()
		d.eventually("it drains", is(record.AgentDraining, run))
		close(writes)
		must(t, <-ended)
		d.eventually("it is gone", is(record.AgentGone))
	})
}

// limitedShelf is a host with quotas.
type limitedShelf struct {
	*shelf
	quotas []host.Quota
}

func (s limitedShelf) Quotas() []host.Quota { return s.quotas }

func TestQuotasShowWhatIsLeft(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d := newDesk(t, s, 0)
		e := d.another(func(c *Config) {
			c.Tenants = map[string]Tenant{"acme": {Hosts: []Spreadsheets{
				{Name: "SHEETS_A", Kind: placements.SheetsA, Driver: limitedShelf{d.books, []host.Quota{{Account: "reads", PerMinute: 60}, {Account: "free"}, {Account: "writes", PerMinute: 2}}}},
				{Name: "SHEETS_B", Kind: placements.SheetsB, Driver: d.books},
			}}}
		})
		wait, err := s.Work().TakeQuota(t.Context(), "writes", 2, 2)
		if must(t, err); wait != 0 {
			t.Fatalf("a wait of %s", wait)
		}
		list, err := e.sites.Quotas(t.Context(), "acme")
		must(t, err)
		if len(list) != 2 || list[0].Account != "reads" || list[0].Left != 60 || list[1].Account != "writes" || list[1].Left != 0 || list[1].Host != placements.SheetsA {
			t.Errorf("quotas %+v", list)
		}
		if list, err = e.sites.Quotas(t.Context(), "other"); len(list) > 0 || err != nil {
			t.Errorf("another tenant's quotas: %+v, %v", list, err)
		}
	})
}

func TestAnAgentThatIsNotHeardOfIsGone(t *testing.T) {
	now := time.Now()
	for silent, want := range map[time.Duration]record.Presence{
		0: record.AgentAlive, record.AgentSilence: record.AgentAlive, record.AgentSilence + time.Second: record.AgentGone,
	} {
		if got := (&record.Agent{SeenAt: now.Add(-silent)}).PresenceAt(now); got != want {
			t.Errorf("after %s it is %s, want %s", silent, got, want)
		}
	}
}
