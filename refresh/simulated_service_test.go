package refresh

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// simulatedService is a storage, agents that work on it, a source and a host, on a simulated clock.
type simulatedService struct {
	*testing.T
	store   *storage.Store
	engine  *Engine
	agents  []*agent
	host    *intermittentHost
	source  *clockSource
	reports []int64
	crashed bool // an agent crashed: its entries are looked for
	slow    slowScripts
}

// slowScripts is how long the answers of scripts to this process take: a redis.Observer that waits.
type slowScripts struct{ atomic.Int64 }

func (s *slowScripts) Exchanged(kind string, _ time.Duration, _ string) {
	if kind == "script" {
		time.Sleep(time.Duration(s.Load()))
	}
}

// newSimulatedService returns one with that many agents, each with an engine of its own. It must be called within synctest.Test, hostFaults outside
// of it.
func newSimulatedService(t *testing.T, agents int, faults map[placements.Reason]placements.Fault) *simulatedService {
	t.Helper()
	s := &simulatedService{
		T: t, source: &clockSource{down: map[string][]downtime{}, lag: map[string]time.Duration{}},
		host: &intermittentHost{
			shelf: &shelf{books: map[string]*memoryBook{}}, faults: faults,
			downtimes: map[string][]downtime{}, absent: map[string]bool{}, opens: map[string][]time.Time{},
		},
	}
	var err error
	s.store, err = storage.Open(t.Context(), storage.Config{Address: "embedded", Partitions: 1, Log: slog.New(slog.DiscardHandler), Observer: &s.slow})
	must(t, err)
	t.Cleanup(func() { must(t, s.store.Close()) })
	must(t, s.store.Work().Queue.Prepare(t.Context()))
	work, end := context.WithCancel(context.WithoutCancel(t.Context()))
	for i := range agents {
		e := s.newEngine()
		s.agents = append(s.agents, &agent{engine: e, name: string(rune('a' + i)), slots: make(chan struct{}, 64), work: work})
	}
	t.Cleanup(func() {
		end()
		for _, a := range s.agents {
			a.running.Wait()
		}
	})
	s.engine = s.newEngine()
	return s
}

// newEngine returns an engine as another process has it. One of the two hosts is configured.
func (s *simulatedService) newEngine() *Engine {
	return New(Config{
		Store: s.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]DeploymentSource{1: {Source: s.source, Location: time.UTC}},
			Hosts:       []Spreadsheets{{Kind: placements.SheetsB, Driver: s.host}},
		}},
	})
}

// report creates a report with that query, and returns its index.
func (s *simulatedService) report(query string) int {
	s.Helper()
	r, err := s.store.Reports().Create(s.Context(), deskDeployment, record.ReportInput{
		Name: placements.Sent(query), SQLQuery: placements.Sent(query), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(s.T, err)
	s.reports = append(s.reports, r.ID)
	return len(s.reports) - 1
}

// place places the i-th report in a document, or moves its placement of that id there.
func (s *simulatedService) place(i int, id, document string, by record.Actor, on placements.Host) placements.Placement {
	s.Helper()
	c, err := s.store.Placements().Connect(s.Context(), deskDeployment, s.reports[i], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: "Data!" + placements.Anchor{Column: 3 * i}.String(), AddressOnly: true,
		PlacementID: id, Host: on,
	}, by, nil, on != "")
	must(s.T, err)
	return *c.Placement
}

// placer is the user who places reports and requests runs.
var placer = record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}

func (s *simulatedService) createSchedule(i int, document, cron, overlap string) *record.Schedule {
	s.Helper()
	c, err := s.engine.Schedules().Create(s.Context(), deskDeployment, record.ScheduleSpec{
		Name: cron, Target: record.RunTarget{ReportID: s.reports[i], ExternalWorkbookID: document}, Cron: []string{cron}, Timezone: "UTC",
		Overlap: overlap,
	}, placer)
	must(s.T, err)
	return c
}

// start requests a run of the i-th report, or of one placement.
func (s *simulatedService) start(i int, placement string, o placements.Options) (*record.Run, error) {
	return s.engine.Start(s.Context(), deskDeployment, Request{
		Target: record.RunTarget{ReportID: s.reports[i], PlacementID: placement}, By: placer, Options: o,
	})
}

// ask is start for a run that must not be refused; it returns its id.
func (s *simulatedService) ask(i int, placement string, o placements.Options) string {
	s.Helper()
	run, err := s.start(i, placement, o)
	must(s.T, err)
	return run.ID
}

func (s *simulatedService) run(id string) *record.Run {
	s.Helper()
	run, err := s.store.Queue().Runs.Get(s.Context(), deskDeployment, id)
	must(s.T, err)
	return run
}

// outcome returns what a run says of a placement.
func (s *simulatedService) outcome(run *record.Run, placement string) record.RunPlacement {
	for _, o := range run.Placements {
		if o.PlacementID == placement {
			return o
		}
	}
	return record.RunPlacement{}
}

// placement returns the placement of the i-th report with that id; it is zero where there is none.
func (s *simulatedService) placement(i int, id string) (p storage.Placed) {
	s.Helper()
	r, err := s.store.Reports().Get(s.Context(), deskDeployment, s.reports[i])
	must(s.T, err)
	for _, p := range r.Placements {
		if p.ID == id {
			return p
		}
	}
	return storage.Placed{}
}

// queriedAt returns when the source was queried for what the block of the i-th report shows; it is zero where there is no block.
func (s *simulatedService) queriedAt(i int, document string) time.Time {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	c := s.host.book(document).cells[[2]int{1, 3*i + 1}]
	if c.Kind != checksum.Number {
		return time.Time{}
	}
	return time.UnixMilli(int64(c.Number)).UTC()
}
